internal import SwitchyardCore

extension FileSnapshot {
    /// A table or a view of the file.
    package struct Table: Sendable {
        package let name: String
        package let kind: Kind

        package enum Kind: String, Sendable {
            case table, view, virtual
            /// A table that a virtual table's module probably created, judging by its name.
            case shadow
        }
    }

    /// The tables and views, by name, without SQLite's own.
    ///
    /// SQLite considers each table a shadow whose name matches those of a virtual table's module. A table
    /// that a virtual table's declaration names existed before it, such as the rows that
    /// `fts5(body, content='docs_content')` indexes.
    ///
    /// - Throws: As `forEachRow`.
    package func tables() throws -> [Table] {
        var tables: [Table] = []
        try forEachRow(
            """
            SELECT name, CASE WHEN type = 'shadow' AND EXISTS (SELECT 1 FROM sqlite_master AS s WHERE s.type = 'table'
                AND s.rootpage = 0 AND instr(lower(s.sql), lower(l.name)) > 0) THEN 'table' ELSE type END
            FROM pragma_table_list AS l WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
            """
        ) { cells in
            let words = cells.map { String(decoding: $0.bytes, as: UTF8.self) }
            tables.append(Table(name: words[0], kind: Table.Kind(rawValue: words[1]) ?? .virtual))
        }
        return tables
    }
}
