internal import Foundation

/// A driver that wraps the one of a read and notes which entities are read.
final class TrackingDriver: TransactionDriver {
    private let base: any TransactionDriver
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
        self.base = base
        self.schema = schema
        self.noted = noted
    }

    var entities: Set<String> { noted.entities }
    var scopes: [StoreScope] { base.scopes }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        note(selection.entity)
        for entity in selection.condition.entities(besides: selection.entity, in: schema) { note(entity) }
        try base.select(selection, body)
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        note(entity)
        try base.find(id, in: entity, body)
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        TrackingDriver(try base.view(of: schema), schema: schema, noted: noted)
    }

    func marker() throws -> StoreMarker { try base.marker() }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int { throw Self.notAWrite }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int { throw Self.notAWrite }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        throw Self.notAWrite
    }

    func savepoint(_ depth: Int) throws { throw Self.notAWrite }
    func release(savepoint depth: Int) throws { throw Self.notAWrite }
    func rollback(toSavepoint depth: Int) throws { throw Self.notAWrite }
    func record(_ operation: OperationID) throws { throw Self.notAWrite }
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try base.operations(after: last, limit: limit)
    }
    func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        try base.scopes(after: last, limit: limit)
    }
    func adopt(_ operations: [CommittedOperation]) throws { throw Self.notAWrite }
    func setMarker(_ marker: StoreMarker) throws { throw Self.notAWrite }
    func addConstraints() throws { throw Self.notAWrite }
    func removeConstraints() throws { throw Self.notAWrite }

    private static var notAWrite: StoreError { StoreError(.unsupported, "A read cannot change anything.") }

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
        let value = try body(ReadTransaction(schema: schema, driver: driver, sharing: progress))
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
        case .attribute, .value: []
        case .count(let name): entity.associated(name, in: schema)
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
