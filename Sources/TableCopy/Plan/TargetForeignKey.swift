internal import SQLiteStore
internal import SwitchyardCore

/// A foreign key that PostgreSQL gets after all rows.
struct TargetForeignKey: Sendable {
    let table: String
    let sql: String

    /// Checks that PostgreSQL accepts the key, and looks for rows without a parent.
    ///
    /// - Returns: Nil for a key that is not copied, which a finding reports.
    static func make(
        _ key: SourceForeignKey, of child: TargetTable, among tables: [TargetTable], _ limits: ServerLimits,
        _ snapshot: FileSnapshot, _ findings: inout [TableCopyFinding]
    ) throws -> TargetForeignKey? {
        let source = child.source
        let words = key.columns.map { source.columns[$0].name }.joined(separator: ", ")
        func omit(_ reason: String) -> TargetForeignKey? {
            findings.append(
                .omitted(
                    "The foreign key of \(source.name) (\(words)) to \(key.parent) is not copied: \(reason)",
                    table: source.name))
            return nil
        }
        guard let parent = tables.first(where: { $0.source.name.sqliteFolded == key.parent.sqliteFolded })
        else { return omit("there is no such table.") }
        let columns =
            key.parentColumns.isEmpty
            ? parent.source.primaryKey : key.parentColumns.compactMap { parent.source.position(of: $0) }
        guard columns.count == key.columns.count, parent.source.isUnique(columns) else {
            return omit("no key of that table has these columns.")
        }
        guard columns.count <= limits.indexColumns else {
            return omit("it has \(columns.count) columns; PostgreSQL takes \(limits.indexColumns).")
        }
        guard zip(key.columns, columns).allSatisfy({ child.types[$0].refers(to: parent.types[$1]) }) else {
            return omit("the types of the columns differ.")
        }
        guard zip(key.columns, columns).allSatisfy({ child.writesNumbers(in: $0, like: $1, of: parent) })
        else {
            return omit("numbers became texts, which are not the same in both columns.")
        }
        let (from, to) = (
            key.columns.map { source.columns[$0].name }, columns.map { parent.source.columns[$0].name }
        )
        let present = from.map { "c.\($0.quoted) IS NOT NULL" }.joined(separator: " AND ")
        // By bytes, as PostgreSQL compares, whatever the collation of the parent's column.
        let equal = zip(from, to).map { "p.\($1.quoted) = c.\($0.quoted) COLLATE BINARY" }
            .joined(separator: " AND ")
        let orphans =
            try snapshot.texts(
                "SELECT count(*) FROM \(source.name.quoted) AS c WHERE \(present) AND NOT EXISTS "
                    + "(SELECT 1 FROM \(parent.source.name.quoted) AS p WHERE \(equal))"
            ).first?.first?.flatMap { Int($0) } ?? 0
        if orphans > 0 {
            findings.append(
                .changed(
                    "No row of \(key.parent) belongs to \(orphans) row\(orphans == 1 ? "" : "s") of \(source.name) "
                        + "(\(words)); the foreign key is NOT VALID, which holds for new rows.",
                    table: source.name, column: from.count == 1 ? from[0] : nil, count: orphans))
        }
        var sql =
            "ALTER TABLE \(child.name) ADD FOREIGN KEY (\(from.map(\.quoted).joined(separator: ", "))) REFERENCES "
            + "\(parent.name) (\(to.map(\.quoted).joined(separator: ", "))) ON UPDATE \(key.onUpdate) "
            + "ON DELETE \(key.onDelete)"
        if key.isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        if orphans > 0 { sql += " NOT VALID" }
        return TargetForeignKey(table: source.name, sql: sql)
    }
}

extension TargetTable {
    /// Whether a number has the same text in a column of each table, if its column became text.
    fileprivate func writesNumbers(in column: Int, like other: Int, of table: TargetTable) -> Bool {
        types[column] != .text || census[column].numbers == 0 && table.census[other].numbers == 0
            || source.columns[column].affinity == table.source.columns[other].affinity
    }
}

extension SourceTable {
    /// Whether the primary key or a unique index consists of these columns, in any order.
    fileprivate func isUnique(_ columns: [Int]) -> Bool {
        let wanted = Set(columns)
        guard !wanted.isEmpty, wanted.count == columns.count else { return false }
        return Set(primaryKey) == wanted
            || indexes.contains { $0.isUnique && $0.columns.map { Set($0) == wanted } == true }
    }
}
