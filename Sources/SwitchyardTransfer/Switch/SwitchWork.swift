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
    /// The number of rounds of following before the old store has to wait for more than a few changes.
    private static let mostRounds = 20

    let id: UUID
    let old: any Store
    let new: any Store
    /// Whether the rows of the stores are divided into scopes, which are then copied and compared one after the other.
    let isScoped: Bool
    private let progress: @Sendable (SwitchProgress) -> Void
    /// Identifies this attempt among those that carry out the same switch; the last one prevails.
    let runner = UUID()
    private let start = ContinuousClock.now

    /// Prepares for the steps.
    ///
    /// - Parameters:
    ///   - id: The identity of the switch.
    ///   - old: The old store, active, or fenced by an earlier attempt.
    ///   - new: The new store, as a copy.
    ///   - isScoped: Whether their rows are divided into scopes.
    ///   - progress: Receives the progress.
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

    /// Prepares the new store, or takes over from an earlier attempt at this switch.
    ///
    /// - Parameters:
    ///   - peer: The location of the old store.
    ///   - predecessor: The attempt that gives way.
    /// - Throws: `carriedOutElsewhere` if another switch, or another attempt at this one, has prepared it.
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
            // The leftovers of an aborted switch.
            if left?.copied?.hasConstraints == true { try tx.driver.maintenance.removeConstraints() }
            try tx.deleteAllRows()
            try tx.updateMarker { $0.switching = record }
        }
    }

    /// Which attempt at a switch gives way to another one.
    enum Predecessor: Sendable {
        /// Any attempt.
        case any
        /// Only a certain attempt; nil if there was none.
        case only(UUID?)
    }

    /// Makes an earlier process that carries out the switch give way to this one, before its next part.
    ///
    /// - Throws: `carriedOutElsewhere` if another one has taken over, or the switch was aborted.
    func takeOver(from predecessor: Predecessor) async throws {
        try await new.write { [id, runner] tx in
            try tx.updateMarker { marker in
                guard marker.switching?.id == id, marker.switching?.state == .copying else {
                    throw marker.switching?.state == .aborted
                        ? StoreError(
                            .carriedOutElsewhere,
                            "The switch was being aborted. Abort it again to complete that.")
                        : StoreError.carriedOutElsewhere
                }
                if case .only(let expected) = predecessor, marker.switching?.copied?.runner != expected {
                    throw StoreError.carriedOutElsewhere
                }
                marker.switching?.copied?.runner = runner
            }
        }
    }

    /// Records in the new store that a switch was aborted, unless it belongs to another switch.
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
            // Another attempt may have registered it at an earlier position, from which its copy continues.
            if try tx.historyToken(ofConsumer: Self.consumer)?.era != token.era {
                try tx.setHistoryToken(token, ofConsumer: Self.consumer)
            }
            return SwitchRecord.Copied(token: token)
        }
    }

    /// The old store's rows as read while they were copied.
    struct Reading: Sendable {
        /// The old store's commit count before the first row was read.
        let commits: Int
        /// The rows read of each entity.
        let tallies: [EntityTally]
    }

    /// Copies all rows, and follows changes until few are left.
    ///
    /// - Returns: The rows read; nil if an earlier attempt has copied rows, if others have committed in
    ///   between, or if the old store does not count commits.
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

    /// The number of rows to read at once, and the progress reports.
    struct Pace {
        /// The number of rows of the old store; nil if progress is not reported.
        let total: Int?
        fileprivate var limit = 1_000
        fileprivate var rows = 0, bytes = 0
        fileprivate let begin = ContinuousClock.now

        init(total: Int?) { self.total = total }
    }

    /// Copies the rows of the store, or of one of its scopes, and follows changes until few are left.
    ///
    /// - Parameters:
    ///   - copied: The rows that the new store has; nil if it has nothing of the scope.
    ///   - base: The new store's record.
    ///   - scope: The scope; nil for a store without scopes.
    ///   - commits: The old store's commit count. While it is unchanged, tallies of the rows are kept; nil to
    ///     keep none.
    ///   - pace: The number of rows to read at once.
    /// - Returns: The record afterwards, and the tallies.
    /// - Throws: `carriedOutElsewhere` if another process is carrying out the switch; the errors of reading and
    ///   writing.
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
                    // A database would send for nothing what exceeds the memory.
                    Double(RowDelta.mostBytes) / Double(current.byteCount))
                pace.limit = Int(max(100, min(Double(current.newRows) * parts, 100_000)))
            }
        }
    }

    /// The old store's rows as read while they were copied, and the new store's as read afterwards.
    struct Passes: Sendable {
        /// The old store's commit count before the first row was read.
        let commits: Int
        let old: StoreSurvey
        let new: StoreDigest
    }

    /// Adds the constraints to the new store, unless it has them.
    ///
    /// Meanwhile it reads the new store's rows,
    /// and the rest of the old one's.
    ///
    /// - Parameter reading: The rows read of the old store; nil if the comparison will read all rows.
    /// - Returns: What was found.
    /// - Throws: `carriedOutElsewhere` if another attempt has taken over; the errors of reading and writing.
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
            // First: constraints that another process has added in between would be refused as duplicates.
            try tx.note(complete, after: copied, of: id)
            try tx.driver.maintenance.addConstraints()
        }
    }

    /// Fences the old store, for every process that has it open.
    ///
    /// - Returns: Whether this attempt has fenced it, rather than an earlier one.
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

    /// Makes the new store the active one: the commit point.
    ///
    /// - Parameter settled: The comparison, which the new store keeps for a resumption after an interruption.
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

    /// The new store's record.
    ///
    /// - Throws: `carriedOutElsewhere` if it belongs to another switch, or another attempt has taken over.
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

    /// Reports a copied part.
    private func tell(_ delta: RowDelta, _ pace: inout Pace) {
        pace.rows += delta.newRows
        pace.bytes += delta.byteCount
        guard let total = pace.total else { return }
        let copied = delta.copied.rows
        var told = SwitchProgress(
            phase: .copying, rows: copied, total: max(copied, total), elapsed: .now - start)
        let rate = Double(pace.rows) / max((ContinuousClock.now - pace.begin) / .seconds(1), 0.001)
        if rate > 0 {
            told.pace = SwitchProgress.Pace(
                rows: pace.rows, bytes: pace.bytes, rowsPerSecond: rate,
                remaining: .seconds(Double(told.total - copied) / rate))
        }
        progress(told)
    }

    func tell(_ phase: SwitchPhase, rows: Int, total: Int) {
        progress(
            SwitchProgress(phase: phase, rows: rows, total: max(rows, total), elapsed: .now - start))
    }
}

extension StoreMarker {
    /// Whether the store is fenced because a switch is about to be committed.
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
    /// Deletes all rows that the transaction sees, and what is kept of a history, without applying delete rules.
    func deleteAllRows() throws {
        for entity in schema.tables { _ = try driver.delete(from: entity, where: .constant(true)) }
    }
}
