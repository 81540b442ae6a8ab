internal import SQLiteStore
internal import SwitchyardCore
internal import SwitchyardSQL

/// The tables of an SQLite file, and what else it declares.
struct SourceCatalog: Sendable {
    private(set) var tables: [SourceTable] = []
    /// Findings about views, triggers and virtual tables, with the tables that are part of these.
    private(set) var findings: [TableCopyFinding] = []

    /// - Throws: `invalidArgument` for a store of Switchyard; `corrupted` for a damaged file.
    init(_ snapshot: FileSnapshot) throws {
        try Self.requireSound(snapshot)
        let found = try snapshot.tables()
        guard !found.contains(where: { $0.name == SQLGenerator.markerTable }) else {
            throw StoreError(
                .invalidArgument,
                "The file is a store of Switchyard. Move it with a switch, which keeps what it is.")
        }
        let unreadable = try UnreadableColumns(
            of: found.filter { $0.kind == .table }.map(\.name), snapshot)
        findings += unreadable.findings
        for table in found {
            let name = table.name
            switch table.kind {
            case .table:
                tables.append(try SourceTable(name, without: unreadable.columns[name] ?? [], snapshot))
            case .view: findings.append(.omitted("The view \(name) is not copied.", table: name))
            case .virtual:
                findings.append(.omitted("The virtual table \(name) is not copied.", table: name))
            case .shadow:
                let rows = try snapshot.rowCount(of: name)
                findings.append(
                    .omitted(
                        "The table \(name) is part of a virtual table, by its name, and is not copied: \(rows) "
                            + "row\(rows == 1 ? "" : "s"). Rename it if it is not.",
                        table: name, count: rows))
            }
        }
        for row in try snapshot.texts(
            "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        {
            findings.append(.omitted("The trigger \(row[0] ?? "") is not copied.", table: row[1]))
        }
    }

    /// Refuses a file whose structure is damaged; violated constraints come later, and are not damage.
    private static func requireSound(_ snapshot: FileSnapshot) throws {
        let brokenRules = [
            "NULL value in ", "CHECK constraint failed in ", " value in ", "non-unique entry in ",
        ]
        guard let fault = try snapshot.firstFault(), !brokenRules.contains(where: fault.contains) else {
            return
        }
        throw StoreError(
            .corrupted, "The file is damaged, as SQLite's own check finds. Restore it from a backup.",
            detail: fault)
    }
}

extension FileSnapshot {
    /// The number of rows of a table.
    fileprivate func rowCount(of table: String) throws -> Int {
        try texts("SELECT count(*) FROM \(table.quoted)").first?.first?.flatMap { Int($0) } ?? 0
    }

    /// The rows of a short query, as text.
    func texts(_ sql: String) throws -> [[String?]] {
        var rows: [[String?]] = []
        try forEachRow(sql) { cells in rows.append(cells.map(\.text)) }
        return rows
    }
}

