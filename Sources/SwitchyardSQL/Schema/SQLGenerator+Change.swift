internal import Foundation
package import SwitchyardCore

extension SQLGenerator {
    /// Returns the statements that change the tables of an older schema to those of this one, with their
    /// rows.
    ///
    /// Indexes and foreign keys that are equal in both stay; the others are removed first and added last. The
    /// folded copies of newly searchable attributes are left empty, or null.
    ///
    /// - Parameters:
    ///   - changes: The change of each table that differs.
    ///   - older: The generator of the older schema.
    /// - Returns: The statements, in order.
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    package func change(_ changes: [TableChange], from older: SQLGenerator) throws -> TableStatements {
        let pairs = changes.enumerated().compactMap { number, change -> TablePair? in
            guard case .change(let old, let new, let sources) = change else { return nil }
            return TablePair(old: old, new: new, sources: sources, draft: TableChange.draft(number))
        }
        let remade = dialect.altersTables ? [] : try pairs.filter { try remakes($0, from: older) }
        // The same text of an index or a key can mean another table, or a column that has taken the name of the first.
        let other = dialect.altersTables ? pairs.filter(\.renamesColumns) : remade
        var (left, entered) = (Set(other.map(\.old.table)), Set(other.map(\.new.table)))
        var drops: [String] = []
        var fresh: [(entity: Entity, draft: String)] = []
        for (number, change) in changes.enumerated() {
            guard change.isFilled || change.new == nil else { continue }
            if let old = change.old {
                left.insert(old.table)
                if change.new != nil { drops += copyPrivileges(of: old.table, to: TableChange.draft(number)) }
                drops.append("DROP TABLE \(qualified(old.table))")
            }
            if let new = change.new {
                entered.insert(new.table)
                fresh.append((new, TableChange.draft(number)))
            }
        }
        let (before, after) = (try older.addedConstraints(), try addedConstraints())
        let (had, has) = (Set(before.map(\.add)), Set(after.map(\.add)))
        let moved = Self.uniqueIndexesAfterNewOnes(before, after)
        let removed = before.filter {
            !has.contains($0.add) || moved.contains($0.add) || $0.concerns(left)
        }
        let added = after.filter { !had.contains($0.add) || moved.contains($0.add) || $0.concerns(entered) }
        let changed =
            dialect.altersTables
            ? renameTables(pairs) + (try pairs.flatMap { try alter($0, from: older) })
            : try remake(remade, from: older)
                + pairs.filter { pair in !remade.contains { $0.draft == pair.draft } }.flatMap {
                    try addColumns($0)
                }
        return TableStatements(
            drafts: try fresh.flatMap { try createDraft(of: $0.entity, $0.draft) },
            others: removed.map(\.remove) + drops + changed
                + fresh.flatMap { publish($0.draft, as: $0.entity) }
                + added.map(\.add))
    }

    /// The texts of the unique indexes that come after a new one of the same table.
    ///
    /// Existing ones must be rebuilt, because a row is checked against them in the order of their creation.
    private static func uniqueIndexesAfterNewOnes(
        _ before: [AddedConstraint], _ after: [AddedConstraint]
    ) -> Set<String> {
        let (before, after) = (before.filter(\.isUniqueIndex), after.filter(\.isUniqueIndex))
        return Dictionary(grouping: after, by: \.tables).reduce(into: []) { moved, indexes in
            var earlier = before.filter { $0.tables == indexes.key }.map(\.add)[...]
            for (number, index) in indexes.value.enumerated() {
                guard let place = earlier.firstIndex(of: index.add) else {
                    return moved.formUnion(indexes.value[number...].map(\.add))
                }
                earlier = earlier[(place + 1)...]
            }
        }
    }

    /// Returns the statements that create the table of an entity under another name.
    ///
    /// If the name of a key's index must be unique, the index gets a name of its own as well.
    func createDraft(of entity: Entity, _ draft: String) throws -> [String] {
        let key = dialect.altersTables ? TablePair.key(draft) : nil
        return [try createTable(entity.name, as: qualified(draft), key: key)]
            + (isDistributed ? distribute([draft]) : [])
    }

    func publish(_ draft: String, as entity: Entity) -> [String] {
        guard !dialect.altersTables else {
            return rename(
                draft, key: TablePair.key(draft), to: entity.table, ConstraintName.primaryKey(of: entity))
        }
        return ["ALTER TABLE \(qualified(draft)) RENAME TO \(SQLDialect.quoted(entity.table))"]
    }

    /// The value of a new column in a row of the old table.
    func value(_ source: ValueSource, of attribute: Attribute, in old: Entity) -> String {
        guard let before = source.attribute.flatMap(old.attribute) else {
            return dialect.literal(source.fallback, attribute.type)
        }
        let column = SQLDialect.quoted(before.column)
        // The collation of a type is that of its columns, and no part of the type.
        let type = dialect.columnTypes[attribute.type]?.components(separatedBy: " COLLATE").first ?? ""
        let value = before.type == attribute.type ? column : "CAST(\(column) AS \(type))"
        guard !source.fallback.isNull else { return value }
        return "coalesce(\(value), \(dialect.literal(source.fallback, attribute.type)))"
    }

    /// The folded copy of a new column in a row of the old table, as far as that has one.
    func folded(_ source: ValueSource, of attribute: Attribute, in old: Entity) -> String {
        let nothing = attribute.isOptional ? "NULL" : dialect.literal(.text(""), .text)
        guard let before = source.attribute.flatMap(old.attribute), before.isSearchable else {
            return nothing
        }
        let column = SQLDialect.quoted(before.searchColumn)
        return before.isOptional && !attribute.isOptional ? "coalesce(\(column), \(nothing))" : column
    }
}

/// Statements that change tables.
package struct TableStatements {
    /// Those that make the new tables, under other names.
    package let drafts: [String]
    /// Those that do the rest, once the new tables have their rows.
    package let others: [String]
}

/// A table that becomes another one.
struct TablePair {
    let old: Entity
    let new: Entity
    let sources: [ValueSource]
    /// The name, unquoted, that the table has while others take new names.
    let draft: String

    /// The name, unquoted, of the key of a table that has another name for a while.
    static func key(_ draft: String) -> String { draft + "_key" }

    /// Whether a column has another name.
    var renamesColumns: Bool { attributes.contains { ($0.old?.column ?? $0.new.column) != $0.new.column } }

    /// The attributes of the new entity, each with its source and, if it had a column, the old attribute.
    var attributes: [(new: Attribute, source: ValueSource, old: Attribute?)] {
        zip(new.attributes, sources).map { ($0, $1, $1.attribute.flatMap(old.attribute)) }
    }
}
