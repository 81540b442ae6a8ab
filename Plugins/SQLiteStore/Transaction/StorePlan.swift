internal import SwitchyardCore
internal import SwitchyardSQL

/// What a store works out once about its schema, so that no transaction has to.
struct StorePlan: Sendable {
    let schema: Schema
    let sql: SQLGenerator
    private let entities: [String: EntityPlan]

    init(_ schema: Schema) throws {
        self.schema = schema
        let sql = SQLGenerator(dialect: .sqlite, schema: schema)
        self.sql = sql
        var entities: [String: EntityPlan] = [:]
        for entity in schema.entities { entities[entity.name] = try EntityPlan(entity, sql: sql) }
        self.entities = entities
    }

    func entity(_ name: String) throws -> EntityPlan {
        if let plan = entities[name] { return plan }
        return try EntityPlan(try schema.require(name), sql: sql)
    }

    /// What readers of a selection's rows need to name a fault.
    func context(of selection: Selection) throws -> RowContext {
        let plan = try entity(selection.entity.name)
        if selection.columns.count == plan.columns, !selection.isAggregate { return plan.context }
        return RowContext(entity: selection.entity.name, attributes: selection.columns.map(\.name))
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

extension SelectedColumn {
    /// The attribute behind the column, for messages.
    fileprivate var name: String {
        switch self {
        case .attribute(let name), .group(.attribute(let name)), .group(.day(of: let name, offset: _)): name
        case .aggregate(.countOf(let name)), .aggregate(.sum(let name)), .aggregate(.minimum(let name)),
            .aggregate(.maximum(let name)):
            name
        case .aggregate(.count): "count"
        }
    }
}
