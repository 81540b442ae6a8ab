internal import Foundation

/// Rows by the names of their columns, for storage that keeps them elsewhere, such as in files.
extension Snapshot {
    /// Hands over the rows of a table, ascending by id, each as its values by column; nil is left out.
    ///
    /// - Throws: `schemaMismatch` for a table that the schema does not have; what the body throws.
    public func forEachRow(
        inTable table: String, _ body: ([String: StoredValue]) throws -> Void
    ) throws {
        let position = try position(ofTable: table)
        let columns = schema.entities[position].attributes.map(\.column)
        try tables[position].rows.forEach { row in
            let values = zip(columns, row.values).filter { !$1.isNull }
            try body(Dictionary(values, uniquingKeysWith: { first, _ in first }))
            return true
        }
    }

    /// Takes rows, each as its values by column, in the place of those of a table.
    ///
    /// A value must have its attribute's type. Whether it is one of an enum's cases, and whether references
    /// point at rows, is left to `Store.check()`.
    ///
    /// - Throws: `schemaMismatch` for a table that the schema does not have; `corrupted`, naming attribute and
    ///   row, for rows that cannot be those of the table.
    public mutating func setRows(
        _ rows: some Sequence<[String: StoredValue]>, inTable table: String
    ) throws {
        let position = try position(ofTable: table)
        let entity = schema.entities[position]
        let rules = try RowRules(entity, schema: schema)
        let columns = RowColumns(entity)
        var table = SnapshotTable(entity)
        do {
            for (number, row) in rows.enumerated() {
                try table.add(try columns.values(of: row, number: number + 1), rules: rules)
            }
        } catch let error as StoreError where error.code == .unique {
            throw StoreError(
                .corrupted, "The store holds two rows that may not be together. \(error.message)",
                entity: entity.name, attribute: error.attribute, constraint: error.constraint)
        }
        tables[position] = table
    }

    /// Takes the rows that another snapshot has in a table, which costs nothing.
    ///
    /// - Throws: `schemaMismatch` unless both have the same schema and the table.
    public mutating func setRows(of other: Snapshot, inTable table: String) throws {
        guard schema == other.schema else {
            throw StoreError(.schemaMismatch, "The rows of another schema cannot be taken as they are.")
        }
        let position = try position(ofTable: table)
        tables[position] = other.tables[position]
    }
}

/// The columns of an entity, for rows that come from outside.
private struct RowColumns {
    private let entity: Entity
    private let names: Set<String>
    private let searchable: [Int]

    init(_ entity: Entity) {
        self.entity = entity
        names = Set(entity.attributes.map(\.column))
        searchable = entity.attributes.indices.filter { entity.attributes[$0].isSearchable }
    }

    /// The row in the layout in which drivers get it.
    ///
    /// - Throws: `corrupted`.
    func values(of row: [String: StoredValue], number: Int) throws -> [StoredValue] {
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
            throw corrupted("a value for `\(stranger)`, which is no column,", nil)
        }
        var writer = RowWriter(context: entity.rowContext)
        for attribute in entity.attributes {
            let value = row[attribute.column] ?? .null
            guard value.type == attribute.type || value.isNull && attribute.isOptional else {
                let found = value.type.map { "a value of type \($0)" } ?? "no value"
                throw corrupted("\(found) where one of type \(attribute.type) belongs", attribute)
            }
            do {
                try writer.write(value)
            } catch let error as StoreError {
                throw corrupted("what cannot be stored (\(error.message))", attribute)
            }
        }
        let values = try writer.storedValues(of: entity)
        return values + searchable.map { values[$0].folded }
    }
}
