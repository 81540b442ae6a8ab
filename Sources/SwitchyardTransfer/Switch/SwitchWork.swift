internal import Foundation
internal import SwitchyardCore

/// The steps of a switch, with both stores open.
///
/// Each is one transaction in one of the stores, or several that can be repeated.
struct SwitchWork: Sendable {
    /// The name under which a switch follows the old store's history, so that nothing is pruned that it has yet to read.
    static let consumer = "switchyard.switch"
    /// How long one part should take.
    private static let partTime = 0.35
    /// The number of changed rows that are few enough for the old store to wait while they are copied.
    private static let fewRows = 500
    /// How often changes are followed before the old store has to wait for more than a few.
    private static let mostRounds = 20

    let id: UUID
    let old: any Store
    let new: any Store
    /// Whether the rows of the stores are divided into scopes, which are then copied and compared one after the other.
    let isScoped: Bool
    private let progress: @Sendable (SwitchProgress) -> Void
    /// Tells this attempt from others that carry out the same switch, of which the last one prevails.
    private let runner = UUID()
    private let start = ContinuousClock.now

    /// Prepares for the steps.
    ///
    /// - Parameters:
    ///   - id: The identity of the switch.
    ///   - old: The old store, as the one to use, or fenced by an earlier attempt.
    ///   - new: The new store, as a copy.
    ///   - isScoped: Whether their rows are divided into scopes.
    ///   - progress: Is told how far the switch has come.
    init(
        id: UUID, old: any Store, new: any Store, isScoped: Bool,
        progress: @escaping @Sendable (SwitchProgress) -> Void
    ) {
        self.id = id
        self.old = old
        self.new = new
        self.isScoped = isScoped
        self.progress = progress
    }

    /// Prepares the new store, or takes over from whoever has done so for this switch.
    ///
    /// - Parameters:
    ///   - peer: The location of the old store.
    ///   - abandoned: A switch to there that the old store has given up, although the new one does not say so.
    /// - Throws: `outOfService` if another switch has.
    func prepare(peer: String, insteadOf abandoned: UUID? = nil) async throws {
        let found = try await new.marker().switching
        if found?.id == id { return try await takeOver() }
        var record = SwitchRecord(id: id, state: .copying, peer: peer)
        record.copied = isScoped ? try await prepareScopes(instead: found) : try await register()
        record.copied?.runner = runner
        try await new.write { [record] tx in
            let left = try tx.driver.marker().switching
            guard left == found, left?.state ?? .aborted == .aborted || left?.id == abandoned else {
                throw StoreError.carriedOutElsewhere
            }
            // What a switch has left that was given up.
            if left?.copied?.hasConstraints == true { try tx.driver.removeConstraints() }
            try tx.deleteAllRows()
            try tx.updateMarker { $0.switching = record }
        }
    }

    /// Lets an earlier process that carries out the switch give way to this one, before its next part.
    private func takeOver() async throws {
        try await new.write { [id, runner] tx in
            try tx.updateMarker { marker in
                guard marker.switching?.id == id, marker.switching?.state == .copying else {
                    throw marker.switching?.state == .aborted
                        ? StoreError(
                            .outOfService, "The switch was being given up. Give it up again, to the end.")
                        : StoreError.carriedOutElsewhere
                }
                marker.switching?.copied?.runner = runner
            }
        }
    }

    /// Registers the switch as a consumer of the old store's history, from now on.
    private func register() async throws -> SwitchRecord.Copied {
        try await old.write { [id] tx in
            try tx.requireSwitch(id)
            let token = try tx.historyToken()
            try tx.setHistoryToken(token, ofConsumer: Self.consumer)
            return SwitchRecord.Copied(token: token)
        }
    }

    /// What was read of the old store while its rows were copied.
    struct Reading: Sendable {
        /// What the old store had counted before the first row was read.
        let commits: Int
        /// What was read of each entity.
        let tallies: [EntityTally]
    }

