internal import SwitchyardCore

extension SQLGenerator {
    /// Returns the statements that change the tables of a half-migrated store to those of this schema,
    /// without their indexes and loose foreign keys.
    ///
    /// Each table that changes is rebuilt, whatever the dialect could alter, so missing and additional parts
    /// do not matter.
    ///
    /// - Parameters:
    ///   - rebuild: The changes of the tables.
    ///   - keys: The existing loose foreign keys, by the names of their tables.
    /// - Returns: The statements, in order.
    /// - Throws: `schemaMismatch` for an entity that the schema lacks.
    func rebuild(_ rebuild: StoreRebuild, without keys: [String: Set<String>]) throws -> [String] {
        var (drafts, published) = ([String](), [String]())
        for (number, change) in rebuild.changes.enumerated() {
            guard let new = change.new else { continue }
            let draft = TableChange.draft(number)
            drafts += try createDraft(of: new, draft)
            if let old = change.old { drafts += copyPrivileges(of: old.table, to: draft) }
            if case .change(let old, _, let sources) = change {
                let pair = TablePair(old: old, new: new, sources: sources, draft: draft)
                drafts.append(copyRows(pair, into: draft))
            }
            published += publish(draft, as: new)
        }
        let merged = rebuild.merges.flatMap { merge in
            let pair = TablePair(old: merge.old, new: merge.new, sources: merge.sources, draft: "")
            return [copyRows(pair, into: merge.new.table) + absent(merge), drop(merge.old.table)]
        }
        let removed = keys.sorted { $0.key < $1.key }.flatMap { table, names in
            names.sorted().map { "ALTER TABLE \(qualified(table)) DROP CONSTRAINT \(SQLDialect.quoted($0))" }
        }
        return removed + rebuild.dropped.map(drop) + drafts
            + rebuild.changes.compactMap(\.old?.table).map(drop) + published + merged
    }

    private func drop(_ table: String) -> String { "DROP TABLE \(qualified(table))" }

    /// The condition that a row's id is not in the table that gets the rows.
    private func absent(_ merge: StoreRebuild.Merge) -> String {
        let (old, new) = (SQLDialect.quoted(merge.old.table), qualified(merge.new.table))
        func same(_ column: String) -> String { "\"kept\".\(column) = \(old).\(column)" }
        let key = (isScoped ? [Self.scopeColumn] : []) + ["\"id\""]
        return " WHERE NOT EXISTS (SELECT 1 FROM \(new) AS \"kept\" WHERE "
            + key.map(same).joined(separator: " AND ") + ")"
    }

    /// Returns the query of the number of rows of a table that refer to rows which none of some tables has.
    func countStrays(_ attribute: Attribute, in table: String, to targets: [String]) -> String {
        let column = SQLDialect.quoted(attribute.column)
        let missing = targets.map { target in
            let scope = isScoped ? "\"target\".\(Self.scopeColumn) = \"row\".\(Self.scopeColumn) AND " : ""
            return " AND NOT EXISTS (SELECT 1 FROM \(qualified(target)) AS \"target\" "
                + "WHERE \(scope)\"target\".\"id\" = \"row\".\(column))"
        }
        return "SELECT COUNT(*) FROM \(qualified(table)) AS \"row\" WHERE \"row\".\(column) IS NOT NULL"
            + missing.joined()
    }
}
