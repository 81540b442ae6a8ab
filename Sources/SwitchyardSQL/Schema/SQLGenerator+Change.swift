internal import Foundation
package import SwitchyardCore

extension SQLGenerator {
    /// Returns the statements that make the tables of an older schema those of this one, and carry the rows over.
    ///
    /// Indexes and foreign keys that are the same in both stay; the others are removed first and added last. The folded
    /// copies of attributes that could not be searched before are left empty, or null.
    ///
    /// - Parameters:
    ///   - changes: What becomes of each table that is not the same.
    ///   - older: The generator of the older schema.
    /// - Returns: The statements, in order.
    /// - Throws: `schemaInvalid` if the filter of an index cannot be written.
    package func change(_ changes: [TableChange], from older: SQLGenerator) throws -> [String] {
        let pairs = changes.enumerated().compactMap { number, change -> TablePair? in
            guard case .change(let old, let new, let sources) = change else { return nil }
            return TablePair(old: old, new: new, sources: sources, draft: "switchyard_draft_\(number)")
        }
        let remade = dialect.altersTables ? [] : try pairs.filter { try remakes($0, from: older) }
        let (before, after) = (try older.addedConstraints(), try addedConstraints())
        let (had, has) = (Set(before.map(\.add)), Set(after.map(\.add)))
        // The same text can mean another column, which has taken the name of the first.
        let other = dialect.altersTables ? pairs.filter(\.renamesColumns) : remade
        let (left, entered) = (Set(other.map(\.old.table)), Set(other.map(\.new.table)))
        let removed = before.filter { !has.contains($0.add) || left.contains($0.table) }
        let added = after.filter { !had.contains($0.add) || entered.contains($0.table) }
        var drops: [String] = []
        var creations: [String] = []
        for change in changes {
            switch change {
            case .create(let entity): creations.append(try createTable(entity.name))
            case .drop(let entity): drops.append("DROP TABLE \(qualified(entity.table))")
            case .change: break
            }
        }
        let changed =
            dialect.altersTables
            ? renameTables(pairs) + creations + (try pairs.flatMap { try alter($0, from: older) })
            : try remake(remade, from: older) + creations
                + pairs.filter { pair in !remade.contains { $0.draft == pair.draft } }.flatMap {
                    try addColumns($0)
                }
        return removed.map(\.remove) + drops + changed + added.map(\.add)
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

/// A table that becomes another one.
struct TablePair {
    let old: Entity
    let new: Entity
    let sources: [ValueSource]
    /// The name, unquoted, that the table has while others take new names.
    let draft: String

    /// Whether a column has another name.
    var renamesColumns: Bool { attributes.contains { ($0.old?.column ?? $0.new.column) != $0.new.column } }

    /// The attributes of the new entity, each with its source and, if it had a column, the old attribute.
    var attributes: [(new: Attribute, source: ValueSource, old: Attribute?)] {
        zip(new.attributes, sources).map { ($0, $1, $1.attribute.flatMap(old.attribute)) }
    }
}
