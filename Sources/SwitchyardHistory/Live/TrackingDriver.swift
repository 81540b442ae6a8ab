internal import Foundation

/// Notes which entities are read.
final class TrackingDriver: InterceptingDriver {
    private let schema: Schema
    private let noted: Noted

    /// The entities that all views of a transaction have read, by their names in the store's schema.
    private final class Noted {
        let schema: Schema
        var entities: Set<String> = []

        init(_ schema: Schema) { self.schema = schema }
    }

    convenience init(_ base: any TransactionDriver, schema: Schema) {
        self.init(base, schema: schema, noted: Noted(schema))
    }

    private init(_ base: any TransactionDriver, schema: Schema, noted: Noted) {
        self.schema = schema
        self.noted = noted
        super.init(base)
    }

    var entities: Set<String> { noted.entities }

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        note(selection.entity)
        let conditions =
            [selection.condition]
            + selection.order.map { $0.reaching(.compare($0.value, .equal, .value(.null))) }
        for condition in conditions {
            for entity in condition.entities(besides: selection.entity, in: schema) { note(entity) }
        }
        try super.select(selection, onlyDoubtful: onlyDoubtful, body)
    }

    override func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        note(entity)
        try base.find(id, in: entity, body)
    }

    override func view(of schema: Schema) throws -> any TransactionDriver {
        TrackingDriver(try base.view(of: schema), schema: schema, noted: noted)
    }

    private func note(_ entity: Entity) {
        noted.entities.insert(noted.schema.entity(inTable: entity.table)?.name ?? entity.name)
    }
}

extension ReadTransaction {
    /// Runs a body, and returns with its result the names of the entities that it has read.
    func tracking<Value>(
        _ body: (ReadTransaction) throws -> Value
    ) throws -> (value: Value, entities: Set<String>) {
        let driver = TrackingDriver(driver, schema: schema)
        let value = try body(read(through: driver))
        return (value, driver.entities)
    }
}

extension Condition {
    /// The other entities on whose rows the condition depends; the recursion is as deep as the condition.
    func entities(besides entity: Entity, in schema: Schema) -> [Entity] {
        switch self {
        case .constant, .search: []
        case .all(let terms), .any(let terms): terms.flatMap { $0.entities(besides: entity, in: schema) }
        case .not(let inner): inner.entities(besides: entity, in: schema)
        case .compare(let lhs, _, let rhs), .match(let lhs, _, let rhs):
            lhs.entities(besides: entity, in: schema) + rhs.entities(besides: entity, in: schema)
        case .isIn(let operand, _): operand.entities(besides: entity, in: schema)
        case .exists(let name, let inner):
            entity.associated(name, in: schema).flatMap { [$0] + inner.entities(besides: $0, in: schema) }
        }
    }
}

extension Operand {
    fileprivate func entities(besides entity: Entity, in schema: Schema) -> [Entity] {
        switch self {
        // A driver receives the value of a figure over all rows, and the selection that calculated it.
        case .attribute, .folded, .value, .overall: []
        case .figure(_, let name, let inner):
            entity.associated(name, in: schema).flatMap { [$0] + inner.entities(besides: $0, in: schema) }
        case .referenced(let name, let inner):
            entity.associated(name, in: schema).flatMap { [$0] + inner.entities(besides: $0, in: schema) }
        case .arithmetic(let lhs, _, let rhs), .coalesce(let lhs, let rhs):
            lhs.entities(besides: entity, in: schema) + rhs.entities(besides: entity, in: schema)
        case .negated(let inner): inner.entities(besides: entity, in: schema)
        case .conditional(let test, let yes, let no):
            test.entities(besides: entity, in: schema) + yes.entities(besides: entity, in: schema)
                + no.entities(besides: entity, in: schema)
        }
    }
}

extension Entity {
    /// The entity that a relationship or a reference leads to, if there is one.
    fileprivate func associated(_ name: String, in schema: Schema) -> [Entity] {
        association(name).flatMap { schema.entity($0.target) }.map { [$0] } ?? []
    }
}