    /// Copies all rows, and follows what is changed meanwhile until few changes are left.
    ///
    /// - Returns: What was read; nil if an earlier attempt has copied rows, if others have committed meanwhile, or if the old
    ///   store does not count commits.
    func catchUp() async throws -> Reading? {
        var pace = Pace(total: try await old.counts().reduce(0, +))
        if isScoped {
            try await catchUpScopes(&pace)
            return nil
        }
        let copied = try await copied()
        let commits = copied.hasNoRows ? await commitCount() : nil
        let end = try await copy(after: copied, noting: copied, tallyingIf: commits, &pace)
        guard let commits, let tallies = end.tallies else { return nil }
        return Reading(commits: commits, tallies: tallies)
    }

    /// How many rows are read at once, and what is told of it.
    struct Pace {
        /// The number of rows that the old store has; nil if nothing is told.
        let total: Int?
        fileprivate var limit = 1_000
        fileprivate var rows = 0, bytes = 0
        fileprivate let begin = ContinuousClock.now

        init(total: Int?) { self.total = total }
    }

    /// Copies the rows of the store, or of one of its scopes, and follows what is changed meanwhile until few changes are
    /// left.
    ///
    /// - Parameters:
    ///   - copied: What the new store has of it; nil if it has nothing of the scope.
    ///   - base: What the new store's record says.
    ///   - scope: The scope; nil for a store without scopes.
    ///   - commits: What the old store counts. As long as it does, tallies are kept of the rows; nil if none are.
    ///   - pace: How many rows are read at once.
    /// - Returns: What the record says afterwards, and the tallies.
    /// - Throws: `outOfService` if another process is carrying out the switch; what reading and writing throw.
    @discardableResult
    func copy(
        after copied: SwitchRecord.Copied?, noting base: SwitchRecord.Copied, in scope: StoreScope? = nil,
        tallyingIf commits: Int? = nil, _ pace: inout Pace
    ) async throws -> (copied: SwitchRecord.Copied, tallies: [EntityTally]?) {
        var rounds = 0
        var delta = try await read(
            after: copied, noting: base, in: scope, limit: pace.limit,
            tallying: commits.map { _ in old.schema.entities.map { _ in EntityTally() } })
        while true {
            let (start, current, size) = (ContinuousClock.now, delta, pace.limit)
            if current.isLast {
                rounds += 1
                if current.changedRows < Self.fewRows || rounds > Self.mostRounds {
                    try await write(current)
                    tell(current, &pace)
                    return (current.copied, current.tallies)
                }
            }
            let isUnchanged = current.tallies != nil ? await commitCount() == commits : false
            // The next part is read while this one is written.
            async let next = read(
                after: current.copied, noting: current.copied, in: scope, limit: size,
                tallying: isUnchanged ? current.tallies : nil)
            try await write(current)
            tell(current, &pace)
            delta = try await next
            if current.newRows > 0 {
                let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
                let parts = min(
                    Self.partTime / seconds,
                    // A database would send in vain what there is no memory for.
                    Double(RowDelta.mostBytes) / Double(current.byteCount))
                pace.limit = Int(max(100, min(Double(current.newRows) * parts, 100_000)))
            }
        }
    }

    /// What was read of the old store while its rows were copied, and of the new one thereafter.
    struct Passes: Sendable {
        let old: Reading
        let new: StoreDigest
    }

    /// Adds the constraints to the new store, unless it has them, and reads its rows meanwhile.
    ///
    /// - Parameter reading: What was read of the old store; nil if all rows will be read when they are compared.
    /// - Returns: That, and what was read of the new store.
    /// - Throws: `outOfService` if another attempt goes on with the switch; what reading and writing throw.
    func addConstraints(after reading: Reading?) async throws -> Passes? {
        guard let reading, await commitCount() == reading.commits else {
            try await addConstraints()
            return nil
        }
        async let pass = digestUnlessBusy()
        do {
            try await addConstraints()
        } catch let error as StoreError where error.code == .busy {
            // The pass has taken all connections that there may be.
            _ = try await pass
            try await addConstraints()
        }
        if let digest = try await pass { return Passes(old: reading, new: digest) }
        return Passes(old: reading, new: try await digest(in: nil))
    }

