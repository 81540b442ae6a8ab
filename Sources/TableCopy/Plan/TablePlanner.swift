internal import SQLiteStore
internal import SwitchyardCore

/// Plans the tables in PostgreSQL, after a census of the whole file.
struct TablePlanner {
    /// The bytes of the longest name (NAMEDATALEN in PostgreSQL's sources).
    static let longestName = 63
    /// The names of PostgreSQL's system columns, which every table has.
    private static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    private(set) var tables: [TargetTable] = []
    private(set) var foreignKeys: [TargetForeignKey] = []
    private(set) var findings: [TableCopyFinding]
    private let limits: ServerLimits
    private let constants: ConstantColumns

    init(
        _ catalog: SourceCatalog, _ snapshot: FileSnapshot, schema: String, _ limits: ServerLimits,
        _ counting: (String, Int) -> Void
    ) throws {
        findings = catalog.findings
        self.limits = limits
        constants = try ConstantColumns()
        for table in catalog.tables {
            try add(table, snapshot, schema: schema)
            counting(table.name, tables.last?.rows ?? 0)
        }
        requireDistinctNames(catalog.tables.map(\.name), "tables", table: nil)
        for table in tables {
            for key in table.source.foreignKeys {
                let found = try TargetForeignKey.make(
                    key, of: table, among: tables, limits, snapshot, &findings)
                if let found { foreignKeys.append(found) }
            }
        }
        requireLocks()
    }

    /// Refuses a copy for which the server's lock table is too small: it makes all tables in one transaction.
    private mutating func requireLocks() {
        let locks = tables.map(\.locks).reduce(1, +) + foreignKeys.count
        guard locks > limits.locks else { return }
        let needed = (locks + limits.transactions - 1) / limits.transactions
        findings.append(
            .refused(
                "The copy creates \(tables.count) tables at once, with their indexes and keys: \(locks) "
                    + "locks, but the server has room for \(limits.locks). Set max_locks_per_transaction to "
                    + "more than \(needed) there, and restart it.",
                table: nil, count: locks))
    }

    private mutating func add(_ table: SourceTable, _ snapshot: FileSnapshot, schema: String) throws {
        requireName(table.name, "table", table: table.name, column: nil)
        for column in table.columns {
            requireName(column.name, "column", table: table.name, column: column.name)
        }
        requireDistinctNames(table.columns.map(\.name), "columns of \(table.name)", table: table.name)
        if table.columns.count > 1_600 {
            findings.append(
                .refused(
                    "The table \(table.name) has \(table.columns.count) columns; PostgreSQL takes 1600.",
                    table: table.name))
        }
        report(table)
        var census = [ColumnCensus](repeating: ColumnCensus(), count: table.columns.count)
        var rows = 0
        let columns = table.columns.map(\.name.quoted).joined(separator: ", ")
        try snapshot.forEachRow("SELECT \(columns) FROM \(table.name.quoted) NOT INDEXED") { cells in
            rows += 1
            for index in cells.indices { census[index].add(cells[index]) }
        }
        if let check = try UTF16Check(snapshot) {
            for index in census.indices { census[index].invalidTexts = 0 }
            let texts = table.columns.map { check.bytes(of: $0.name.quoted) }.joined(separator: ", ")
            try snapshot.forEachRow("SELECT \(texts) FROM \(table.name.quoted) NOT INDEXED") { cells in
                for index in cells.indices where !check.isValid(cells[index]) {
                    census[index].invalidTexts += 1
                }
            }
        }
        let choices = zip(table.columns, census).map { TypeChoice($0, in: table.name, $1) }
        findings += choices.flatMap(\.findings)
        let types = choices.map(\.type)
        try requireWidth(
            of: table, types, select: "SELECT \(columns) FROM \(table.name.quoted) NOT INDEXED", snapshot)
        tables.append(
            TargetTable(
                table, types, rows: rows, census, schema: schema, constants, limits, &findings))
    }

