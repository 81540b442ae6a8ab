public import SwitchyardCore

/// The tables, constraints and indexes that a database reports, for comparison with those that a plan needs.
public protocol SQLCatalog {
    /// A column as the database describes it, such as by the name or number of its type.
    associatedtype Column: Equatable

    /// Whether a table or an index exists, unchanged since it was created.
    ///
    /// An `unlike` table is compared column by column. A database that does not keep its `CREATE TABLE` statements
    /// therefore reports all tables as `unlike`.
    func find(_ made: SQLMade) throws -> SQLFinding

    /// The columns of an existing table, by name.
    func columns(of table: String) throws -> [String: Column]

    /// The column that a plan needs.
    ///
    /// - Parameters:
    ///   - type: The type of its values.
    ///   - isOptional: Whether it allows null.
    ///   - keyPosition: Its position in the primary key, from 1; 0 if it is not part of it.
    /// - Returns: The column as the database describes it.
    func column(_ type: AttributeType, isOptional: Bool, keyPosition: Int) -> Column

    /// Whether a table only accepts values of its columns' types, in a database where that is optional.
    func isTyped(_ table: String) throws -> Bool

    /// The names of the constraints of a table that hold for all of its rows.
    func constraints(of table: String) throws -> Set<String>

    /// The names of all tables.
    var tables: Set<String> { get }

    /// The table to which each column refers that has a foreign key, by the name of the column.
    func references(of table: String) throws -> [String: String]

    /// Whether a constraint that a table has by its name is the one that a text defines, as far as can be told.
    func has(constraint: String, _ definition: String, of table: String) throws -> Bool

    /// Whether a column that a table has with the right type is the one that a text defines, as far as can be told.
    func has(column definition: String, of table: String) throws -> Bool

    /// The names that no new table or index can have: those of tables, views and indexes.
    var takenNames: Set<String> { get }

    /// What depends on tables, or belongs to them beside their columns: constraints, indexes, triggers, views, and foreign
    /// keys of tables that are not among them.
    func parts(of tables: Set<String>) throws -> [SQLPart]

    /// The names of the foreign keys that must go before the tables that they concern, by the names of their tables.
    var looseForeignKeys: [String: Set<String>] { get }
}

extension SQLCatalog {
    /// True: tables always enforce the types of their columns.
    public func isTyped(_ table: String) throws -> Bool { true }

    /// True: a column is described by its type.
    public func has(column definition: String, of table: String) throws -> Bool { true }

    /// Those of the tables.
    public var takenNames: Set<String> { tables }

    /// None: the database tells of nothing else.
    public func parts(of tables: Set<String>) throws -> [SQLPart] { [] }

    /// None: foreign keys are part of their tables.
    public var looseForeignKeys: [String: Set<String>] { [:] }
}

/// A table or an index as a plan creates it.
public struct SQLMade: Sendable {
    /// Its name.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// The statement that creates it.
    public let statement: String

    /// What the statement creates.
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
        // The first quoted name is that of the index; names contain no quotation marks.
        name = statement.split(separator: "\"", maxSplits: 2).dropFirst().first.map(String.init) ?? ""
        kind = statement.hasPrefix("CREATE UNIQUE") ? .uniqueIndex : .index
        self.statement = statement
    }
}

/// Something that depends on a table, or belongs to it, as a database's catalog tells it.
public struct SQLPart: Sendable, Hashable {
    /// The table.
    public let table: String
    /// What it is.
    public let kind: UnknownPart.Kind
    /// Its name.
    public let name: String
    /// The columns of the table that it needs.
    public let columns: Set<String>
    /// The statement that makes it again once its table was made anew; nil if the database keeps it, or cannot tell.
    public let statement: String?

    /// Creates a part.
    public init(
        table: String, kind: UnknownPart.Kind, name: String, columns: Set<String> = [],
        statement: String? = nil
    ) {
        self.table = table
        self.kind = kind
        self.name = name
        self.columns = columns
        self.statement = statement
    }
}

