internal import SwitchyardCore

/// What the rows of an entity must fulfil one by one, with columns and filters looked up once for a
/// transaction.
struct TableRules {
    let entity: Entity
    let unique: [UniqueRule]
    private let required: [Int]
    private let enumerations: [(column: Int, cases: Set<StoredValue>)]

    init(_ entity: Entity, schema: Schema) throws {
        self.entity = entity
        required = entity.attributes.indices.filter { !entity.attributes[$0].isOptional }
        enumerations = entity.attributes.enumerated().compactMap { column, attribute in
            attribute.cases.map { (column, Set($0)) }
        }
        unique = try entity.uniqueConstraints.map { try UniqueRule($0, entity: entity, schema: schema) }
    }

    /// Checks that required attributes have a value and enums one of their cases.
    func check(_ values: [StoredValue]) throws {
        for column in required where values[column].isNull {
            throw StoreError(
                .notNull, "The attribute needs a value.", entity: entity.name,
                attribute: entity.attributes[column].name)
        }
        for (column, cases) in enumerations where !values[column].isNull && !cases.contains(values[column]) {
            throw StoreError(
                .check, "The value is no case of the enum.", entity: entity.name,
                attribute: entity.attributes[column].name,
                constraint: ConstraintName.check(entity.attributes[column], of: entity))
        }
    }

    func id(of values: [StoredValue]) throws -> RowID {
        guard let first = values.first, let id = RowID(first) else {
            throw StoreError(.corrupted, "A row has no id.", entity: entity.name, attribute: "id")
        }
        return id
    }

    var duplicateID: StoreError {
        StoreError(
            .unique, "A row with this id is there already.", entity: entity.name, attribute: "id",
            constraint: ConstraintName.primaryKey(of: entity))
    }

    func duplicate(_ rule: UniqueRule) -> StoreError {
        let attributes = rule.constraint.attributes
        return StoreError(
            .unique, "Another row has the same \(attributes.joined(separator: ", ")) already.",
            entity: entity.name,
            attribute: attributes.count == 1 ? attributes[0] : nil,
            constraint: rule.constraint.name(in: entity))
    }
}

/// A unique constraint, ready to be asked for the keys of rows.
struct UniqueRule {
    let constraint: UniqueConstraint
    private let columns: [Int]
    private let filter: RowTest?

    init(_ constraint: UniqueConstraint, entity: Entity, schema: Schema) throws {
        self.constraint = constraint
        columns = constraint.attributes.compactMap { name in entity.attributes.firstIndex { $0.name == name }
        }
        // A filter is about the row alone; it never asks for others.
        filter = try constraint.filter.map { try RowTest($0, entity: entity, schema: schema) { _, _ in } }
    }

    /// The key of a row; nil if the constraint does not concern it.
    func key(of values: [StoredValue]) throws -> [StoredValue]? {
        let key = columns.map { values[$0] }
        if constraint.nilsAreDistinct, key.contains(where: \.isNull) { return nil }
        if let filter, try !filter.holds(values) { return nil }
        return key
    }
}
