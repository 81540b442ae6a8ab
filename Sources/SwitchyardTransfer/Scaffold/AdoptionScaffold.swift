internal import Foundation
internal import SwitchyardCore

/// The models and the adoption plan of a foreign database, as its tables and values suggest them.
///
/// Every value is read, so that the plan adopts the database as it is.
package struct AdoptionScaffold: Sendable {
    /// The schema of the models.
    package let schema: Schema
    /// The plan.
    package let plan: AdoptionPlan
    /// What the plan does.
    package let preview: AdoptionPreview
    /// What the plan does not keep of the database.
    package let losses: [ForeignFinding]
    let name: String
    let models: [ScaffoldModel]
    let skippedTables: [String]
    let location: String

    /// How often the plan is corrected by what a preview tells.
    private static let mostCorrections = 4

    /// Reads a database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - name: The name of the schema, such as `Recipes`.
    /// - Throws: `schemaInvalid` if no table has a primary key; the errors of reading.
    /// - Complexity: Reads every row several times.
    package init(of database: any ForeignDatabase, named name: String) async throws {
        let (found, skipped) = try await Cancellation.run { cancellation in
            try database.read { snapshot in
                let models = try ScaffoldModel.models(of: snapshot) { try cancellation.check() }
                let skipped = try snapshot.tables().filter { table in
                    table.isTable && table.purpose == nil && !models.contains { $0.table.name == table.name }
                }
                return (
                    models,
                    try skipped.map { table in
                        var rows = 0
                        try snapshot.forEachRow(of: table, []) { _ in
                            try cancellation.check()
                            rows += 1
                        }
                        return SkippedTable(name: table.name, rows: rows)
                    }
                )
            }
        }
        var models = found
        guard !models.isEmpty else {
            throw StoreError(
                .schemaInvalid,
                "\(database.location) has no table with a primary key, of which a model could be made.")
        }
        let tables = skipped.map(\.name)
        var (current, corrections) = (try await Self.tried(models, tables, database), 0)
        while corrections < Self.mostCorrections, ScaffoldModel.correct(&models, by: current.preview.faults) {
            current = try await Self.tried(models, tables, database)
            corrections += 1
        }
        (schema, plan, preview) = current
        losses = Self.losses(models, skipped, preview)
        var names = ScaffoldNames()
        self.name = names.model(name) + "Schema"
        (self.models, skippedTables, location) = (models, tables, database.location)
    }

    private static func tried(
        _ models: [ScaffoldModel], _ skipped: [String], _ database: any ForeignDatabase
    ) async throws -> (schema: Schema, plan: AdoptionPlan, preview: AdoptionPreview) {
        let schema = try Schema(version: SchemaVersion(1), entities: models.map(\.entity))
        let plan = try AdoptionPlan(
            schema: schema, models.map(\.adoptedTable) + skipped.map { .ignored($0) })
        return (schema, plan, try await plan.preview(database))
    }
}