/// The state of a table or an index in a catalog.
public enum SQLFinding: Sendable {
    /// It does not exist, or is incomplete.
    case missing
    /// It exists, but may differ from what was created.
    case unlike
    /// It is unchanged since it was created.
    case same
}

extension SQLPlan {
    /// The faults of a store's tables and columns, without which no row can be read: a phrase each.
    ///
    /// - Throws: What the catalog throws.
    public func columnFaults(in catalog: some SQLCatalog) throws -> [String] {
        try columnFaults(of: schema.tables, in: catalog)
    }

    /// The statements that add what a store lacks that an earlier release has made: the origin of a transaction of the
    /// history, and the table of the mirror; none for any other.
    ///
    /// - Parameters:
    ///   - catalog: The store's tables.
    ///   - role: The role in which the store is opened: one that is `copying` gets its indexes later.
    /// - Returns: The statements, to be run in one transaction.
    /// - Throws: What the catalog throws.
    public func completion(in catalog: some SQLCatalog, role: StoreRole) throws -> [String] {
        let (history, mirror) = (HistoryAddition.entity, Entity.mirrorRecord)
        guard catalog.tables.contains(history.table) else { return [] }
        var statements: [String] = []
        func indexes(of entity: Entity) throws -> [String] {
            role == .copying ? [] : try sql.indexes(of: entity)
        }
        if let origin = history.attribute("origin"),
            try catalog.columns(of: history.table)[origin.column] == nil
        {
            let column = sql.columnDefinition(origin, of: history)
            statements.append("ALTER TABLE \(try sql.layout(history.name).table) ADD COLUMN \(column)")
            statements += try indexes(of: history)
        }
        if !catalog.tables.contains(mirror.table) {
            statements += try [sql.createTable(mirror.name)] + indexes(of: mirror)
        }
        return statements
    }

    /// The faults of the tables of some entities, and of those in which the store keeps what is its own.
    func columnFaults(of entities: [Entity], in catalog: some SQLCatalog) throws -> [String] {
        var faults: [String] = []
        let tables = try entities.map { SQLMade(table: $0.table, try sql.createTable($0.name)) }
        let own =
            ([SQLGenerator.markerTable, SQLGenerator.operationTable]
            + (sql.dialect.queuesWriters ? [SQLGenerator.queueTable] : [])).map { SQLMade(table: $0) }
        for made in tables + own {
            switch try catalog.find(made) {
            case .missing: faults.append("the table \(made.name) is missing")
            case .same: break
            case .unlike:
                guard let entity = schema.tables.first(where: { $0.table == made.name }) else { continue }
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

    /// The faults of a store's keys, checks and indexes: a phrase each.
    ///
    /// - Throws: What the catalog throws.
    public func constraintFaults(in catalog: some SQLCatalog) throws -> [String] {
        var faults: [String] = []
        for entity in schema.tables {
            let table = SQLMade(table: entity.table, try sql.createTable(entity.name))
            if try catalog.find(table) != .same {
                let found = try catalog.constraints(of: entity.table)
                faults += neededConstraints(of: entity).filter { !found.contains($0) }.map {
                    "the constraint \($0) is missing"
                }
            }
            faults += try indexFaults(of: [entity], in: catalog)
        }
        return faults
    }

    /// The faults of the indexes of some entities: a phrase each.
    func indexFaults(of entities: [Entity], in catalog: some SQLCatalog) throws -> [String] {
        try entities.flatMap { try sql.indexes(of: $0) }.map { SQLMade(index: $0) }.compactMap { index in
            switch try catalog.find(index) {
            case .missing: "the \(index.kind.rawValue) \(index.name) is missing"
            case .unlike: "the \(index.kind.rawValue) \(index.name) is not as it was made"
            case .same: nil
            }
        }
    }

    func neededColumns<Catalog: SQLCatalog>(
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

    func neededConstraints(of entity: Entity) -> [String] {
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
