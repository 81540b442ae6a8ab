/// A stage with its changes worked out.
struct PlannedStage: Sendable {
    let older: Schema, newer: Schema
    let steps: StageSteps
    /// The code that writes rows, in order.
    let rewrites: [MigrationStage.Rewrite]
    let changes: [SchemaChange]
    /// The unique constraints that the tables get once rows have made way for them.
    let awaited: [AwaitedConstraint]

    /// Compares the two versions of a stage, and checks that its steps cover exactly what is open.
    ///
    /// - Throws: `schemaInvalid`.
    init(_ stage: MigrationStage, from older: Schema, to newer: Schema) throws {
        let comparison = try StageComparison(stage.steps, from: older, to: newer)
        (self.older, self.newer) = (older, newer)
        (steps, changes) = (comparison.steps, comparison.changes)
        rewrites = steps.rewrites + (stage.rewrite.map { [$0] } ?? [])
        awaited = comparison.awaited
        let missing = comparison.missing.map(\.description)
        guard missing.isEmpty else {
            throw fault("does not account for all values. " + missing.joined(separator: " "))
        }
        let faults =
            comparison.undeclaredMerges.map(\.fault) + comparison.faults(hasCode: stage.rewrite != nil)
        if let reason = faults.first { throw fault(reason) }
    }

    /// The stage as a driver is asked about it.
    var step: SchemaStep { SchemaStep(from: older, to: newer, tableChanges) }

    /// Whether rows of an entity are deleted because others stay in their place.
    func mergesRows(of entity: String) -> Bool {
        awaited.contains { $0.entity.name == entity && $0.mergesRows }
    }

    private func fault(_ message: String) -> StoreError {
        StoreError(.schemaInvalid, "The stage from \(older.version) to \(newer.version) \(message)")
    }
}
