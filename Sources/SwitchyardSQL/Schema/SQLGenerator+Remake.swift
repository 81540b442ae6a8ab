internal import SwitchyardCore

/// Changes of tables in a database that can do little more than add columns: any other change rebuilds the
/// table (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes").
extension SQLGenerator {
    /// Whether a table is rebuilt, because more has changed than new columns.
    func remakes(_ pair: TablePair, from older: SQLGenerator) throws -> Bool {
        let before = try older.columnDefinitions(of: pair.old) + older.tableConstraints(of: pair.old)
        var after = Set(try columnDefinitions(of: pair.new) + tableConstraints(of: pair.new))
        for (attribute, _, old) in pair.attributes where old == nil {
            // A foreign key, or the second column of a searchable text, would not be where a new table has it.
            guard attribute.reference == nil, !attribute.isSearchable else { return true }
            after.remove(columnDefinition(attribute, of: pair.new))
        }
        return pair.old.table != pair.new.table || Set(before) != after
            || pair.attributes.contains { $0.old != nil && !$0.source.fallback.isNull }
    }

    /// Returns the statements that add the new columns of a table, whose rows stay unchanged.
    func addColumns(_ pair: TablePair) throws -> [String] {
        let table = try layout(pair.new.name).table
        return pair.attributes.filter { $0.old == nil }.map { attribute, source, _ in
            let value = dialect.literal(source.fallback, attribute.type)
            return "ALTER TABLE \(table) ADD COLUMN \(columnDefinition(attribute, of: pair.new))"
                + (source.fallback.isNull ? "" : " DEFAULT \(value)")
        }
    }

    /// Returns the statements that rebuild tables with their rows: all of them under other names first, since
    /// one may take the name of another.
    func remake(_ pairs: [TablePair], from older: SQLGenerator) throws -> [String] {
        let copies = try pairs.flatMap { pair -> [String] in
            [try createTable(pair.new.name, as: qualified(pair.draft)), copyRows(pair, into: pair.draft)]
        }
        return copies + pairs.map { "DROP TABLE \(qualified($0.old.table))" }
            + pairs.map { "ALTER TABLE \(qualified($0.draft)) RENAME TO \(SQLDialect.quoted($0.new.table))" }
    }

    /// Returns the statement that copies the rows of a pair's old table into one with the new definition.
    func copyRows(_ pair: TablePair, into table: String) -> String {
        let searchable = pair.attributes.filter(\.new.isSearchable)
        let columns = pair.new.attributes.map(\.column) + searchable.map(\.new.searchColumn)
        let values =
            pair.attributes.map { value($0.source, of: $0.new, in: pair.old) }
            + searchable.map { folded($0.source, of: $0.new, in: pair.old) }
        let names = key(columns.map { SQLDialect.quoted($0) })
        return "INSERT INTO \(qualified(table)) (\(names)) "
            + "SELECT \(key(values)) FROM \(qualified(pair.old.table))"
    }
}
