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
        (self.older, self.newer) = (older, newer)
        steps = try StageSteps(stage.steps)
        rewrites = steps.rewrites + (stage.rewrite.map { [$0] } ?? [])
        changes = try older.changes(to: newer, renaming: steps.renames)
        let missing = steps.missing(among: changes, from: older, to: newer)
        guard missing.isEmpty else {
            throw fault(
                "does not say what becomes of all values. "
                    + missing.map(\.description).joined(separator: " "))
        }
        if let name = steps.rewritten.sorted().first(where: { newer.entity($0) == nil }) {
            throw fault("rewrites \(name), which version \(newer.version) does not have.")
        }
        if stage.rewrite == nil, let name = steps.rewrittenByStage.min() {
            throw fault("rewrites \(name) without code for it; make it a custom stage.")
        }
        guard
            stage.rewrite == nil || !steps.rewrittenByStage.isEmpty
                || changes.contains(where: { $0.part == nil && $0.kind == .added })
        else {
            throw fault("has code that can write nothing; name the models that it rewrites with .rewrite.")
        }
        if let part = steps.unused(among: changes, from: older, to: newer).first {
            throw fault("says something of \(part), which needs nothing; remove that step.")
        }
    }

    private func fault(_ message: String) -> StoreError {
        StoreError(.schemaInvalid, "The stage from \(older.version) to \(newer.version) \(message)")
    }
}
