internal import SwitchyardCore
internal import SwitchyardSQL

/// What a store works out once about its schema, so that no transaction has to.
struct StorePlan: Sendable {
    let sql: SQLGenerator
    private let entities: [String: EntityPlan]

    var schema: Schema { sql.schema }

    init(_ schema: Schema) throws {
        let sql = SQLGenerator(dialect: .sqlite, schema: schema)
        self.sql = sql
        entities = Dictionary(
            uniqueKeysWithValues: try schema.entities.map { ($0.name, try EntityPlan($0, sql: sql)) })
    }

    func entity(_ name: String) throws -> EntityPlan {
        guard let plan = entities[name] else { throw schema.unknownEntity(name) }
        return plan
    }
}

/// The texts and names of one entity.
final class EntityPlan: Sendable {
    let columns: Int
    let context: RowContext
    let find: String
    let insert: String

    init(_ entity: Entity, sql: SQLGenerator) throws {
        columns = entity.attributes.count
        context = entity.rowContext
        find = try sql.find(in: entity.name)
        insert = try sql.insert(into: entity.name, onConflict: .fail).text
    }
}
