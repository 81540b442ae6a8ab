/// The history as a table, which Core Data does not have: a row for each transaction, with its changes as JSON.
///
/// A change has the members `change` (`insert`, `update` or `delete`), `entity` and `key`, the row's `Z_PK`; one that has them also
/// `columns`, Core Data's bytes for what an update changed in hexadecimal digits, and `tombstone`, the list of what a delete
/// preserved.
struct HistoryTable {
    static let name = "$history"

    private let transactions: PhysicalTable
    private let changes: PhysicalTable
    private let strings: PhysicalTable?

    /// Creates the table; nil for a store without a history.
    init?(_ catalogue: StoreCatalogue) {
        guard let transactions = catalogue.table("ATRANSACTION"), let changes = catalogue.table("ACHANGE"),
            ["Z_PK", "ZTIMESTAMP"].allSatisfy(transactions.has),
            ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"].allSatisfy(changes.has)
        else { return nil }
        (self.transactions, self.changes) = (transactions, changes)
        strings = catalogue.table("ATRANSACTIONSTRING").flatMap {
            $0.has("Z_PK") && $0.has("ZNAME") ? $0 : nil
        }
    }

    /// The table as it is offered.
    var table: VirtualTable {
        let texts = [
            ("author", "ZAUTHOR"), ("context", "ZCONTEXTNAME"), ("process", "ZPROCESSID"),
            ("bundle", "ZBUNDLEID"),
        ].compactMap { name, column in
            text(column).map { VirtualColumn(name, type: "text", $0) }
        }
        return VirtualTable(
            name: Self.name,
            columns: [
                VirtualColumn("Z_PK", type: "integer", isOptional: false, "r.Z_PK"),
                VirtualColumn("timestamp", type: "timestamp", "r.ZTIMESTAMP", .date),
            ] + texts + [
                VirtualColumn(
                    "changes", type: "json", isOptional: false, "coalesce(h.changes, '[]')", needsJoin: true)
            ],
            primaryKey: ["Z_PK"], source: transactions.name, order: ["r.Z_PK"],
            joins: [
                """
                (SELECT id, json_group_array(json(change)) AS changes FROM (SELECT ZTRANSACTIONID AS id, \(change) AS change \
                FROM ACHANGE AS c ORDER BY ZTRANSACTIONID, Z_PK) GROUP BY id) AS h ON h.id = r.Z_PK
                """
            ])
    }

    /// The query of how many changes belong to no transaction.
    static let orphans =
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IS NULL OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)"

    /// A change as JSON; a null removes its member.
    private var change: String {
        let tombstones = changes.columns.map(\.name).filter { $0.hasPrefix("ZTOMBSTONE") }.map {
            "c." + $0.quotedName
        }
        var members = [
            "'change', CASE c.ZCHANGETYPE WHEN 0 THEN 'insert' WHEN 1 THEN 'update' WHEN 2 THEN 'delete' END",
            """
            'entity', coalesce((SELECT CAST(p.Z_NAME AS TEXT) FROM Z_PRIMARYKEY AS p WHERE p.Z_ENT = c.ZENTITY LIMIT 1), \
            CAST(c.ZENTITY AS TEXT))
            """,
            "'key', CAST(c.ZENTITYPK AS INTEGER)",
        ]
        if changes.has("ZCOLUMNS") { members.append("'columns', nullif(hex(c.ZCOLUMNS), '')") }
        if !tombstones.isEmpty {
            let values = tombstones.map { "CASE typeof(\($0)) WHEN 'blob' THEN hex(\($0)) ELSE \($0) END" }
            members.append(
                "'tombstone', CASE WHEN coalesce(\(tombstones.joined(separator: ", ")), NULL) IS NOT NULL "
                    + "THEN json_array(\(values.joined(separator: ", "))) END")
        }
        return "json_patch('{}', json_object(\(members.joined(separator: ", "))))"
    }

    /// What gives a text of a transaction, which newer systems keep once for all; nil if the store does not have it.
    private func text(_ column: String) -> String? {
        let number = column + "TS"
        let shared =
            strings != nil && transactions.has(number)
            ? "(SELECT s.ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = r.\(number))" : nil
        let own = transactions.has(column) ? "r." + column : nil
        if let shared, let own { return "coalesce(\(own), \(shared))" }
        return own ?? shared
    }
}