    /// The digest of the new store; nil if no connection became free in time.
    private func digestUnlessBusy() async throws -> StoreDigest? {
        do {
            return try await digest(in: nil)
        } catch let error as StoreError where error.code == .busy {
            return nil
        }
    }

    private func addConstraints() async throws {
        let copied = try await copied()
        if copied.hasConstraints { return }
        tell(.indexing, rows: copied.rows, total: copied.rows)
        try await new.write { [id] tx in
            var complete = copied
            complete.hasConstraints = true
            // First: those that somebody else has added meanwhile would be refused for being there already.
            try tx.note(complete, after: copied, of: id)
            try tx.driver.addConstraints()
        }
    }

    /// What a comparison of both stores has found, which are equal.
    struct Verified: Sendable {
        var report: VerificationReport
        var old: StoreDigest, new: StoreDigest
        /// What the old store had counted before it was read for this; nil if it does not count its commits.
        var commits: Int?

        /// The digests of the old store's rows, by the name of the entity.
        func compared(in schema: Schema) -> [String: String] { old.words(in: schema) }
    }

    /// Copies what was changed last, and compares both stores: as of one snapshot of the old one, or of each of its scopes.
    ///
    /// - Parameter passes: What was read while the rows were copied, and before anything else was written to the new store;
    ///   nil if all rows are to be read.
    /// - Returns: What was found.
    /// - Throws: `verification` if they differ.
    func verify(_ passes: Passes?) async throws -> Verified {
        let copied = try await copied()
        tell(.verifying, rows: copied.rows, total: copied.rows)
        if let passes, let verified = try await verify(passes) { return verified }
        let commits = await commitCount()
        var verified: Verified
        if isScoped {
            verified = try await verifyScopes(after: copied)
        } else {
            let last = try await read(after: copied, noting: copied, limit: .max)
            try await write(last)
            verified = try await verify(after: last.copied, noting: last.copied).verified
        }
        verified.commits = commits
        return verified
    }

    /// Compares what was read of both stores, which is still all there is in the old one if nobody has committed.
    ///
    /// - Returns: What was found; nil if somebody has.
    /// - Throws: `verification` if they differ.
    private func verify(_ passes: Passes) async throws -> Verified? {
        guard await commitCount() == passes.old.commits else { return nil }
        let first = try await old.read { try StoreSurvey(passes.old.tallies, in: $0) }
        do {
            var verified = try await compare(first, passes.new)
            guard await commitCount() == passes.old.commits else { return nil }
            verified.commits = passes.old.commits
            return verified
        } catch let error as StoreError where error.code == .verification {
            // The rows drawn at random are read now, and may have been changed a moment ago.
            guard await commitCount() == passes.old.commits else { return nil }
            throw error
        }
    }

    /// Compares the rows of both stores, or of one of their scopes, as of one snapshot of the old store.
    ///
    /// - Parameters:
    ///   - copied: What the new store has of them.
    ///   - base: What the new store's record says.
    ///   - scope: The scope; nil for a store without scopes.
    /// - Returns: What was found, and what the record says afterwards.
    /// - Throws: `verification` if they differ.
    func verify(
        after copied: SwitchRecord.Copied, noting base: SwitchRecord.Copied, in scope: StoreScope? = nil
    ) async throws -> (verified: Verified, copied: SwitchRecord.Copied) {
        // Both are read at the same time. What was changed in between is then copied, and taken into account.
        async let first = survey(after: copied, noting: base, in: scope)
        async let second = digest(in: scope)
        var (mine, theirs) = (try await first, try await second)
        let replaced = try await replacing(mine.0, in: scope)
        theirs.replace(replaced.before, by: replaced.after)
        return (try await compare(mine.1, theirs, in: scope), replaced.copied)
    }

