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
            try tx.schema.entities.reduce(0) { $0 + (try tx.countRows(of: $1.name)) }
        }
        var (limit, rounds) = (1_000, 0)
        while rounds < Self.mostRounds {
            let begin = ContinuousClock.now
            let delta = try await copy(limit: limit)
            tell(.copying, rows: delta.copied.rows, total: total)
            if delta.isLast {
                if delta.changedRows < Self.fewRows { return }
                rounds += 1
            }
            if delta.newRows == limit {
                let seconds = max((ContinuousClock.now - begin) / .seconds(1), 0.001)
                limit = Int(max(100, min(Double(limit) * Self.partTime / seconds, 100_000)))
            }
        }
    }

    /// Adds the constraints to the new store, unless it has them.
    func addConstraints() async throws {
        let copied = try await copied()
        if copied.hasConstraints { return }
        tell(.indexing, rows: copied.rows, total: copied.rows)
        try await new.write { [id] tx in
            try tx.driver.addConstraints()
            var complete = copied
            complete.hasConstraints = true
            try tx.note(complete, after: copied, of: id)
        }
    }

    /// Copies what was changed last, and compares both stores as of one snapshot of the old one.
    ///
    /// Once the old store is fenced, this finds what was written past it in the meantime.
    ///
    /// - Throws: `verification` if they differ.
    func verify() async throws -> VerificationReport {
        let copied = try await copied()
        tell(.verifying, rows: copied.rows, total: copied.rows)
        let (delta, first) = try await old.read { tx in
            (try RowDelta(tx, after: copied, limit: .max), try StoreSurvey(of: tx))
        }
        try await write(delta)
        let second = try await new.read { try StoreSurvey(of: $0) }
        let report = try await StoreComparison(first: first, second: second, old, new).report()
        guard report.isEqual else {
            let entities = report.entities.filter { !$0.isEqual }.map(\.entity).joined(separator: ", ")
            throw StoreError(
                .verification,
                "The copy is not the same as the store, in \(entities): somebody has written past it. Abort the switch, and "
                    + "begin it again; nothing was changed in the old store.")
        }
        return report
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

    private func copy(limit: Int) async throws -> RowDelta {
        let copied = try await copied()
        let delta = try await old.read { try RowDelta($0, after: copied, limit: limit) }
        try await write(delta)
        return delta
    }

    private func write(_ delta: RowDelta) async throws {
        try await new.write { [id] tx in try delta.write(to: tx, of: id) }
    }

    private func tell(_ step: SwitchProgress.Step, rows: Int, total: Int) {
        progress(
            SwitchProgress(step: step, rows: rows, total: max(rows, total), elapsed: .now - start))
    }
}
