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
    ///   - predecessor: Who gives way.
    /// - Throws: `carriedOutElsewhere` if another switch has, or somebody else has prepared it for this one.
    func prepare(peer: String, from predecessor: Predecessor) async throws {
        let found = try await new.marker().switching
        if found?.id == id { return try await takeOver(from: predecessor) }
        guard found?.state ?? .aborted == .aborted else { throw StoreError.carriedOutElsewhere }
        var record = SwitchRecord(id: id, state: .copying, peer: peer)
        record.copied = isScoped ? try await prepareScopes(instead: found) : try await register()
        record.copied?.runner = runner
        try await new.write(.ofMarker) { [record] tx in
            let left = try tx.driver.maintenance.marker().switching
            guard left == found else { throw StoreError.carriedOutElsewhere }
            // What a switch has left that was given up.
            if left?.copied?.hasConstraints == true { try tx.driver.maintenance.removeConstraints() }
            try tx.deleteAllRows()
            try tx.updateMarker { $0.switching = record }
        }
    }

    /// Which attempt at a switch gives way to another one.
    enum Predecessor: Sendable {
        /// Whoever carries it out.
        case any
        /// Only the one that did at some time; nil if nobody did.
        case only(UUID?)
    }

    /// Lets an earlier process that carries out the switch give way to this one, before its next part.
    ///
    /// - Throws: `carriedOutElsewhere` if another one has taken over, or the switch was given up.
    func takeOver(from predecessor: Predecessor) async throws {
        try await new.write { [id, runner] tx in
            try tx.updateMarker { marker in
                guard marker.switching?.id == id, marker.switching?.state == .copying else {
                    throw marker.switching?.state == .aborted
                        ? StoreError(
                            .carriedOutElsewhere,
                            "The switch was being given up. Give it up again, to the end.")
                        : StoreError.carriedOutElsewhere
                }
                if case .only(let expected) = predecessor, marker.switching?.copied?.runner != expected {
                    throw StoreError.carriedOutElsewhere
                }
                marker.switching?.copied?.runner = runner
            }
        }
    }

    /// Notes in the new store that a switch was given up, unless it is not of that switch.
    static func giveUp(_ id: UUID, in new: any Store) async throws {
        try await new.write(.ofMarker) { tx in
            try tx.updateMarker { marker in
                guard marker.switching?.id == id else { return }
                guard marker.role == .copying else { throw StoreError.carriedOutElsewhere }
                marker.switching?.state = .aborted
            }
        }
    }

    /// Registers the switch as a consumer of the old store's history, from now on.
    private func register() async throws -> SwitchRecord.Copied {
        try await old.write { [id] tx in
            try tx.requireSwitch(id)
            let token = try tx.historyToken()
            // Another attempt may have registered it at an earlier place, from which its copy goes on.
            if try tx.historyToken(ofConsumer: Self.consumer)?.era != token.era {
                try tx.setHistoryToken(token, ofConsumer: Self.consumer)
            }
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
    /// - Throws: `carriedOutElsewhere` if another process is carrying out the switch; what reading and writing throw.
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

    /// What was found of the old store's rows by reading them as they were copied, and of the new store's thereafter.
    struct Passes: Sendable {
        /// What the old store had counted before the first row was read.
        let commits: Int
        let old: StoreSurvey
        let new: StoreDigest
    }

    /// Adds the constraints to the new store, unless it has them, and meanwhile reads its rows, and what is lacking to the
    /// reading of the old one.
    ///
    /// - Parameter reading: What was read of the old store; nil if all rows will be read when they are compared.
    /// - Returns: What was found.
    /// - Throws: `carriedOutElsewhere` if another attempt goes on with the switch; what reading and writing throw.
    func addConstraints(after reading: Reading?) async throws -> Passes? {
        guard let reading, await commitCount() == reading.commits else {
            try await addConstraints()
            return nil
        }
        async let passes = passUnlessBusy(after: reading)
        do {
            try await addConstraints()
        } catch let error as StoreError where error.code == .busy {
            // The pass has taken all connections that there may be.
            _ = try await passes
            try await addConstraints()
        }
        if let passes = try await passes { return passes }
        return try await pass(after: reading)
    }

    private func pass(after reading: Reading) async throws -> Passes {
        let theirs = try await digest(in: nil)
        let mine = try await old.read { try StoreSurvey(reading.tallies, in: $0) }
        return Passes(commits: reading.commits, old: mine, new: theirs)
    }

    /// The same; nil if no connection became free in time.
    private func passUnlessBusy(after reading: Reading) async throws -> Passes? {
        do {
            return try await pass(after: reading)
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
            try tx.driver.maintenance.addConstraints()
        }
    }

    /// Lets the old store take no more writes, whichever process has it open.
    ///
    /// - Returns: Whether it was this attempt that has fenced it, and not one that this has taken over from.
    /// - Throws: `carriedOutElsewhere` if another attempt goes on with the switch, or it was given up; what writing throws.
    func fence(successor: String) async throws -> Bool {
        let copied = try await copied()
        tell(.fencing, rows: copied.rows, total: copied.rows)
        do {
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
            return true
        } catch let error as StoreError where error.code.refusesService {
            guard try await old.marker().isFenced(by: id) else { throw error }
            return false
        }
    }

    /// Makes the new store the one to use: the point of no return.
    ///
    /// - Parameter settled: What was compared, which the new store keeps for whoever goes on after an interruption.
    /// - Throws: `carriedOutElsewhere` if another attempt goes on with the switch, or it was given up; what writing throws.
    func commit(_ settled: Verified) async throws {
        let marker = try await old.marker()
        guard marker.isFenced(by: id) else { throw StoreError.carriedOutElsewhere }
        let compared = settled.compared(in: old.schema)
        try await new.write(.ofMarker) { [id, runner] tx in
            try tx.updateMarker { new in
                guard new.switching?.id == id, new.switching?.state == .copying,
                    new.switching?.copied?.runner == runner
                else { throw StoreError.carriedOutElsewhere }
                try new.takeOver(
                    from: marker,
                    keepingHistory: marker.history?.isKept == true && marker.switching?.startedHistory != true
                )
                new.switching?.state = .committed
                new.switching?.compared = compared
                new.switching?.copied = nil
            }
        }
        let rows = settled.new.totals.reduce(0) { $0 + $1.count }
        tell(.committed, rows: rows, total: rows)
    }

    /// What the new store's record says.
    ///
    /// - Throws: `carriedOutElsewhere` if it is of another switch, or another attempt goes on with this one.
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

extension StoreMarker {
    /// Whether the store takes no more writes because a switch is about to be committed.
    var isFenced: Bool { role == .superseded && switching?.state == .fenced }

    /// Whether it takes none because of that one.
    fileprivate func isFenced(by id: UUID) -> Bool { isFenced && switching?.id == id }
}

extension ReadTransaction {
    /// Checks that a switch of the store is under way.
    ///
    /// - Throws: `carriedOutElsewhere` if it has ended, or another one was begun.
    func requireSwitch(_ id: UUID) throws {
        guard let record = try driver.maintenance.marker().switching, record.id == id, record.isUnderWay
        else {
            throw StoreError.carriedOutElsewhere
        }
    }
}

extension WriteTransaction {
    /// Deletes all rows that the transaction sees, without applying delete rules.
    func deleteAllRows() throws {
        for entity in schema.entities { _ = try driver.delete(from: entity, where: .constant(true)) }
    }
}