    /// Compares what was found of both stores, or of one of their scopes.
    ///
    /// - Throws: `verification` if they differ.
    private func compare(
        _ first: StoreSurvey, _ second: StoreDigest, in scope: StoreScope? = nil
    ) async throws -> Verified {
        let report = try await StoreComparison(
            first: first, second: second, old, new, ReadOptions(of: scope)
        ).report()
        guard report.isEqual else {
            throw Self.different(report.entities.filter { !$0.isEqual }.map(\.entity), in: scope)
        }
        return Verified(report: report, old: first.digest, new: second)
    }

    /// What the new store lacks of the old one, or of one of its scopes, and what that holds, as of one snapshot.
    func survey(
        after copied: SwitchRecord.Copied, noting base: SwitchRecord.Copied, in scope: StoreScope?
    ) async throws -> (RowDelta, StoreSurvey) {
        if scope == nil {
            let (lower, upper) = try await old.readHalves { tx, half in
                (
                    token: try tx.historyToken(),
                    delta: half.isLower ? try RowDelta(tx, after: copied, noting: base, limit: .max) : nil,
                    survey: try StoreSurvey(of: tx, half: half)
                )
            }
            // Two snapshots are one unless something was written between them, which is seldom.
            if lower.token == upper.token, let delta = lower.delta {
                return (delta, StoreSurvey(lower: lower.survey, upper: upper.survey))
            }
        }
        return try await old.read(ReadOptions(of: scope)) { tx in
            (
                try RowDelta(tx, after: copied, noting: base, limit: .max),
                try StoreSurvey(of: tx, in: scope)
            )
        }
    }

    /// The digest of the new store, or of one of its scopes.
    private func digest(in scope: StoreScope?) async throws -> StoreDigest {
        guard let scope else { return try await StoreDigest(of: new) }
        return try await new.read(ReadOptions(of: scope)) { try StoreDigest(of: $0, in: scope) }
    }

    /// Copies what was changed since a comparison, and compares that: the old store takes no more writes.
    ///
    /// - Throws: `verification` if a row that was changed, or the number of rows, is not the same.
    func settle(_ verified: Verified) async throws -> Verified {
        let copied = try await copied()
        tell(.settling, rows: copied.rows, total: copied.rows)
        var verified = verified
        if isScoped {
            _ = try await followScopes(&verified, after: copied)
        } else {
            _ = try await follow(&verified, after: copied, noting: copied)
            try await adoptOperations()
        }
        let (mine, theirs) = (verified.old.totals, verified.new.totals)
        verified.report = verified.report.updated(first: mine, second: theirs)
        let (counts, theirCounts) = (try await old.counts(), try await new.counts())
        let names = old.schema.entities.indices.filter { index in
            mine[index] != theirs[index] || counts[index] != theirCounts[index]
                || counts[index] != mine[index].count
        }.map { old.schema.entities[$0].name }
        guard names.isEmpty else { throw Self.different(names) }
        return verified
    }

    /// Takes over the ids of writes that the new store lacks: of those that changed nothing the history does not tell.
    private func adoptOperations() async throws {
        var last: OperationID?
        while true {
            let mine = try await old.read { [last] in try $0.driver.operations(after: last, limit: 10_000) }
            guard let end = mine.last?.id else { return }
            let theirs = try await new.read { [last] in try $0.driver.operations(after: last, limit: 10_000) }
            let known = Set(theirs.map(\.id))
            let missing = mine.filter { !known.contains($0.id) }
            if !missing.isEmpty { try await new.write { try $0.driver.adopt(missing) } }
            last = end
        }
    }

