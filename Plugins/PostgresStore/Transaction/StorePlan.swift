internal import SwitchyardCore
internal import SwitchyardSQL

/// What a store works out once about its schema, so that no transaction has to.
struct StorePlan: Sendable {
    let sql: SQLGenerator
    private let entities: [String: EntityPlan]

    var schema: Schema { sql.schema }

    /// Works out the statements for tables in a namespace of the database.
    init(_ schema: Schema, namespace: String) throws {
        let sql = SQLGenerator(dialect: .postgres, schema: schema, namespace: namespace)
        self.sql = sql
        entities = Dictionary(
            uniqueKeysWithValues: try schema.entities.map { ($0.name, try EntityPlan($0, sql: sql)) })
    }

    func entity(_ name: String) throws -> EntityPlan {
        guard let plan = entities[name] else { throw schema.unknownEntity(name) }
        return plan
    }
}

/// The texts, types and names of one entity.
final class EntityPlan: Sendable {
    /// What readers of whole rows need to name a fault.
    let context: RowContext
    /// The types of a whole row's columns.
    let types: [WireType]
    /// The types of a row as it is inserted: with the folded copies behind.
    let insertTypes: [WireType]
    /// The text that finds a row by its id.
    let find: String
    /// The text that inserts one row.
    let insert: String
    /// The text that takes rows in bulk.
    let copy: String

    init(_ entity: Entity, sql: SQLGenerator) throws {
        context = entity.rowContext
        types = entity.attributes.map { WireType($0.type) }
        let insertion = try sql.insert(into: entity.name, onConflict: .fail)
        insertTypes = insertion.types.map { WireType($0) }
        insert = insertion.text
        find = try sql.find(in: entity.name)
        copy = try sql.copyIn(entity.name)
    }
}

extension Parameters {
    /// Takes the parameters of a statement.
    init(_ statement: SQLStatement) throws {
        self.init()
        for parameter in statement.parameters {
            switch parameter {
            case .value(let value, let type): try append(value, as: WireType(type))
            case .list(let values, let type): try append(values, arrayOf: WireType(type))
            }
        }
    }
}
