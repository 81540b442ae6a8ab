internal import SQLiteStore
public import SwitchyardCore

extension ForeignFinding.Code {
    /// The Core Data store keeps no model, so that names come from its tables.
    public static let modelMissing = Self("modelMissing")
    /// The model cannot be read, so that names come from the tables.
    public static let modelUnreadable = Self("modelUnreadable")
    /// The model and the file do not have the same entities.
    public static let modelIncomplete = Self("modelIncomplete")
    /// An entity has no table.
    public static let tableMissing = Self("tableMissing")
    /// A property of the model has no column.
    public static let propertyMissing = Self("propertyMissing")
    /// Values of a column are no dates that a store can have, so that it is offered as numbers.
    public static let datesAsNumbers = Self("datesAsNumbers")
    /// Rows are of no entity that could have some.
    public static let entityUnknown = Self("entityUnknown")
    /// Rows have values in columns of other entities.
    public static let valuesOfOthers = Self("valuesOfOthers")
    /// Archives hold other objects than property lists do, so that they are offered as data.
    public static let archivesAsData = Self("archivesAsData")
    /// Core Data's own table.
    public static let bookkeeping = Self("bookkeeping")
    /// The store has a history of changes.
    public static let history = Self("history")
    /// Rows or changes were never uploaded to CloudKit.
    public static let pendingUploads = Self("pendingUploads")
    /// Deleted rows whose records CloudKit still has.
    public static let pendingCloudDeletes = Self("pendingCloudDeletes")
    /// Rows whose records CloudKit has no more.
    public static let pendingLocalDeletes = Self("pendingLocalDeletes")
}

/// What tables and values do not show.
struct StoreFindings {
    /// The most keys that a finding names.
    private static let mostKeys = 20

    let snapshot: FileSnapshot
    let catalogue: StoreCatalogue
    let virtual: VirtualTables

    func all() throws -> [ForeignFinding] {
        try [catalogue.modelFault].compactMap { $0 } + virtual.findings + unknownEntities() + valuesOfOthers()
            + archives() + history() + bookkeeping()
    }

    /// The number that a query counts.
    func count(_ sql: String) throws -> Int {
        var count = 0
        try snapshot.forEachRow(sql) { count = Int($0[0].word) }
        return count
    }

    /// The number of rows that a query returns, and the first of its values.
    func keys(_ sql: String) throws -> (rows: Int, first: [ForeignValue]) {
        var (rows, first) = (0, [ForeignValue]())
        try snapshot.forEachRow(sql) { cells in
            rows += 1
            if first.count < Self.mostKeys { first.append(ForeignValue(cells[0])) }
        }
        return (rows, first)
    }

    private func unknownEntities() throws -> [ForeignFinding] {
        try virtual.families.compactMap { family in
            let numbers = family.entities.map { String($0.number) }.joined(separator: ", ")
            let found = try keys(
                """
                SELECT Z_PK FROM \(family.table.name.quotedName) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)) \
                ORDER BY Z_PK
                """)
            guard found.rows > 0 else { return nil }
            return ForeignFinding(
                .entityUnknown, table: family.table.name, rows: found.rows, firstKeys: found.first,
                needsAcknowledgement: true,
                "\(found.rows) rows are of no entity that can have rows, and are left out.")
        }
    }

    private func valuesOfOthers() throws -> [ForeignFinding] {
        var findings: [ForeignFinding] = []
        for family in virtual.families where family.entities.count > 1 {
            for entity in family.entities {
                let columns = family.names?.foreignColumns(to: entity.name) ?? []
                guard !columns.isEmpty else { continue }
                let condition = columns.map { "\($0.quotedName) IS NOT NULL" }.joined(separator: " OR ")
                let found = try keys(
                    """
                    SELECT Z_PK FROM \(family.table.name.quotedName) WHERE Z_ENT = \(entity.number) AND (\(condition)) \
                    ORDER BY Z_PK
                    """)
                guard found.rows > 0 else { continue }
                findings.append(
                    ForeignFinding(
                        .valuesOfOthers, table: entity.name, rows: found.rows, firstKeys: found.first,
                        needsAcknowledgement: true,
                        "\(found.rows) rows have values in columns of other entities, which are left out."))
            }
        }
        return findings
    }

    private func archives() throws -> [ForeignFinding] {
        var findings: [ForeignFinding] = []
        for table in virtual.tables {
            for column in table.columns where column.reading == .archive {
                var (rows, keys, position) = (0, [ForeignValue](), 0)
                try snapshot.forEachRow(table.query([column.expression, "r.Z_PK"], joining: [])) { cells in
                    position += 1
                    guard cells[0].kind != .null else { return }
                    if cells[0].kind == .blob,
                        (try? ArchivedValue(archive: Array(cells[0].bytes)))?.json != nil
                    {
                        return
                    }
                    rows += 1
                    if keys.count < Self.mostKeys { keys.append(ForeignValue(cells[1])) }
                }
                guard rows > 0 else { continue }
                findings.append(
                    ForeignFinding(
                        .archivesAsData, table: table.description.name, rows: rows, firstKeys: keys,
                        "\(rows) values of \(column.description.name) are no archives of property lists, and are offered as data."
                    ))
            }
        }
        return findings
    }

    private func history() throws -> [ForeignFinding] {
        guard HistoryTable(catalogue) != nil else { return [] }
        let transactions = try count("SELECT count(*) FROM ATRANSACTION")
        let counts = try (0...2).map { try count("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = \($0)") }
        let isKept = virtual.tables.contains { $0.description.name == HistoryTable.name }
        let orphans = isKept ? try count(HistoryTable.orphans) : 0
        return [
            ForeignFinding(
                .history, table: "ACHANGE", rows: counts.reduce(0, +),
                "The store has a history of \(transactions) transactions, with \(counts[0]) inserts, \(counts[1]) updates and "
                    + "\(counts[2]) deletes, "
                    + (isKept
                        ? "which the table \(HistoryTable.name) has as JSON"
                            + (orphans > 0
                                ? ", but for \(orphans) changes that belong to no transaction." : ".")
                        : "which is left out. The setting keepsHistory offers it as a table."))
        ]
    }

    private func bookkeeping() throws -> [ForeignFinding] {
        try virtual.tables.compactMap { table in
            guard let purpose = table.description.purpose else { return nil }
            return ForeignFinding(
                .bookkeeping, table: table.description.name, rows: try count(table.countQuery("")),
                "Core Data's bookkeeping: \(purpose).")
        }
    }
}