    /// Copies what was changed since a comparison, and takes it into account.
    ///
    /// - Parameters:
    ///   - verified: What the comparison has found.
    ///   - copied: What the new store has of the store, or of the scope.
    ///   - base: What the new store's record says.
    ///   - scope: The scope; nil for a store without scopes.
    /// - Returns: What the record says afterwards.
    /// - Throws: As `copy`.
    func follow(
        _ verified: inout Verified, after copied: SwitchRecord.Copied, noting base: SwitchRecord.Copied,
        in scope: StoreScope? = nil
    ) async throws -> SwitchRecord.Copied {
        let (delta, digests) = try await old.read(ReadOptions(of: scope)) { tx in
            let delta = try RowDelta(tx, after: copied, noting: base, limit: .max)
            return (delta, try tx.digests(ofEach: delta.changed, in: scope))
        }
        let replaced = try await replacing(delta, in: scope)
        verified.old.replace(replaced.before, by: digests)
        verified.new.replace(replaced.before, by: replaced.after)
        return replaced.copied
    }

    /// What the old store counts of the commits to its database; nil if it does not.
    private func commitCount() async -> Int? { await (old as? any CommitCounting)?.commitCount() }

    /// Whether the fence is all that was committed to the old store since a comparison.
    func hasOnlyFence(since verified: Verified) async -> Bool {
        guard let commits = verified.commits else { return false }
        return await commitCount() == commits + 1
    }

    /// Reads the old store once more, which takes no writes, and compares it with what was copied.
    ///
    /// This finds what was written past it after it was compared, and before everybody had gone on to the new one.
    ///
    /// - Parameter compared: The digests of what was copied, by the name of the entity.
    /// - Throws: `verification` if there is such a row.
    func audit(_ compared: [String: String]) async throws {
        let found = (isScoped ? try await digestOfScopes() : try await StoreDigest(of: old)).words(
            in: old.schema)
        let names = old.schema.entities.map(\.name).filter { found[$0] != compared[$0] }
        guard names.isEmpty else {
            throw StoreError(
                .verification,
                "The switch is committed, but in the meantime somebody has written past the old store, in "
                    + "\(names.joined(separator: ", ")). Those rows are in the old store and not in the new one: compare them "
                    + "with `verify`, and bring them over.")
        }
    }

    /// Writes a delta to the new store.
    ///
    /// - Returns: For each entity, the digests of the rows that it replaces in the new store, and of those that are there
    ///   afterwards; and what the record says then.
    private func replacing(_ delta: RowDelta, in scope: StoreScope?) async throws -> Replaced {
        // Of many scopes, few have changed, and the others need no write.
        if scope != nil, delta.isNothing {
            let none = delta.changed.map { _ in [UUID: UInt128]() }
            return Replaced(before: none, after: none, copied: delta.base)
        }
        let options = ReadOptions(of: scope)
        let before = try await new.read(options) { try $0.digests(ofEach: delta.changed, in: scope) }
        try await write(delta)
        let after = try await new.read(options) { try $0.digests(ofEach: delta.changed, in: scope) }
        return Replaced(before: before, after: after, copied: delta.copied)
    }

    private struct Replaced {
        let before: [[UUID: UInt128]], after: [[UUID: UInt128]]
        let copied: SwitchRecord.Copied
    }

    private static func different(_ entities: [String], in scope: StoreScope? = nil) -> StoreError {
        let place = scope.map { " of the scope \($0)" } ?? ""
        return StoreError(
            .verification,
            "The copy is not the same as the store, in \(entities.joined(separator: ", "))\(place): somebody has written past it. Abort the switch, and "
                + "begin it again; nothing was changed in the old store.")
    }

    /// Lets the old store take no more writes, whichever process has it open.
    func fence(successor: String) async throws {
        let copied = try await copied()
        tell(.fencing, rows: copied.rows, total: copied.rows)
        try await old.write(.ofMarker) { [id] tx in
            try tx.updateMarker { marker in
                guard marker.switching?.id == id, marker.switching?.state == .copying else {
                    throw StoreError.carriedOutElsewhere
                }
                marker.role = .superseded
                marker.successor = successor
                marker.switching?.state = .fenced
            }
        }
    }

