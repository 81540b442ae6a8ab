internal import SwitchyardCore

/// Changes of tables in a database that can alter all parts of them.
extension SQLGenerator {
    /// Returns the statements that give tables and their keys new names: other ones first, since one may take the name of
    /// another.
    func renameTables(_ pairs: [TablePair]) -> [String] {
        let renamed = pairs.filter { $0.old.table != $0.new.table }
        return renamed.flatMap { pair in
            rename(
                pair.old.table, key: ConstraintName.primaryKey(of: pair.old), to: pair.draft,
                TablePair.key(pair.draft))
        }
            + renamed.flatMap { pair in
                rename(
                    pair.draft, key: TablePair.key(pair.draft), to: pair.new.table,
                    ConstraintName.primaryKey(of: pair.new))
            }
    }

    /// Returns the statements that give a table and its key other names.
    ///
    /// The constraint takes the new name of its index (PostgreSQL's manual, "ALTER INDEX"); Citus refuses to rename the
    /// constraint itself.
    func rename(_ table: String, key: String, to name: String, _ newKey: String) -> [String] {
        [
            "ALTER INDEX \(qualified(key)) RENAME TO \(SQLDialect.quoted(newKey))",
            "ALTER TABLE \(qualified(table)) RENAME TO \(SQLDialect.quoted(name))",
        ]
    }

    /// Returns the statements that alter the columns of a table that has its new name already.
    func alter(_ pair: TablePair, from older: SQLGenerator) throws -> [String] {
        let table = "ALTER TABLE \(try layout(pair.new.name).table)"
        let actions =
            droppedColumns(pair)
            + pair.attributes.flatMap { attribute, source, old in
                old.map { alter($0, to: attribute, source, pair, from: older) }
                    ?? added(attribute, source, pair)
            }
        return renameColumns(pair).map { "\(table) \($0)" }
            // All at once, so that the rows are rewritten once at most.
            + (actions.isEmpty ? [] : ["\(table) \(actions.joined(separator: ", "))"])
            // Each separately: Citus refuses a statement that does more than add a constraint.
            + (addedChecks(pair, from: older) + withoutDefaults(pair)).map { "\(table) \($0)" }
    }

    /// The new checks of existing columns.
    private func addedChecks(_ pair: TablePair, from older: SQLGenerator) -> [String] {
        pair.attributes.compactMap { attribute, _, old in
            let after = check(attribute, of: pair.new)
            guard let old, older.check(old, of: pair.old) != after else { return nil }
            return after.map { "ADD \($0)" }
        }
    }

    /// The columns that have other names: drafts of names first, since one may take the name of another.
    private func renameColumns(_ pair: TablePair) -> [String] {
        let renamed = pair.attributes.flatMap { attribute, _, old -> [(String, String)] in
            guard let old, old.column != attribute.column else { return [] }
            let copies = old.isSearchable && attribute.isSearchable
            return [(old.column, attribute.column)]
                + (copies ? [(old.searchColumn, attribute.searchColumn)] : [])
        }
        func rename(_ column: String, to name: String) -> String {
            "RENAME COLUMN \(SQLDialect.quoted(column)) TO \(SQLDialect.quoted(name))"
        }
        let drafts = renamed.indices.map { "switchyard_draft_\($0)" }
        return zip(renamed, drafts).map { rename($0.0, to: $1) }
            + zip(renamed, drafts).map { rename($1, to: $0.1) }
    }

    private func droppedColumns(_ pair: TablePair) -> [String] {
        let kept = Set(pair.sources.compactMap(\.attribute))
        let dropped = pair.old.attributes.filter { !kept.contains($0.name) }.flatMap {
            [$0.column] + ($0.isSearchable ? [$0.searchColumn] : [])
        }
        let copies = pair.attributes.compactMap { attribute, _, old in
            old?.isSearchable == true && !attribute.isSearchable ? old?.searchColumn : nil
        }
        return (dropped + copies).map { "DROP COLUMN \(SQLDialect.quoted($0))" }
    }

    private func added(_ attribute: Attribute, _ source: ValueSource, _ pair: TablePair) -> [String] {
        let value =
            source.fallback.isNull ? "" : " DEFAULT \(dialect.literal(source.fallback, attribute.type))"
        return ["ADD COLUMN \(columnDefinition(attribute, of: pair.new))\(value)"]
            + (attribute.isSearchable ? [addedCopy(attribute)] : [])
    }

    private func addedCopy(_ attribute: Attribute) -> String {
        "ADD COLUMN \(searchDefinition(attribute))"
            + (attribute.isOptional ? "" : " DEFAULT \(dialect.literal(.text(""), .text))")
    }

    private func alter(
        _ old: Attribute, to attribute: Attribute, _ source: ValueSource, _ pair: TablePair,
        from older: SQLGenerator
    ) -> [String] {
        let column = SQLDialect.quoted(attribute.column)
        var actions: [String] = []
        let before = older.check(old, of: pair.old)
        if before != nil, before != check(attribute, of: pair.new) {
            actions.append("DROP CONSTRAINT \(SQLDialect.quoted(ConstraintName.check(old, of: pair.old)))")
        }
        if old.type != attribute.type || !source.fallback.isNull {
            // The column has its new name by now.
            let renamed = Entity(pair.old.name, attributes: [old.stored(in: attribute.column)])
            actions.append(
                "ALTER COLUMN \(column) TYPE \(dialect.columnTypes[attribute.type] ?? "") "
                    + "USING \(value(source, of: attribute, in: renamed))")
        }
        if old.isOptional != attribute.isOptional {
            actions.append("ALTER COLUMN \(column) \(attribute.isOptional ? "DROP" : "SET") NOT NULL")
        }
        guard attribute.isSearchable else { return actions }
        guard old.isSearchable else { return actions + [addedCopy(attribute)] }
        let copy = SQLDialect.quoted(attribute.searchColumn)
        if old.isOptional, !attribute.isOptional {
            let empty = dialect.literal(.text(""), .text)
            actions.append(
                "ALTER COLUMN \(copy) TYPE \(dialect.columnTypes[.text] ?? "") USING coalesce(\(copy), \(empty))"
            )
        }
        if old.isOptional != attribute.isOptional {
            actions.append("ALTER COLUMN \(copy) \(attribute.isOptional ? "DROP" : "SET") NOT NULL")
        }
        return actions
    }

    /// The columns whose default was only for the rows that were there.
    private func withoutDefaults(_ pair: TablePair) -> [String] {
        let values = pair.attributes.filter { $0.old == nil && !$0.source.fallback.isNull }.map(\.new.column)
        let copies = pair.attributes.filter { attribute, _, old in
            attribute.isSearchable && !attribute.isOptional && old?.isSearchable != true
        }.map(\.new.searchColumn)
        return (values + copies).map { "ALTER COLUMN \(SQLDialect.quoted($0)) DROP DEFAULT" }
    }
}

extension Attribute {
    /// The same attribute in another column.
    fileprivate func stored(in column: String) -> Attribute {
        Attribute(
            name, column: column, type: type, isOptional: isOptional, defaultValue: defaultValue,
            cases: cases,
            domain: domain, reference: reference, isSearchable: isSearchable)
    }
}
