internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What became of a store in one version.
struct MatrixOutcome: Sendable {
    let rows: SchemaRows
    /// Nil where no trial was made.
    let trial: TrialOutcome?
    let stages: [AppliedStage]
    let faults: [String]

    var version: SchemaVersion { rows.schema.version }
}

extension MigrationMatrix {
    /// Fills a store with rows, and opens it in one version after the other.
    ///
    /// - Parameters:
    ///   - rows: The rows; nil for a store that is new in the first version.
    ///   - backend: Where it is made.
    ///   - versions: The versions.
    ///   - isTried: Whether new rows of every entity are written in each.
    /// - Returns: What was found in each.
    /// - Throws: `ConformanceFailure` if it does not work.
    func journey(
        _ rows: SchemaRows?, on backend: Backend, to versions: [SchemaVersion], isTried: Bool = true
    ) async throws -> [MatrixOutcome] {
        var outcomes: [MatrixOutcome] = []
        var version = rows?.schema.version ?? versions[0]
        do {
            try await backend.withPlace { open in
                if let rows {
                    try await Self.use(try await open(rows.schema, OpenOptions())) {
                        try await rows.insert(into: $0)
                    }
                }
                for next in versions {
                    version = next
                    let store = try await plan.upTo(next).open(OpenOptions(), status: { _ in }, open)
                    outcomes.append(
                        try await Self.use(store) { try await outcome(of: $0, isTried: isTried) })
                }
            }
        } catch let error as StoreError {
            throw ConformanceFailure(
                requirement: requirement(rows, version), backend: backend.name, subject: "the store",
                expected: "no error", found: ShownValue.text(error))
        } catch let failure as TrialFailure {
            throw ConformanceFailure(
                requirement: requirement(rows, version), backend: backend.name, subject: failure.subject,
                expected: failure.expected, found: failure.found)
        }
        return outcomes
    }

    private func outcome(of store: any Store, isTried: Bool) async throws -> MatrixOutcome {
        let rows = try await SchemaRows(in: store)
        return MatrixOutcome(
            rows: rows,
            trial: isTried
                ? try await TrialOutcome(in: store, among: rows, seed: seed, values: values) : nil,
            stages: try await store.marker().stages ?? [], faults: try await store.check())
    }

    /// Closes a store after the body.
    private static func use<Value>(
        _ store: any Store, _ body: (any Store) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(store)
            try await store.close()
            return value
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Compares what was found with what the reference has, and checks what needs no reference.
    func compare(
        _ found: [MatrixOutcome], _ reference: [MatrixOutcome], _ before: SchemaRows?, _ backend: String
    ) throws {
        for (found, reference) in zip(found, reference) {
            func require(_ isAsExpected: Bool, _ subject: String, _ expected: Any, _ found: Any) throws {
                guard !isAsExpected else { return }
                throw ConformanceFailure(
                    requirement: requirement(before, reference.version), backend: backend, subject: subject,
                    expected: ShownValue.text(expected), found: ShownValue.text(found))
            }
            for entity in reference.rows.schema.entities {
                let rows = found.rows.rows(of: entity.name)
                let expected = reference.rows.rows(of: entity.name)
                try require(
                    rows.count == expected.count, "the number of rows of \(entity.name)", expected.count,
                    rows.count)
                for (row, expected) in zip(rows, expected) where row != expected {
                    try require(false, "a row of \(entity.name)", expected, row)
                }
                let (mine, theirs) = (found.trial?.rows[entity.name], reference.trial?.rows[entity.name])
                try require(
                    mine == theirs, "new rows of \(entity.name), changed and deleted", theirs as Any,
                    mine as Any)
            }
            let first = before?.schema.version ?? reference.version
            let passed = plan.schemas.filter { $0.version >= first && $0.version <= reference.version }
            let stages = zip(passed, passed.dropFirst()).map { older, newer in
                "\(older.version) to \(newer.version), \(newer.fingerprint)"
            }
            let listed = found.stages.map { "\($0.from) to \($0.to), \($0.fingerprint)" }
            try require(listed == stages, "the stages in the marker", stages, listed)
            try require(found.faults.isEmpty, "what the check found", [String](), found.faults)
            if let before { try expecting(before, found.rows) }
        }
    }

    /// The plan and the versions, for failures.
    private func requirement(_ before: SchemaRows?, _ version: SchemaVersion) -> String {
        before.map { "\(name) from \($0.schema.version) to \(version)" } ?? "\(name) in \(version)"
    }
}
