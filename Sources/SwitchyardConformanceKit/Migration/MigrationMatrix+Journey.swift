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

    /// Expects the rows of a reference, and what became of new ones if there was a trial.
    func requireEqual(_ reference: MatrixOutcome) throws {
        for entity in reference.rows.schema.entities.map(\.name) {
            let (mine, theirs) = (rows.rows(of: entity), reference.rows.rows(of: entity))
            try RowDifference.requireEqual(mine.count, theirs.count, "the number of rows of \(entity)")
            guard mine == theirs || !Self.differOnlyInIDs(mine, theirs) else {
                throw RowDifference(
                    subject: "the ids of \(entity)",
                    expected:
                        "the same ones each time that the stage is run, as Identifier(derivedFrom:_:) makes them",
                    found: "others")
            }
            for (row, wanted) in zip(mine, theirs) {
                try RowDifference.requireEqual(row, wanted, "a row of \(entity)")
            }
            guard let trial else { continue }
            try RowDifference.requireEqual(
                trial.rows[entity], reference.trial?.rows[entity],
                "new rows of \(entity), changed and deleted")
        }
    }

    private static func differOnlyInIDs(_ rows: [[StoredValue]], _ others: [[StoredValue]]) -> Bool {
        func counts(_ rows: [[StoredValue]]) -> [ArraySlice<StoredValue>: Int] {
            Dictionary(rows.map { ($0.dropFirst(), 1) }, uniquingKeysWith: +)
        }
        return Set(rows.map(\.first)) != Set(others.map(\.first)) && counts(rows) == counts(others)
    }
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
        guard var version = versions.first else { return [] }
        var outcomes: [MatrixOutcome] = []
        do {
            try await backend.withPlace { open in
                if let rows {
                    try await open(rows.schema, OpenOptions()).closing {
                        try await rows.insert(into: $0)
                    }
                }
                for next in versions {
                    version = next
                    let store = try await plan.upTo(next).open(OpenOptions(), status: { _ in }, open)
                    outcomes.append(
                        try await store.closing { try await outcome(of: $0, isTried: isTried) })
                }
            }
        } catch {
            throw failure(rows, version, backend.name, error)
        }
        return outcomes
    }

    /// A few rows of every entity, which no store has.
    func trialRows(of schema: Schema) -> SchemaRows {
        draw(schema, seed: seed &+ 1, from: 1_000_000, count: { _ in 3 }, values: values)
    }

    /// Looks at a store.
    func outcome(of store: any Store, isTried: Bool) async throws -> MatrixOutcome {
        let rows = try await SchemaRows(in: store)
        return MatrixOutcome(
            rows: rows,
            trial: isTried
                ? try await TrialOutcome(in: store, among: rows, new: trialRows(of: store.schema)) : nil,
            stages: try await store.marker().stages ?? [], faults: try await store.check())
    }

    /// Compares what was found with what the reference has, and checks what needs no reference.
    func compare(
        _ found: [MatrixOutcome], _ reference: [MatrixOutcome], _ before: SchemaRows?, _ backend: String
    ) throws {
        for (found, reference) in zip(found, reference) {
            do {
                try found.requireEqual(reference)
                try RowDifference.requireEqual(
                    found.stages.map { "\($0.from) to \($0.to), \($0.fingerprint)" },
                    stages(from: before?.schema.version ?? reference.version, to: reference.version),
                    "the stages in the marker")
                try RowDifference.requireEqual(found.faults, [], "what the check found")
                if let before { try expecting(before, found.rows) }
            } catch let difference as RowDifference {
                throw failure(before, reference.version, backend, difference)
            }
        }
    }

    /// The stages between two versions, as a marker lists them.
    private func stages(from first: SchemaVersion, to last: SchemaVersion) -> [String] {
        let passed = plan.schemas.filter { $0.version >= first && $0.version <= last }
        return zip(passed, passed.dropFirst()).map { older, newer in
            "\(older.version) to \(newer.version), \(newer.fingerprint)"
        }
    }

    /// Returns a failure that names what was tried; any other error than a difference or a store's is returned unchanged.
    func failure(
        _ before: SchemaRows?, _ version: SchemaVersion, _ backend: String, _ error: any Error
    ) -> any Error {
        let difference: RowDifference
        switch error {
        case let error as RowDifference: difference = error
        case let error as StoreError:
            difference = RowDifference(
                subject: "the store", expected: "no error", found: ShownValue.text(error))
        default: return error
        }
        return ConformanceFailure(
            requirement: before.map { "\(name) from \($0.schema.version) to \(version)" }
                ?? "\(name) in \(version)",
            backend: backend, subject: difference.subject, expected: difference.expected,
            found: difference.found)
    }
}