extension Cell {
    /// The value as text; nil for none.
    var text: String? {
        switch kind {
        case .null: nil
        case .integer: String(word)
        case .double: double.description
        case .text, .blob: String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension SourceTable {
    fileprivate init(_ name: String, without omitted: Set<Int>, _ snapshot: FileSnapshot) throws {
        let literal = name.quotedText
        let isStrict =
            try snapshot.texts("SELECT strict FROM pragma_table_list(\(literal)) WHERE schema = 'main'")
            .first?.first == "1"
        var columns: [SourceColumn] = []
        var key: [(order: Int, column: Int)] = []
        var places: [Int: Int] = [:]
        let rows = try snapshot.texts(
            "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(\(literal)) ORDER BY cid"
        )
        for (number, row) in rows.enumerated() where !omitted.contains(number) {
            places[number] = columns.count
            let column = row[0] ?? ""
            let collation = snapshot.collation(of: column, in: name)
            if let order = Int(row[4] ?? ""), order > 0 { key.append((order, columns.count)) }
            columns.append(
                SourceColumn(
                    name: column, declaredType: row[1] ?? "",
                    affinity: Affinity(declaredType: row[1] ?? "", isStrict: isStrict),
                    isRequired: row[2] == "1", isGenerated: row[5] == "2" || row[5] == "3",
                    defaultSQL: row[3],
                    collation: collation?.uppercased() == "BINARY" ? nil : collation))
        }
        self.name = name
        self.columns = columns
        primaryKey = key.sorted { $0.order < $1.order }.map(\.column)
        let found = try snapshot.texts(
            "SELECT name, \"unique\", origin, partial FROM pragma_index_list(\(literal)) ORDER BY seq DESC")
        // Where the key is the row's number, it needs no index.
        let isRowNumber =
            primaryKey.count == 1 && columns[primaryKey[0]].declaredType.uppercased() == "INTEGER"
            && !found.contains { $0[2] == "pk" }
        rowNumber = isRowNumber ? primaryKey[0] : nil
        func index(_ row: [String?]) throws -> SourceIndex {
            try SourceIndex(
                row[0] ?? "", isUnique: row[1] == "1", isConstraint: row[2] == "u", isPartial: row[3] == "1",
                places, snapshot)
        }
        indexes = try found.filter { $0[2] != "pk" }.map(index)
        keyIndex = try found.first { $0[2] == "pk" }.map(index)
        let sql =
            try snapshot.texts(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = \(literal)"
            ).first?.first ?? nil
        let tokens = SQLToken.tokens(of: sql ?? "")
        checks = tokens.count { $0.isWord("CHECK") }
        conflictClauses = tokens.indices.dropLast(2).count { index in
            tokens[index].isWord("ON") && tokens[index + 1].isWord("CONFLICT")
                // That is what PostgreSQL does too.
                && !tokens[index + 2].isWord("ABORT")
        }
        foreignKeys = try Self.foreignKeys(literal, columns, tokens, snapshot)
        let hasSequence = tokens.contains { $0.isWord("AUTOINCREMENT") }
        lastNumber =
            hasSequence
            ? try snapshot.texts("SELECT seq FROM sqlite_sequence WHERE name = \(literal)").first?.first?
                .flatMap { Int64($0) } : nil
    }

    private static func foreignKeys(
        _ literal: String, _ columns: [SourceColumn], _ tokens: [SQLToken], _ snapshot: FileSnapshot
    ) throws -> [SourceForeignKey] {
        let rows = try snapshot.texts(
            "SELECT id, \"table\", \"from\", \"to\", on_update, on_delete FROM pragma_foreign_key_list(\(literal)) "
                + "ORDER BY id DESC, seq")
        let ids = rows.compactMap { $0[0] }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        // The catalogue does not say which are deferred, but lists them in the reverse order of their declaration.
        let declared = tokens.indices.filter { tokens[$0].isWord("REFERENCES") }
        let ends = declared.dropFirst() + [tokens.count]
        let clauses = declared.count == ids.count ? zip(declared, ends).map { tokens[$0..<$1] } : []
        return ids.enumerated().map { place, id in
            let rows = rows.filter { $0[0] == id }
            return SourceForeignKey(
                columns: rows.compactMap { row in
                    columns.firstIndex { $0.name.sqliteFolded == row[2]?.sqliteFolded }
                },
                parent: rows[0][1] ?? "", parentColumns: rows.compactMap { $0[3] },
                onUpdate: rows[0][4] ?? "", onDelete: rows[0][5] ?? "",
                isDeferred: clauses.indices.contains(place) && clauses[place].isDeferred)
        }
    }
}

extension ArraySlice<SQLToken> {
    /// Whether the words after REFERENCES defer the check to the end of a transaction.
    fileprivate var isDeferred: Bool {
        guard let word = firstIndex(where: { $0.isWord("DEFERRABLE") }) else { return false }
        let isNegated = word > startIndex && self[word - 1].isWord("NOT")
        return !isNegated
            && self[word...].dropFirst().prefix(2).map { $0.text.uppercased() } == [
                "INITIALLY", "DEFERRED",
            ]
    }
}

extension SourceIndex {
    fileprivate init(
        _ name: String, isUnique: Bool, isConstraint: Bool, isPartial: Bool, _ places: [Int: Int],
        _ snapshot: FileSnapshot
    ) throws {
        let literal = name.quotedText
        let sql =
            try snapshot.texts(
                "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = \(literal)"
            ).first?.first ?? nil
        let tokens = SQLToken.tokens(of: sql ?? "")
        let list = tokens.parenthesised()
        let written = list?.inner.parts ?? []
        self.name = name
        self.isUnique = isUnique
        self.isConstraint = isConstraint
        terms = try snapshot.texts(
            "SELECT cid, \"desc\", coll FROM pragma_index_xinfo(\(literal)) WHERE \"key\" = 1 ORDER BY seqno"
        ).enumerated().map { place, row in
            // A column that cannot be read is an expression that cannot be carried.
            let column = places[Int(row[0] ?? "") ?? -2]
            return Term(
                what: column.map { .column($0) }
                    ?? .expression(place < written.count ? written[place].withoutOrder : []),
                isDescending: row[1] == "1", collation: row[2]?.uppercased() == "BINARY" ? nil : row[2])
        }
        let rest = list.map { Array(tokens[($0.end + 1)...]) } ?? []
        condition = isPartial ? Array(rest.dropFirst { $0.isWord("WHERE") }) : nil
    }
}

extension [SQLToken] {
    /// An indexed expression without its order.
    fileprivate var withoutOrder: [SQLToken] {
        last.map { $0.isWord("ASC") || $0.isWord("DESC") } == true ? dropLast() : self
    }

    fileprivate func dropFirst(_ isDropped: (SQLToken) -> Bool) -> ArraySlice<SQLToken> {
        first.map(isDropped) == true ? dropFirst() : self[...]
    }
}
