internal import SwitchyardCore

/// A table that is offered: the rows of an entity, the pairs of a relationship, or a table as the file has it.
struct VirtualTable: Sendable {
    /// The table as an adoption sees it.
    private(set) var description: ForeignTable
    /// The columns, in the order of the description.
    private(set) var columns: [VirtualColumn]
    /// The table of the file, in quotes; its alias is `r`.
    private let source: String
    /// Which of its rows are meant; empty for all.
    private let condition: String
    private let order: String
    /// The tables that columns can need besides, by what follows `LEFT JOIN`.
    private let joins: [String]

    init(
        name: String, isTable: Bool = true, columns: [VirtualColumn], primaryKey: [String],
        uniqueConstraints: [[String]] = [], purpose: String? = nil, source: String, condition: String = "",
        order: [String] = [], joins: [String] = [], hasUndeclaredReferences: Bool = false
    ) {
        description = ForeignTable(
            name: name, isTable: isTable, columns: columns.map(\.description), primaryKey: primaryKey,
            foreignKeys: columns.compactMap { column in
                column.target.map { target in
                    ForeignTable.Reference(
                        columns: [column.description.name], table: target, targets: [],
                        inverse: column.inverse?.name, deleteRule: column.inverse?.deleteRule.rule)
                }
            }, uniqueConstraints: uniqueConstraints, purpose: purpose,
            hasUndeclaredReferences: hasUndeclaredReferences)
        (self.columns, self.condition, self.joins) = (columns, condition, joins)
        self.source = source.quotedName
        self.order = order.joined(separator: ", ")
    }

    /// The query of some terms over all rows.
    ///
    /// - Parameters:
    ///   - terms: What the query returns; without any, a null for each row.
    ///   - chosen: The columns of the terms, which say what is joined.
    ///   - further: A further condition of the rows; empty for none.
    /// - Returns: The query.
    func query(
        _ terms: [String], joining chosen: [VirtualColumn], where further: String = ""
    ) -> String {
        let list = terms.isEmpty ? "NULL" : terms.joined(separator: ", ")
        let joined = chosen.contains(where: \.needsJoin) ? joins.map { " LEFT JOIN \($0)" }.joined() : ""
        return "SELECT \(list) FROM \(source) AS r\(joined)"
            + conditions(further) + (order.isEmpty ? "" : " ORDER BY \(order)")
    }

    /// The query of how many rows meet a further condition.
    func countQuery(_ further: String) -> String {
        "SELECT count(*) FROM \(source) AS r" + conditions(further)
    }

    private func conditions(_ further: String) -> String {
        let conditions = [condition, further].filter { !$0.isEmpty }.map { "(\($0))" }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    /// Reads columns of dates as the file has them.
    mutating func readAsNumbers(_ positions: [Int]) {
        for position in positions { columns[position] = columns[position].asNumber }
        description = ForeignTable(
            name: description.name, isTable: description.isTable, columns: columns.map(\.description),
            primaryKey: description.primaryKey, foreignKeys: description.foreignKeys,
            uniqueConstraints: description.uniqueConstraints, purpose: description.purpose,
            hasUndeclaredReferences: description.hasUndeclaredReferences)
    }
}

/// A column of a virtual table.
struct VirtualColumn: Sendable {
    let description: ForeignTable.Column
    /// What gives the value, over a row `r`.
    let expression: String
    let reading: Reading
    /// The virtual table whose row the value is the key of.
    let target: String?
    /// The to-many relationship back.
    let inverse: ManagedRelationship?
    /// Whether the expression needs the joins of the table.
    let needsJoin: Bool

    init(
        _ name: String, type: String, isOptional: Bool = true, defaultValue: ForeignValue? = nil,
        purpose: String? = nil, _ expression: String, _ reading: Reading = .plain, target: String? = nil,
        inverse: ManagedRelationship? = nil, needsJoin: Bool = false
    ) {
        description = .init(
            name: name, type: type, isOptional: isOptional, defaultValue: defaultValue, purpose: purpose)
        (self.expression, self.reading) = (expression, reading)
        (self.target, self.inverse, self.needsJoin) = (target, inverse, needsJoin)
    }

    /// The same column of a double, as the file has it.
    fileprivate var asNumber: VirtualColumn {
        VirtualColumn(
            description.name, type: "double", isOptional: description.isOptional, expression,
            needsJoin: needsJoin)
    }
}

/// The columns of a virtual table while they are gathered.
struct ColumnList {
    private(set) var columns: [VirtualColumn] = []
    private var names: Set<String> = []

    /// A name that no column has, also if their case is ignored.
    mutating func unused(_ name: String) -> String {
        var free = name
        while !names.insert(free.lowercased()).inserted { free += "_" }
        return free
    }

    mutating func add(_ column: VirtualColumn) { columns.append(column) }

    /// Adds a reference: a column for each entity that its rows may have, or for the only one.
    ///
    /// - Parameters:
    ///   - name: The name of the reference.
    ///   - key: What gives the key of the row, over a row `r`.
    ///   - entity: What gives the number of the row's entity; only asked for several targets.
    ///   - targets: The entities.
    ///   - isOptional: Whether the reference may be nil.
    ///   - inverse: The to-many relationship back.
    mutating func addReference(
        _ name: String, key: String, entity: String, to targets: [NumberedEntity], isOptional: Bool,
        inverse: ManagedRelationship? = nil
    ) {
        guard targets.count > 1 else {
            add(
                VirtualColumn(
                    unused(name), type: targets.isEmpty ? "integer" : "reference", isOptional: isOptional,
                    key,
                    target: targets.first?.name, inverse: inverse))
            return
        }
        let numbers = targets.map { String($0.number) }.joined(separator: ", ")
        for (index, target) in targets.enumerated() {
            // A key that leads to no row must not disappear: the first column shows it.
            let isAny = index == 0 ? "\(entity) IS NULL OR \(entity) NOT IN (\(numbers)) OR " : ""
            add(
                VirtualColumn(
                    unused("\(name)_\(target.name)"), type: "reference",
                    "CASE WHEN \(isAny)\(entity) = \(target.number) THEN \(key) END", target: target.name,
                    inverse: inverse))
        }
    }
}

extension ManagedRelationship.DeleteRule {
    /// The rule of a store's models.
    fileprivate var rule: DeleteRule {
        switch self {
        case .noAction: .noAction
        case .nullify: .nullify
        case .cascade: .cascade
        case .deny: .deny
        }
    }
}
