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

    private let id: UUID
    private let old: any Store
    private let new: any Store
    private let progress: @Sendable (SwitchProgress) -> Void
    private let start = ContinuousClock.now

    /// Prepares for the steps.
    ///
    /// - Parameters:
    ///   - id: The identity of the switch.
    ///   - old: The old store, as the one to use, or fenced by an earlier attempt.
    ///   - new: The new store, as a copy.
    ///   - progress: Is told how far the switch has come.
    init(
        id: UUID, old: any Store, new: any Store, progress: @escaping @Sendable (SwitchProgress) -> Void
    ) {
        self.id = id
        self.old = old
        self.new = new
        self.progress = progress
    }

    /// Prepares the new store, unless this switch has done so before.
    ///
    /// - Throws: `outOfService` if another switch has.
    func prepare(peer: String) async throws {
        let found = try await new.marker().switching
        if found?.id == id { return }
        let token = try await old.write { tx in
            let token = try tx.historyToken()
            try tx.setHistoryToken(token, ofConsumer: Self.consumer)
            return token
        }
        var record = SwitchRecord(id: id, state: .copying, peer: peer)
        record.copied = SwitchRecord.Copied(token: token)
        try await new.write { [record] tx in
            let left = try tx.driver.marker().switching
            guard left == found, left?.state ?? .aborted == .aborted else {
                throw StoreError.carriedOutElsewhere
            }
            // What a switch has left that was given up.
            if left?.copied?.hasConstraints == true { try tx.driver.removeConstraints() }
            for entity in tx.schema.entities {
                _ = try tx.driver.delete(from: entity, where: .constant(true))
            }
            try tx.updateMarker { $0.switching = record }
        }
    }

    /// Copies all rows, and follows what is changed meanwhile until few changes are left.
    func catchUp() async throws {
        let total = try await old.read { tx in
            try tx.counts().reduce(0, +)
        }
        let begin = ContinuousClock.now
        var (limit, rounds, rows, bytes) = (1_000, 0, 0, 0)
        var delta = try await read(after: try await copied(), limit: limit)
        while rounds < Self.mostRounds {
            let (start, current, size) = (ContinuousClock.now, delta, limit)
            // The next part is read while this one is written.
            async let next = read(after: current.copied, limit: size)
            try await write(current)
            rows += current.newRows
            bytes += current.byteCount
            tell(current, of: total, rows: rows, bytes: bytes, since: begin)
            if current.isLast {
                if current.changedRows < Self.fewRows { return }
                rounds += 1
            }
            delta = try await next
            if current.newRows == size {
                let seconds = max((ContinuousClock.now - start) / .seconds(1), 0.001)
                limit = Int(max(100, min(Double(size) * Self.partTime / seconds, 100_000)))
            }
        }
    }

    /// Adds the constraints to the new store, unless it has them.
    func addConstraints() async throws {
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
        fileprivate(set) var report: VerificationReport
        fileprivate var old: StoreSurvey, new: StoreSurvey
    }

    /// Copies what was changed last, and compares both stores as of one snapshot of the old one.
    ///
    /// - Throws: `verification` if they differ.
    func verify() async throws -> Verified {
        let copied = try await copied()
        tell(.verifying, rows: copied.rows, total: copied.rows)
        let last = try await read(after: copied, limit: .max)
        try await write(last)
        // Both are read at the same time. What was changed in between is then copied, and taken into account.
        async let first = old.read { tx in
            (try RowDelta(tx, after: last.copied, limit: .max), try StoreSurvey(of: tx))
        }
        async let second = new.read { try StoreSurvey(of: $0) }
        var (mine, theirs) = (try await first, try await second)
        let replaced = try await replacing(mine.0)
        theirs.replace(replaced.before, by: replaced.after)
        let report = try await StoreComparison(first: mine.1, second: theirs, old, new).report()
        guard report.isEqual else {
            throw Self.different(report.entities.filter { !$0.isEqual }.map(\.entity))
        }
        return Verified(report: report, old: mine.1, new: theirs)
    }

    /// Copies what was changed since a comparison, and compares that: the old store takes no more writes.
    ///
    /// - Throws: `verification` if a row that was changed, or the number of rows, is not the same.
    func settle(_ verified: Verified) async throws -> Verified {
        let copied = try await copied()
        tell(.settling, rows: copied.rows, total: copied.rows)
        let (delta, digests, counts) = try await old.read { tx in
            let delta = try RowDelta(tx, after: copied, limit: .max)
            return (delta, try tx.digests(ofEach: delta.changed), try tx.counts())
        }
        let replaced = try await replacing(delta)
        var verified = verified
        verified.old.replace(replaced.before, by: digests)
        verified.new.replace(replaced.before, by: replaced.after)
        let theirCounts = try await new.read { try $0.counts() }
        let (mine, theirs) = (verified.old.digests, verified.new.digests)
        verified.report = verified.report.updated(first: mine, second: theirs)
        let names = old.schema.entities.indices.filter { index in
            mine[index] != theirs[index] || counts[index] != theirCounts[index]
                || counts[index] != mine[index].count
        }.map { old.schema.entities[$0].name }
        guard names.isEmpty else { throw Self.different(names) }
        return verified
    }

    /// Reads the old store once more, which takes no writes, and compares it with what was copied.
    ///
    /// This finds what was written past it after it was compared, and before everybody had gone on to the new one.
    ///
    /// - Throws: `verification` if there is such a row.
    func audit(_ verified: Verified) async throws {
        let found = try await old.read { try StoreSurvey(of: $0) }
        let names = zip(old.schema.entities, zip(found.digests, verified.old.digests)).compactMap {
            $1.0 == $1.1 ? nil : $0.name
        }
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
    ///   afterwards.
    private func replacing(
        _ delta: RowDelta
    ) async throws -> (before: [[UUID: UInt128]], after: [[UUID: UInt128]]) {
        let before = try await new.read { try $0.digests(ofEach: delta.changed) }
        try await write(delta)
        return (before, try await new.read { try $0.digests(ofEach: delta.changed) })
    }

    private static func different(_ entities: [String]) -> StoreError {
        StoreError(
            .verification,
            "The copy is not the same as the store, in \(entities.joined(separator: ", ")): somebody has written past it. Abort the switch, and "
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
    func commit() async throws {
        let marker = try await old.marker()
        try await new.write(.ofMarker) { [id] tx in
            try tx.updateMarker { new in
                guard new.switching?.id == id, new.switching?.state == .copying else {
                    throw StoreError.carriedOutElsewhere
                }
                new.takeOver(
                    from: marker,
                    keepingHistory: marker.history?.isKept == true && marker.switching?.startedHistory != true
                )
                new.switching?.state = .committed
                new.switching?.copied = nil
            }
        }
        let rows = try await new.read { tx in
            try tx.schema.entities.reduce(0) { $0 + (try tx.countRows(of: $1.name)) }
        }
        tell(.committed, rows: rows, total: rows)
    }

    private func copied() async throws -> SwitchRecord.Copied {
        guard let record = try await new.marker().switching, record.id == id, let copied = record.copied
        else {
            throw StoreError.carriedOutElsewhere
        }
        return copied
    }

    private func read(after copied: SwitchRecord.Copied, limit: Int) async throws -> RowDelta {
        try await old.read { try RowDelta($0, after: copied, limit: limit) }
    }

    private func write(_ delta: RowDelta) async throws {
        try await new.write { [id] tx in try delta.write(to: tx, of: id) }
    }

    /// Tells of a part that was copied.
    private func tell(
        _ delta: RowDelta, of total: Int, rows: Int, bytes: Int, since begin: ContinuousClock.Instant
    ) {
        let copied = delta.copied.rows
        var told = SwitchProgress(
            step: .copying, rows: copied, total: max(copied, total), elapsed: .now - start)
        let rate = Double(rows) / max((ContinuousClock.now - begin) / .seconds(1), 0.001)
        if rate > 0 {
            told.pace = SwitchProgress.Pace(
                rows: rows, bytes: bytes, rowsPerSecond: rate,
                remaining: .seconds(Double(told.total - copied) / rate))
        }
        progress(told)
    }

    private func tell(_ step: SwitchProgress.Step, rows: Int, total: Int) {
        progress(
            SwitchProgress(step: step, rows: rows, total: max(rows, total), elapsed: .now - start))
    }
}

extension ReadTransaction {
    /// The digests of the rows with some ids, for each entity.
    fileprivate func digests(ofEach ids: [[UUID]]) throws -> [[UUID: UInt128]] {
        try zip(schema.entities, ids).map { try digests(of: $0, $1) }
    }

    /// The number of rows of each entity.
    fileprivate func counts() throws -> [Int] { try schema.entities.map { try countRows(of: $0.name) } }
}