    /// Makes the new store the one to use: the point of no return.
    ///
    /// - Parameter settled: What was compared, which the new store keeps for whoever goes on after an interruption.
    /// - Throws: `outOfService` if another attempt goes on with the switch, or it was given up; what writing throws.
    func commit(_ settled: Verified) async throws {
        let marker = try await old.marker()
        let compared = settled.compared(in: old.schema)
        try await new.write(.ofMarker) { [id, runner] tx in
            try tx.updateMarker { new in
                guard new.switching?.id == id, new.switching?.state == .copying,
                    new.switching?.copied?.runner == runner
                else { throw StoreError.carriedOutElsewhere }
                new.takeOver(
                    from: marker,
                    keepingHistory: marker.history?.isKept == true && marker.switching?.startedHistory != true
                )
                new.switching?.state = .committed
                new.switching?.compared = compared
                new.switching?.copied = nil
            }
        }
        let rows = try await new.counts().reduce(0, +)
        tell(.committed, rows: rows, total: rows)
    }

    /// What the new store's record says.
    ///
    /// - Throws: `outOfService` if it is of another switch, or another attempt goes on with this one.
    func copied() async throws -> SwitchRecord.Copied {
        guard let record = try await new.marker().switching, record.id == id, let copied = record.copied,
            copied.runner == runner
        else {
            throw StoreError.carriedOutElsewhere
        }
        return copied
    }

    func read(
        after copied: SwitchRecord.Copied?, noting base: SwitchRecord.Copied, in scope: StoreScope? = nil,
        limit: Int, tallying tallies: [EntityTally]? = nil
    ) async throws -> RowDelta {
        try await old.read(ReadOptions(of: scope)) {
            try RowDelta($0, after: copied, noting: base, limit: limit, tallying: tallies)
        }
    }

    func write(_ delta: RowDelta) async throws {
        try await new.write(WriteOptions(scope: delta.copied.token.scope)) { [id] tx in
            try delta.write(to: tx, of: id)
        }
    }

    /// Tells of a part that was copied.
    private func tell(_ delta: RowDelta, _ pace: inout Pace) {
        pace.rows += delta.newRows
        pace.bytes += delta.byteCount
        guard let total = pace.total else { return }
        let copied = delta.copied.rows
        var told = SwitchProgress(
            step: .copying, rows: copied, total: max(copied, total), elapsed: .now - start)
        let rate = Double(pace.rows) / max((ContinuousClock.now - pace.begin) / .seconds(1), 0.001)
        if rate > 0 {
            told.pace = SwitchProgress.Pace(
                rows: pace.rows, bytes: pace.bytes, rowsPerSecond: rate,
                remaining: .seconds(Double(told.total - copied) / rate))
        }
        progress(told)
    }

    func tell(_ step: SwitchProgress.Step, rows: Int, total: Int) {
        progress(
            SwitchProgress(step: step, rows: rows, total: max(rows, total), elapsed: .now - start))
    }
}

extension ReadTransaction {
    /// The digests of the rows with some ids, for each entity.
    fileprivate func digests(ofEach ids: [[UUID]], in scope: StoreScope?) throws -> [[UUID: UInt128]] {
        try zip(schema.entities, ids).map { try digests(of: $0, in: scope, $1) }
    }
}

extension WriteTransaction {
    /// Checks that a switch of the store is under way.
    ///
    /// - Throws: `outOfService` if it has ended, or another one was begun.
    func requireSwitch(_ id: UUID) throws {
        guard let record = try driver.marker().switching, record.id == id, record.isUnderWay else {
            throw StoreError.carriedOutElsewhere
        }
    }

    /// Deletes all rows that the transaction sees, without applying delete rules.
    func deleteAllRows() throws {
        for entity in schema.entities { _ = try driver.delete(from: entity, where: .constant(true)) }
    }
}
