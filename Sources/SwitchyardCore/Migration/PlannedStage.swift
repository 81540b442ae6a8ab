/// A stage of which it is known what it changes.
struct PlannedStage: Sendable {
    let older: Schema, newer: Schema
    let steps: StageSteps
    /// The code that writes rows, in order.
    let rewrites: [MigrationStage.Rewrite]
    let changes: [SchemaChange]

    /// Compares the two versions of a stage, and checks that its steps say what is missing, and nothing else.
    ///
    /// - Throws: `schemaInvalid`.
    init(_ stage: MigrationStage, from older: Schema, to newer: Schema) throws {
        let comparison = try StageComparison(stage.steps, from: older, to: newer)
        (self.older, self.newer) = (older, newer)
        (steps, changes) = (comparison.steps, comparison.changes)
        rewrites = steps.rewrites + (stage.rewrite.map { [$0] } ?? [])
        let missing = comparison.missing.map(\.description)
        guard missing.isEmpty else {
            throw fault("does not say what becomes of all values. " + missing.joined(separator: " "))
        }
        if let reason = comparison.faults(hasCode: stage.rewrite != nil).first { throw fault(reason) }
    }

    private func fault(_ message: String) -> StoreError {
        StoreError(.schemaInvalid, "The stage from \(older.version) to \(newer.version) \(message)")
    }
}
