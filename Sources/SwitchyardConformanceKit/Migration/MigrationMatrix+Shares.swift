internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What one scope of a store has, and what must be in it after a migration.
struct MatrixShare: Sendable {
    let rows: SchemaRows
    let reference: MatrixOutcome
}

extension MigrationMatrix {
    /// The rows of two scopes, for each version to which a store with scopes and a history is migrated: the next one, and from
    /// the first the last, too.
    ///
    /// Some rows of the second scope have the ids of rows in the first, and other values.
    ///
    /// - Parameters:
    ///   - own: The rows of the first scope.
    ///   - start: The version that the store has.
    ///   - outcomes: What the reference makes of these rows, in each later version.
    ///   - memory: The reference.
    /// - Returns: The share of each scope, for each of these versions.
    /// - Throws: `ConformanceFailure` if the reference does not work.
    func shares(
        _ own: SchemaRows, from start: Schema, _ outcomes: [MatrixOutcome], on memory: Backend
    ) async throws -> [[MatrixShare]] {
        var ends = Array(outcomes.prefix(1))
        if start.version == plan.schemas.first?.version { ends += outcomes.dropFirst().suffix(1) }
        let ids = own.rows.mapValues { rows in rows.map { $0[0] } }
        let beside = draw(
            start, seed: seed &+ 2, count: { _ in max(1, rows / 20) },
            values: { [values] entity, attribute, number in
                if let given = values(entity, attribute, number) { return given }
                guard attribute.name == "id", number.isMultiple(of: 2) else { return nil }
                return ids[entity.name]?.dropFirst(number).first
            })
        let others = try await journey(beside, on: memory, to: ends.map(\.version))
        return zip(ends, others).map {
            [MatrixShare(rows: own, reference: $0), MatrixShare(rows: beside, reference: $1)]
        }
    }

    /// Migrates a store that keeps a history, with the rows of each share in a scope of its own; those of the first alone
    /// where there are no scopes.
    ///
    /// - Throws: `ConformanceFailure` if a scope has other rows afterwards than the reference, or another history of what was
    ///   done before.
    func verifyShares(_ shares: [MatrixShare], on backend: Backend) async throws {
        let scoped = shares.prefix(backend.hasScopes ? 2 : 1).map { share in
            (share, OpenOptions(scope: backend.hasScopes ? StoreScope() : nil, keepsHistory: true))
        }
        guard let (first, options) = scoped.first else { return }
        let plan = try plan.upTo(first.reference.version)
        let manner = "\(backend.name), with a history" + (backend.hasScopes ? " in two scopes" : "")
        do {
            try await backend.withPlace { open in
                var told: [[ToldTransaction]] = []
                for (share, options) in scoped {
                    told.append(
                        try await open(share.rows.schema, options).closing {
                            try await write(share.rows, into: $0)
                        })
                }
                try await plan.open(options, status: { _ in }, open).close()
                for (number, (share, options)) in scoped.enumerated() {
                    try await open(plan.schema, options).closing { store in
                        // The first scope is the one in which the store was opened.
                        let stages = number == 0 ? try await store.marker().stages ?? [] : []
                        try await requireHistory(told[number], stages, in: store)
                        let found = try await outcome(of: store, isTried: true)
                        try compare([found], [share.reference], share.rows, manner)
                    }
                }
            }
        } catch {
            throw failure(first.rows, plan.schema.version, manner, error)
        }
    }

    /// Writes the rows, and others that are changed and deleted.
    ///
    /// - Returns: The transaction as the history shows it.
    private func write(_ rows: SchemaRows, into store: any Store) async throws -> [ToldTransaction] {
        try await rows.insert(into: store)
        _ = try await TrialOutcome(
            in: store, among: try await SchemaRows(in: store), new: trialRows(of: store.schema))
        let told = try await history(of: store)
        let kept = store.schema.entities.filter { !$0.isLeftOutOfHistory }
        try RowDifference.requireEqual(
            told.first?.changes.count ?? 0, kept.map { rows.rows(of: $0.name).count }.reduce(0, +),
            "the number of changes in the first transaction of the history")
        try RowDifference.requireEqual(
            told.filter { !store.schema.fingerprint.hasPrefix($0.fingerprint) }.count, 0,
            "the number of transactions of the history that have another schema")
        return told
    }

    /// Expects the history from before the migration, followed by its stages.
    private func requireHistory(
        _ told: [ToldTransaction], _ stages: [AppliedStage], in store: any Store
    ) async throws {
        let all = try await history(of: store)
        for (found, expected) in zip(all, told) {
            try RowDifference.requireEqual(found, expected, "a transaction of the history")
        }
        try RowDifference.requireEqual(
            all.dropFirst(told.count).map(\.description),
            stages.map { "migration, 0 changes, \($0.fingerprint.prefix(32))" },
            "the transactions of the history after \(told.count)")
    }

    private func history(of store: any Store) async throws -> [ToldTransaction] {
        try await store.read { tx in
            try tx.history().map {
                ToldTransaction(
                    id: $0.id, author: $0.author, fingerprint: $0.fingerprint, changes: try $0.changes.all())
            }
        }
    }
}

/// A transaction as the history tells it.
private struct ToldTransaction: Hashable, CustomStringConvertible {
    let id: UUID
    let author: String?
    let fingerprint: String
    let changes: [HistoryChange]

    var description: String { "\(author ?? "nobody"), \(changes.count) changes, \(fingerprint)" }
}