    /// Refuses rows that no page of PostgreSQL takes, which only tables of some hundred columns can have.
    private mutating func requireWidth(
        of table: SourceTable, _ types: [TargetType], select: String, _ snapshot: FileSnapshot
    ) throws {
        let width = TupleWidth(types)
        guard width.bound > limits.rowBytes else { return }
        var (tooWide, widest) = (0, 0)
        try snapshot.forEachRow(select) { cells in
            let bytes = width.bytes(of: cells)
            if bytes > limits.rowBytes { tooWide += 1 }
            widest = max(widest, bytes)
        }
        guard tooWide > 0 else { return }
        findings.append(
            .refused(
                "The table \(table.name) has \(tooWide) row\(tooWide == 1 ? "" : "s") of up to \(widest) bytes, without long "
                    + "values; PostgreSQL takes \(limits.rowBytes). Split the table.",
                table: table.name, count: tooWide))
    }

    /// Reports the declarations that are not copied.
    private mutating func report(_ table: SourceTable) {
        for column in table.columns {
            if column.isGenerated {
                findings.append(
                    .changed(
                        "The column \(table.name).\(column.name) is generated; its values are copied, its expression is not.",
                        table: table.name, column: column.name))
            }
            if let collation = column.collation {
                findings.append(
                    .changed(
                        "The column \(table.name).\(column.name) compares by \(collation); in PostgreSQL it compares by bytes.",
                        table: table.name, column: column.name))
            }
        }
        for index in table.indexes + [table.keyIndex].compactMap(\.self) {
            let name =
                index.isConstraint
                ? "A unique constraint of \(table.name)"
                : index.name == table.keyIndex?.name
                    ? "The primary key of \(table.name)" : "The index \(index.name)"
            for term in index.terms {
                guard let collation = term.collation else { continue }
                if case .column(let column) = term.what, table.columns[column].collation == collation {
                    continue
                }
                findings.append(
                    .changed(
                        "\(name) compares by \(collation); in PostgreSQL it compares by bytes.",
                        table: table.name))
            }
        }
        if table.conflictClauses > 0 {
            findings.append(
                .omitted(
                    "The ON CONFLICT clauses of \(table.name) are not copied: \(table.conflictClauses). A "
                        + "row that breaks a constraint is refused.",
                    table: table.name))
        }
        if table.checks > 0 {
            findings.append(
                .omitted(
                    "The CHECK constraints of \(table.name) are not copied: \(table.checks).",
                    table: table.name))
        }
    }

    private mutating func requireName(_ name: String, _ kind: String, table: String, column: String?) {
        var fault: String?
        if name.isEmpty { fault = "has an empty name, which PostgreSQL does not take" }
        if name.utf8.count > Self.longestName {
            fault = "has a name of \(name.utf8.count) bytes; PostgreSQL keeps \(Self.longestName)"
        }
        if column != nil, Self.systemColumns.contains(name) {
            fault = "has a name that PostgreSQL keeps for itself"
        }
        guard let fault else { return }
        let full = column.map { "\(table).\($0)" } ?? table
        findings.append(.refused("The \(kind) \(full) \(fault). Rename it.", table: table, column: column))
    }

    /// Names that differ in case alone, which SQLite has where the letters are not ASCII, stay apart in PostgreSQL; a
    /// reader may not see that.
    private mutating func requireDistinctNames(_ names: [String], _ kind: String, table: String?) {
        for (_, same) in Dictionary(grouping: names, by: { $0.lowercased() }).sorted(by: { $0.key < $1.key })
        where same.count > 1 {
            findings.append(
                TableCopyFinding(
                    kind: .changed, table: table, column: nil, count: same.count,
                    message:
                        "The \(kind) \(same.sorted().joined(separator: " and ")) differ in case alone; their names stay apart."
                ))
        }
    }
}
