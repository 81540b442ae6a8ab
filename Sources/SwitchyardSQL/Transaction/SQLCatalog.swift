public import SwitchyardCore

/// What a database tells of its tables, constraints and indexes, so that they can be compared with those that a
/// plan needs.
public protocol SQLCatalog {
    /// A column in the database's own words, such as the name or the number of its type.
    associatedtype Column: Equatable

    /// Whether a table or an index is there, and as it was made.
    ///
    /// A table that is `unlike` is compared column by column, so that a database which does not keep the
    /// statements that made its tables calls all of them that.
    func find(_ made: SQLMade) throws -> SQLFinding

    /// The columns of a table that is there, by name.
    func columns(of table: String) throws -> [String: Column]

    /// The column that a plan needs.
    ///
    /// - Parameters:
    ///   - type: The type of its values.
    ///   - isOptional: Whether it takes nil.
    ///   - keyPosition: Its place in the primary key, from 1; 0 if it is not part of it.
    /// - Returns: The column in the database's words.
    func column(_ type: AttributeType, isOptional: Bool, keyPosition: Int) -> Column

    /// Whether a table takes only values of its columns' types, where that can be otherwise.
    func isTyped(_ table: String) throws -> Bool

    /// The names of the constraints of a table that hold for all of its rows.
    func constraints(of table: String) throws -> Set<String>
}

extension SQLCatalog {
    /// Tables take nothing else.
    public func isTyped(_ table: String) throws -> Bool { true }
}

/// A table or an index as a plan makes it.
public struct SQLMade: Sendable {
    /// Its name.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// The statement that makes it.
    public let statement: String

    /// What is made.
    public enum Kind: String, Sendable {
        /// A table.
        case table
        /// An index.
        case index
        /// An index that refuses a second row with the same values.
        case uniqueIndex = "unique index"
    }

    init(table: String, _ statement: String = "") {
        (name, kind, self.statement) = (table, .table, statement)
    }

    init(index statement: String) {
        // The first name in quotation marks is that of the index; names hold none themselves.
        name = statement.split(separator: "\"", maxSplits: 2).dropFirst().first.map(String.init) ?? ""
        kind = statement.hasPrefix("CREATE UNIQUE") ? .uniqueIndex : .index
        self.statement = statement
    }
}

/// What a catalogue says of a table or an index.
public enum SQLFinding: Sendable {
    /// It is not there, or not complete.
    case missing
    /// It is there, but not as it was made, as far as one can see.
    case unlike
    /// It is as it was made.
    case same
}

extension SQLPlan {
    /// What is wrong with a store's tables and columns, without which no row can be read: a phrase each.
    ///
    /// - Throws: What the catalogue throws.
    public func columnFaults(in catalog: some SQLCatalog) throws -> [String] {
        var faults: [String] = []
        let tables = try schema.entities.map { SQLMade(table: $0.table, try sql.createTable($0.name)) }
        let own = [SQLGenerator.markerTable, SQLGenerator.operationTable].map { SQLMade(table: $0) }
        for made in tables + own {
            switch try catalog.find(made) {
            case .missing: faults.append("the table \(made.name) is missing")
            case .same: break
            case .unlike:
                guard let entity = schema.entity(inTable: made.name) else { continue }
                let found = try catalog.columns(of: made.name)
                for (name, expected) in neededColumns(of: entity, in: catalog) where found[name] != expected {
                    let fault = found[name] == nil ? "missing" : "not as it was made"
                    faults.append("the column \(made.name).\(name) is \(fault)")
                }
                if try !catalog.isTyped(made.name) {
                    faults.append("the table \(made.name) is not as it was made")
                }
            }
        }
        return faults
    }

    /// What is wrong with a store's keys, checks and indexes: a phrase each.
    ///
    /// - Throws: What the catalogue throws.
    public func constraintFaults(in catalog: some SQLCatalog) throws -> [String] {
        var faults: [String] = []
        for entity in schema.entities {
            let table = SQLMade(table: entity.table, try sql.createTable(entity.name))
            if try catalog.find(table) != .same {
                let found = try catalog.constraints(of: entity.table)
                faults += neededConstraints(of: entity).filter { !found.contains($0) }.map {
                    "the constraint \($0) is missing"
                }
            }
            for index in try sql.indexes(of: entity).map({ SQLMade(index: $0) }) {
                switch try catalog.find(index) {
                case .missing: faults.append("the \(index.kind.rawValue) \(index.name) is missing")
                case .unlike: faults.append("the \(index.kind.rawValue) \(index.name) is not as it was made")
                case .same: break
                }
            }
        }
        return faults
    }

    private func neededColumns<Catalog: SQLCatalog>(
        of entity: Entity, in catalog: Catalog
    ) -> [(String, Catalog.Column)] {
        let scope = sql.isScoped ? StoreScope.attribute : nil
        let attributes = entity.attributes.flatMap { attribute -> [(String, Catalog.Column)] in
            let column = catalog.column(
                attribute.type, isOptional: attribute.isOptional,
                keyPosition: attribute.name == "id" ? (scope == nil ? 1 : 2) : 0)
            return [(attribute.column, column)]
                + (attribute.isSearchable ? [(attribute.searchColumn, column)] : [])
        }
        let column = scope.map {
            ($0.column, catalog.column($0.type, isOptional: false, keyPosition: 1))
        }
        return (column.map { [$0] } ?? []) + attributes
    }

    private func neededConstraints(of entity: Entity) -> [String] {
        let attributes = entity.attributes.flatMap { attribute -> [String] in
            let isChecked =
                attribute.cases?.isEmpty == false || attribute.domain != nil
                || sql.dialect.columnChecks[attribute.type] != nil
            let isForeignKey = attribute.reference != nil && !sql.isScoped
            return (!isForeignKey ? [] : [ConstraintName.reference(attribute, of: entity)])
                + (isChecked ? [ConstraintName.check(attribute, of: entity)] : [])
        }
        return [ConstraintName.primaryKey(of: entity)] + attributes
    }
}
