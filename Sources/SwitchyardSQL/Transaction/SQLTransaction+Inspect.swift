internal import Foundation
public import SwitchyardCore

extension SQLTransaction {
    /// Compares the tables with the schema that a migration begins with.
    ///
    /// - Throws: As `TableInspecting` says.
    public func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] {
        guard let first = steps.first else { return [] }
        let catalog = try connection.catalog()
        let before = try SQLPlan(plan.sql.printing(first.older))
        let faults = try before.columnFaults(in: catalog) + before.constraintFaults(in: catalog)
        guard faults.isEmpty else { throw StoreError.tablesUnlike(first.older.version, faults) }
        let parts = try SQLPlan.unknownParts(beside: [before], in: catalog)
        var fates = parts.map { PartFate($0) }
        var (older, clashes) = (before.sql, [UnknownPart]())
        // What is the store's own, or was told, is not in the way under its name.
        var told = try Set((older.names().union(parts.map(\.name))).map(older.nameKey))
        for step in steps {
            let newer = plan.sql.printing(step.newer)
            let names = try newer.names().subtracting(older.names())
            for index in fates.indices where fates[index].obstacle == nil {
                try fates[index].go(through: step, from: older, to: newer, making: names)
            }
            for name in catalog.takenNames.sorted()
            where names.contains(where: { newer.nameKey($0) == newer.nameKey(name) }) {
                guard told.insert(newer.nameKey(name)).inserted else { continue }
                clashes.append(
                    UnknownPart(
                        table: name, kind: .table, name: name,
                        obstacle:
                            "Version \(step.newer.version) makes a table or an index of that name. Rename it."
                    ))
            }
            told.formUnion(names.map(newer.nameKey))
            older = newer
        }
        return fates.map { $0.part.unknown(obstacle: $0.obstacle) } + clashes
    }

    /// Throws if a change of tables has lost what they had beside their schema, and makes again what can be made.
    ///
    /// - Parameters:
    ///   - parts: What the tables had.
    ///   - changes: What has become of the tables.
    ///   - newer: The plan of the schema that they have now.
    /// - Throws: `schemaMismatch`, naming what would be lost; as the statements.
    func keep(_ parts: [SQLPart], after changes: [TableChange], _ newer: SQLPlan) throws {
        guard !parts.isEmpty else { return }
        let names = Dictionary(
            changes.compactMap { change in change.old.map { ($0.table, change.new?.table) } },
            uniquingKeysWith: { $1 })
        func missing() throws -> [SQLPart] {
            let kept = try SQLPlan.unknownParts(beside: [newer], in: try connection.catalog())
            return parts.filter { part in
                let table = names[part.table] ?? part.table
                return !kept.contains {
                    $0.kind == part.kind && $0.name == part.name && $0.table == table
                }
            }
        }
        try run(try missing().compactMap(\.statement))
        guard let lost = try missing().first else { return }
        throw StoreError(
            .schemaMismatch,
            "The change of the table \(lost.table) would lose what others have added; nothing was changed. "
                + lost.unknown().description)
    }
}

/// What becomes of a part that the schema does not know, from one version to the next.
private struct PartFate {
    let part: SQLPart
    /// Why it is in the way; nil if it is not.
    private(set) var obstacle: String?
    private var table: String
    private var columns: Set<String>

    init(_ part: SQLPart) {
        (self.part, table, columns) = (part, part.table, part.columns)
    }

    /// Follows the part through a step.
    mutating func go(
        through step: SchemaStep, from older: SQLGenerator, to newer: SQLGenerator, making names: Set<String>
    ) throws {
        let version = step.newer.version
        if [.index, .view].contains(part.kind),
            names.contains(where: { newer.nameKey($0) == newer.nameKey(part.name) })
        {
            obstacle = "Version \(version) makes a table or an index of that name. Rename it, or drop it."
            return
        }
        guard let change = step.changes.first(where: { $0.old?.table == table }) else { return }
        guard let new = change.new else {
            obstacle = "Version \(version) drops the table. \(advice)"
            return
        }
        let taken = new.attributes.flatMap { [$0.column] + ($0.isSearchable ? [$0.searchColumn] : []) }
        if part.kind == .column, taken.contains(where: { newer.nameKey($0) == newer.nameKey(part.name) }) {
            obstacle =
                "Version \(version) has a column of that name, which would take its place. Rename it, or drop it if nobody "
                + "needs its values."
            return
        }
        let fate = try ColumnFates(change, from: older, to: newer)
        if fate.losesParts(of: part.kind) || !columns.isDisjoint(with: fate.lost) {
            obstacle =
                "Version \(version) \(fate.isMadeAnew ? "makes the table anew" : "changes what it needs"). \(advice)"
        }
        table = new.table
        columns = Set(columns.map { fate.renamed[$0] ?? $0 })
    }

    private var advice: String {
        part.kind == .column
            ? "Move its values elsewhere, and drop it."
            : "Drop it before the migration, and make it again afterwards."
    }
}

/// What becomes of the columns of a table that changes, for what depends on them.
private struct ColumnFates {
    /// The columns that go, or that nothing may depend on while they change.
    private(set) var lost: Set<String> = []
    /// The new names of columns that everything follows.
    private(set) var renamed: [String: String] = [:]
    /// Whether a new table takes the place of the old one.
    let isMadeAnew: Bool
    private let isRenamed: Bool
    private let keepsNone: Bool

    init(_ change: TableChange, from older: SQLGenerator, to newer: SQLGenerator) throws {
        let alters = newer.dialect.altersTables
        isRenamed = change.old?.table != change.new?.table
        guard case .change(let old, let new, let sources) = change else {
            (isMadeAnew, keepsNone) = (true, alters)
            let columns = Set(change.new?.allColumns ?? [])
            lost = Set(change.old?.allColumns ?? []).subtracting(columns)
            return
        }
        let pair = TablePair(old: old, new: new, sources: sources, draft: "")
        isMadeAnew = try !alters && newer.remakes(pair, from: older)
        keepsNone = false
        var kept: [String: String] = [:]
        for (attribute, source, before) in pair.attributes {
            guard let before else { continue }
            let isRewritten = before.type != attribute.type || !source.fallback.isNull
            guard !alters || !isRewritten else { continue }
            kept[before.column] = attribute.column
            if before.isSearchable, attribute.isSearchable {
                kept[before.searchColumn] = attribute.searchColumn
            }
        }
        lost = Set(old.allColumns).filter { kept[$0] == nil || !alters && kept[$0] != $0 }
        renamed = kept
    }

    /// Whether a part goes with the old table, whatever it needs of it.
    func losesParts(of kind: UnknownPart.Kind) -> Bool {
        guard isMadeAnew else { return false }
        return keepsNone || isRenamed || [.column, .constraint, .other].contains(kind)
    }
}

extension Entity {
    /// The columns of the table, the folded copies included.
    fileprivate var allColumns: [String] {
        attributes.flatMap { [$0.column] + ($0.isSearchable ? [$0.searchColumn] : []) }
    }
}
