internal import Foundation
internal import SwitchyardCore

/// The steps of a move, with both stores open.
///
/// Each is one transaction in one of the stores, or several that can be repeated.
struct MoveWork: Sendable {
    /// The name under which a move follows the old store's history, so that nothing is pruned that it has yet to read.
    static let consumer = "switchyard.move"
    /// How long one part should take.
    private static let partTime = 0.35
    /// The number of changed rows that are few enough for the old store to wait while they are copied.
    private static let fewRows = 500
    /// How often changes are followed before the old store has to wait for more than a few.
    private static let mostRounds = 20

    let old: any Store
    let new: any Store
    let progress: @Sendable (MoveProgress) -> Void
    private let start = ContinuousClock.now

    init(old: any Store, new: any Store, progress: @escaping @Sendable (MoveProgress) -> Void) {
        self.old = old
        self.new = new
        self.progress = progress
    }

    /// Prepares the new store, unless this move has done so before.
    func prepare(_ move: StoreMove, peer: String) async throws {
        let found = try await new.marker().move
        if found?.id == move.id { return }
        let token = try await old.write { tx in
            let token = try tx.historyToken()
            try tx.setHistoryToken(token, ofConsumer: Self.consumer)
            return token
        }
        var record = StoreMove(id: move.id, state: .copying, peer: peer)
        record.copied = StoreMove.Copied(token: token)
        try await new.write { [record] tx in
            // What a move has left that was given up.
            if found?.copied?.hasConstraints == true { try tx.driver.removeConstraints() }
            for entity in tx.schema.entities {
                _ = try tx.driver.delete(from: entity, where: .constant(true))
            }
            try tx.updateMarker { $0.move = record }
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
            if delta.newRows == 0 {
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
        guard let copied = try await new.marker().move?.copied, !copied.hasConstraints else { return }
        tell(.indexing, rows: copied.rows, total: copied.rows)
        try await new.write { tx in
            try tx.driver.addConstraints()
            try tx.updateMove { $0.copied?.hasConstraints = true }
        }
    }

    /// Compares both stores as of one snapshot of the old one.
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
                "The copy is not the same as the store, in \(entities). Somebody may have written past the store. The old "
                    + "store remains the one to use; abort the move and begin it again.")
        }
        return report
    }

    /// Lets the old store take no more writes, whichever process has it open.
    func fence(successor: String) async throws {
        let copied = try await copied()
        tell(.fencing, rows: copied.rows, total: copied.rows)
        try await old.write(.ofMarker) { tx in
            try tx.updateMarker { marker in
                marker.role = .superseded
                marker.successor = successor
                marker.move?.state = .fenced
            }
        }
    }

    /// Copies what was changed before the old store was fenced, and compares it.
    ///
    /// - Throws: `verification` if it differs, or if a store has more rows than the other.
    func copyRest() async throws {
        let delta = try await copy(limit: .max)
        for (entity, ids) in zip(old.schema.entities, delta.changed) {
            let (mine, theirs) = (try await old.rows(ids, of: entity), try await new.rows(ids, of: entity))
            let (count, copied) = (try await count(of: entity, in: old), try await count(of: entity, in: new))
            guard mine == theirs, count == copied else {
                throw StoreError(
                    .verification,
                    "The copy is not the same as the store: somebody has written past it. The old store takes no writes until "
                        + "the move goes on or is aborted.", entity: entity.name)
            }
        }
    }

    /// Makes the new store the one to use: the point of no return.
    func commit() async throws {
        let marker = try await old.marker()
        try await new.write(.ofMarker) { tx in
            try tx.updateMarker { new in
                new.takeOver(
                    from: marker,
                    keepingHistory: marker.history?.isKept == true && marker.move?.startedHistory != true)
                new.move?.state = .committed
                new.move?.copied = nil
            }
        }
        let rows = try await new.read { tx in
            try tx.schema.entities.reduce(0) { $0 + (try tx.countRows(of: $1.name)) }
        }
        tell(.committed, rows: rows, total: rows)
    }

    private func count(of entity: Entity, in store: any Store) async throws -> Int {
        try await store.read { try $0.countRows(of: entity.name) }
    }

    private func copied() async throws -> StoreMove.Copied {
        guard let copied = try await new.marker().move?.copied else {
            throw StoreError(.corrupted, "The new store does not know what was copied. Abort the move.")
        }
        return copied
    }

    private func copy(limit: Int) async throws -> RowDelta {
        let copied = try await copied()
        let delta = try await old.read { try RowDelta($0, after: copied, limit: limit) }
        try await write(delta)
        return delta
    }

    private func write(_ delta: RowDelta) async throws { try await new.write { try delta.write(to: $0) } }

    private func tell(_ step: MoveProgress.Step, rows: Int, total: Int) {
        progress(
            MoveProgress(step: step, rows: rows, total: max(rows, total), elapsed: .now - start))
    }
}

extension Entity {
    /// Whether the history does not tell of every change of its rows.
    var leavesHistoryOut: Bool { attributes.contains { $0.history == .leftOut } }
}
