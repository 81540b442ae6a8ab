internal import Foundation

/// Rows by column name, for storage that keeps them elsewhere, such as in files.
extension Snapshot {
    /// A row: its values by column, nulls left out.
    public typealias Row = [String: StoredValue]

    /// Calls the body with each row of a table, ascending by id.
    ///
    /// - Throws: `schemaMismatch` for a table that the schema does not have; what the body throws.
    public func forEachRow(inTable table: String, _ body: (Row) throws -> Void) throws {
        let position = try position(ofTable: table)
        let columns = schema.tables[position].attributes.map(\.column)
        try tables[position].rows.forEach { row in
            let values = zip(columns, row.values).filter { !$1.isNull }
            try body(Dictionary(values, uniquingKeysWith: { first, _ in first }))
            return true
        }
    }

    /// Replaces the rows of a table by others.
    ///
    /// A value must have its attribute's type. `Store.check()` checks the cases of enums and the targets of references.
    ///
    /// - Throws: `schemaMismatch` for a table that the schema does not have; `corrupted`, naming attribute and
    ///   row, for rows that do not fit the table.
    public mutating func setRows(_ rows: some Sequence<Row>, inTable table: String) throws {
        let position = try position(ofTable: table)
        let entity = schema.tables[position]
        let rules = try EntityRules(entity, schema: schema)
        let columns = RowColumns(entity)
        var table = SnapshotTable(entity)
        do {
            for (number, row) in rows.enumerated() {
                try table.add(try columns.values(of: row, number: number + 1), rules: rules)
            }
        } catch let error as StoreError where error.code == .unique {
            throw StoreError(
                .corrupted, "The store holds two rows that violate a unique constraint. \(error.message)",
                entity: entity.name, attribute: error.attribute, constraint: error.constraint)
        }
        tables[position] = table
    }

    /// Replaces the rows of a table by those of another snapshot, which costs nothing.
    ///
    /// - Throws: `schemaMismatch` unless both snapshots have the same schema, and the schema has the table.
    public mutating func setRows(of other: Snapshot, inTable table: String) throws {
        guard schema == other.schema else {
            throw StoreError(.schemaMismatch, "The rows of a snapshot with another schema cannot be used.")
        }
        let position = try position(ofTable: table)
        tables[position] = other.tables[position]
    }
}

/// The columns of an entity, for checking rows that come from outside.
private struct RowColumns {
    private let entity: Entity
    private let names: Set<String>
    private let searchable: [Int]

    init(_ entity: Entity) {
        self.entity = entity
        names = Set(entity.attributes.map(\.column))
        searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
    }

    /// Returns the row in the layout that drivers receive.
    ///
    /// - Throws: `corrupted`.
    func values(of row: Snapshot.Row, number: Int) throws -> [StoredValue] {
        var place = "row number \(number)"
        if case .uuid(let id) = row[entity.attributes[0].column] {
            place = "the row \(id.uuidString.lowercased())"
        }
        func corrupted(_ what: String, _ attribute: Attribute?) -> StoreError {
            StoreError(
                .corrupted, "The store holds \(what) in \(place).", entity: entity.name,
                attribute: attribute?.name)
        }
        if let stranger = row.keys.filter({ !names.contains($0) }).min() {
            throw corrupted("a value for `\(stranger)`, which is not a column,", nil)
        }
        var writer = RowWriter(context: entity.errorContext)
        for attribute in entity.attributes {
            let value = row[attribute.column] ?? .null
            guard value.type == attribute.type || value.isNull && attribute.isOptional else {
                let found = value.type.map { "a value of type \($0)" } ?? "no value"
                throw corrupted("\(found) where one of type \(attribute.type) belongs", attribute)
            }
            do {
                try writer.write(value)
            } catch let error as StoreError {
                throw corrupted("a value that cannot be stored (\(error.message))", attribute)
            }
        }
        let values = try writer.storedValues(of: entity)
        return values + searchable.map { values[$0].folded }
    }
}
