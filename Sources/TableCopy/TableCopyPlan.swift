public import SwitchyardTransfer

/// The plan of a copy: each table, and the findings of the census.
public struct TableCopyPlan: Sendable, Hashable {
    /// The tables, by name.
    public let tables: [Table]
    /// What PostgreSQL cannot take unchanged.
    public let findings: [TableCopyFinding]

    /// Whether nothing would be lost, so that the copy can be made.
    public var isPossible: Bool { !findings.contains { $0.kind == .refused } }

    /// A table that is copied.
    public struct Table: Sendable, Hashable {
        /// The name, which is the same in both databases.
        public let name: String
        /// The number of rows.
        public let rows: Int
        /// The columns, in order.
        public let columns: [Column]
        /// The statements that make the table in PostgreSQL, its indexes, its keys and its foreign keys, in order.
        public let statements: [String]
    }

    /// A column that is copied.
    public struct Column: Sendable, Hashable {
        /// The name, which is the same in both databases.
        public let name: String
        /// The type that the SQLite file declares; empty without one.
        public let declaredType: String
        /// The type in PostgreSQL.
        public let type: String
        /// The values that the column holds.
        public let census: ColumnCensus
    }
}

extension TableCopyPlan {
    init(_ planner: TablePlanner) {
        tables = planner.tables.map { table in
            let columns = zip(table.source.columns, zip(table.types, table.census)).map { column, rest in
                Column(
                    name: column.name, declaredType: column.declaredType, type: rest.0.name, census: rest.1)
            }
            let foreignKeys = planner.foreignKeys.filter { $0.table == table.source.name }.map(\.sql)
            return Table(
                name: table.source.name, rows: table.rows, columns: columns,
                statements: [table.create] + table.indexes.map(\.sql) + table.keys + foreignKeys)
        }
        findings = planner.findings
    }
}

/// The result of a copy, found equal in both databases.
public struct TableCopyReport: Sendable, Hashable {
    /// The tables, by name.
    public let tables: [Table]
    /// What PostgreSQL has differently from the file.
    public let findings: [TableCopyFinding]

    /// A table that was copied.
    public struct Table: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The digest of its rows, which is the same in both databases.
        public let digest: RowsDigest

        /// The number of rows.
        public var rows: Int { digest.count }
    }
}

/// The progress of a copy, as `TableCopy.run` reports it.
public enum TableCopyProgress: Sendable, Hashable {
    /// The values of a table have been counted.
    case counted(table: String, rows: Int)
    /// All values have been counted; if the plan is possible, the tables are made next.
    case planned(TableCopyPlan)
    /// So many rows of a table have been sent.
    case copying(table: String, rows: Int, of: Int)
    /// The keys and indexes of a table are being made.
    case indexing(table: String)
    /// A table was read back, and holds the same rows.
    case verified(table: String, rows: Int)
}
