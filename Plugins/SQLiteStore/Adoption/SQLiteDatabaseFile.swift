internal import Foundation
public import SwitchyardCore
internal import SwitchyardSQL

/// Any SQLite file, which is read and never changed.
struct SQLiteDatabaseFile: ForeignDatabase {
    let path: String
    let busyTimeout: Double

    var location: String { path }

    func read<Value>(_ body: (any ForeignSnapshot) throws -> Value) throws -> Value {
        try FileSnapshot.read(path, busyTimeout: busyTimeout) { snapshot in
            let value = try body(SQLiteTables(snapshot: snapshot))
            try snapshot.requireUnchanged()
            return value
        }
    }
}

/// The tables of a snapshot.
private struct SQLiteTables: ForeignSnapshot {
    let snapshot: FileSnapshot

    func tables() throws -> [ForeignTable] {
        let found = try snapshot.tables()
        guard !found.contains(where: { $0.name == SQLGenerator.markerTable }) else {
            throw StoreError(
                .invalidArgument, "The file is a store of Switchyard. Open it, or move it with a switch.")
        }
        return try found.map { try table($0.name, isTable: $0.kind == .table) }
    }

    private func table(_ name: String, isTable: Bool) throws -> ForeignTable {
        let literal = quoted(name, by: "'")
        let columns = try rows(
            """
            SELECT name, type, "notnull", pk, coalesce(dflt_value, '') FROM pragma_table_xinfo(\(literal))
            WHERE hidden <> 1 ORDER BY cid
            """
        )
        let key = columns.filter { $0[3] != "0" }.sorted { (Int($0[3]) ?? 0) < (Int($1[3]) ?? 0) }
        let references = try rows(
            "SELECT id, \"table\", \"from\", coalesce(\"to\", ''), on_delete FROM pragma_foreign_key_list(\(literal)) "
                + "ORDER BY id, seq")
        let ids = references.reduce(into: [String]()) { if $0.last != $1[0] { $0.append($1[0]) } }
        // An index over a part of the rows, or over an expression, constrains other things than columns.
        let unique = try rows(
            """
            SELECT l.seq, coalesce(i.name, ''), i.name IS NULL FROM pragma_index_list(\(literal)) AS l,
                pragma_index_info(l.name) AS i
            WHERE l."unique" = 1 AND l.origin <> 'pk' AND l.partial = 0 ORDER BY l.seq DESC, i.seqno
            """)
        let indexes = unique.reduce(into: [String]()) { if $0.last != $1[0] { $0.append($1[0]) } }
        return ForeignTable(
            name: name, isTable: isTable,
            columns: columns.map {
                .init(
                    name: $0[0], type: $0[1], isOptional: $0[2] == "0",
                    defaultValue: ForeignValue(literal: $0[4]))
            },
            primaryKey: key.map { $0[0] },
            foreignKeys: ids.map { id in
                let parts = references.filter { $0[0] == id }
                return .init(
                    columns: parts.map { $0[2] }, table: parts[0][1],
                    targets: parts.map { $0[3] }.filter { !$0.isEmpty },
                    deleteRule: DeleteRule(action: parts[0][4]))
            },
            uniqueConstraints: indexes.map { index in unique.filter { $0[0] == index } }
                .filter { parts in parts.allSatisfy { $0[2] == "0" } }.map { $0.map { $0[1] } })
    }

    func forEachRow(
        of table: ForeignTable, _ columns: [String], _ body: ([ForeignValue]) throws -> Void
    ) throws {
        let key = table.primaryKey.map { quoted($0, by: "\"") }
        let order = key.isEmpty ? "" : " ORDER BY " + key.joined(separator: ", ")
        let names = columns.map { quoted($0, by: "\"") }
        let check = try UTF16Check(snapshot)
        let terms = names + (check.map { check in names.map(check.bytes) } ?? [])
        let list = terms.isEmpty ? "NULL" : terms.joined(separator: ", ")
        try snapshot.forEachRow("SELECT \(list) FROM \(quoted(table.name, by: "\""))\(order)") { cells in
            try body(
                names.indices.map { index in
                    // The query also returns the bytes of the text, as the file has them.
                    guard let check, !check.isValid(cells[names.count + index]) else {
                        return ForeignValue(cells[index])
                    }
                    return .invalidText(Data(cells[names.count + index].bytes))
                })
        }
    }

    /// The rows of a query of the catalogue, as text.
    private func rows(_ sql: String) throws -> [[String]] {
        var rows: [[String]] = []
        try snapshot.forEachRow(sql) { cells in
            rows.append(
                cells.map { cell in
                    cell.kind == .integer
                        ? String(cell.word) : String(decoding: cell.bytes, as: UTF8.self)
                })
        }
        return rows
    }

    private func quoted(_ name: String, by mark: String) -> String {
        mark + name.replacingBytes(of: mark, with: mark + mark) + mark
    }
}

extension SQLitePlugin: ForeignDatabasePlugin {
    /// The file of the setting `path`, which need not be a store.
    public static func foreignDatabase(_ settings: StoreSettings) throws -> any ForeignDatabase {
        SQLiteDatabaseFile(
            path: try path(of: settings), busyTimeout: try settings.requiredSeconds("busyTimeout"))
    }
}
