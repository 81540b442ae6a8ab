internal import SwitchyardCore

/// How the rows of one table become those of an entity.
struct TableConversion: Sendable {
    let table: ForeignTable
    /// The table's name in lower case.
    let foldedName: String
    let entity: Entity
    /// The columns that are read.
    private(set) var columns: [String] = []
    /// The positions of the key among them.
    private(set) var key: [Int] = []
    /// Where each attribute gets its value from.
    private(set) var sources: [Source] = []
    /// The columns that give the ids, if the key does not.
    private(set) var identity: Identity?

    /// The columns that give the ids of the rows.
    struct Identity: Sendable {
        let parts: [Part]
        let unusable: UnusableID
        let shared: SharedID

        /// A column, or a reference whose target's id counts.
        enum Part: Sendable {
            case value(Int)
            case reference(Int, to: String)
        }

        /// The positions of the columns.
        var positions: [Int] {
            parts.map { part in
                switch part {
                case .value(let position), .reference(let position, _): position
                }
            }
        }
    }

    enum Source: Sendable {
        case id
        case value(Int, AdoptedForm)
        case reference([Int], to: String, MissingReference)
        case constant(StoredValue)
    }

    /// The columns that an attribute gets its values from.
    func columns(of source: Source) -> [String] {
        switch source {
        case .id: (identity?.positions ?? key).map { columns[$0] }
        case .value(let position, _): [columns[position]]
        case .reference(let positions, _, _): positions.map { columns[$0] }
        case .constant: []
        }
    }

    /// Combines the declarations of the plan with matching names; a remaining column or attribute is a fault.
    init(
        _ table: ForeignTable, as entity: Entity, _ rules: [ColumnRule],
        tables: [String: (table: ForeignTable, key: [String])], _ faults: inout [AdoptionFault]
    ) {
        (self.table, foldedName, self.entity) = (table, table.name.folded, entity)
        var unused = Set(table.columns.map(\.name.folded))
        func fault(_ column: String?, _ reason: String) {
            faults.append(AdoptionFault(table: table.name, column: column, reason: reason))
        }
        var names: Set<String> = []
        for column in table.columns where !names.insert(column.name.folded).inserted {
            fault(
                column.name,
                "another column has the same name but for its case: adopt a view with another name")
            return
        }
        for name in rules.flatMap(\.columns) {
            if !table.columns.contains(where: { $0.name.folded == name.folded }) {
                fault(name, "the table has no such column")
            }
            unused.remove(name.folded)
        }
        let keyNames = tables[entity.name]?.key ?? []
        if keyNames.isEmpty { fault(nil, "it has no primary key: name the columns that tell its rows apart") }
        unused.subtract(keyNames.map(\.folded))
        key = keyNames.map { read($0) }
        for attribute in entity.attributes {
            sources.append(
                attribute.name == "id"
                    ? .id : source(of: attribute, rules, tables, &unused, fault))
        }
        for column in table.columns where unused.contains(column.name.folded) && column.purpose == nil {
            fault(column.name, "the plan does not mention it")
        }
        identity = rules.lazy.compactMap { rule -> ([String], UnusableID, SharedID)? in
            if case .id(let columns, let unusable, let shared) = rule {
                (columns, unusable, shared)
            } else {
                nil
            }
        }.first.map { columns, unusable, shared in
            Identity(parts: columns.map { part($0, tables) }, unusable: unusable, shared: shared)
        }
    }

    /// A column of the id: a reference if it was read as one, or if it is a foreign key of the table.
    private mutating func part(
        _ column: String, _ tables: [String: (table: ForeignTable, key: [String])]
    ) -> Identity.Part {
        let position = read(column)
        for case .reference([position], let target, _) in sources { return .reference(position, to: target) }
        let key = table.foreignKeys.first { $0.columns.map(\.folded) == [column.folded] }
        guard let key, let target = tables.first(where: { $0.value.table.name.folded == key.table.folded })
        else {
            return .value(position)
        }
        return .reference(position, to: target.key)
    }

    private mutating func read(_ name: String) -> Int {
        if let position = columns.firstIndex(where: { $0.folded == name.folded }) { return position }
        columns.append(table.columns.first { $0.name.folded == name.folded }?.name ?? name)
        return columns.count - 1
    }

    private mutating func source(
        of attribute: Attribute, _ rules: [ColumnRule],
        _ tables: [String: (table: ForeignTable, key: [String])], _ unused: inout Set<String>,
        _ fault: (String?, String) -> Void
    ) -> Source {
        switch rules.first(where: { $0.attribute == attribute.name }) {
        case .fill(_, let value): return .constant(value)
        case .reference(let columns, _, let missing):
            return reference(attribute, columns, missing, tables, fault)
        case .value(let column, _, let form):
            if attribute.reference != nil { return reference(attribute, [column], .refused, tables, fault) }
            return .value(read(column), form)
        default: break
        }
        let names = [attribute.name.plain, attribute.column.plain]
        if let target = attribute.reference {
            let found = table.foreignKeys.first { key in
                key.columns.count == 1 && tables[target]?.table.name.folded == key.table.folded
                    && names.contains { [$0, $0 + "id"].contains(key.columns[0].plain) }
            }
            if let found {
                unused.remove(found.columns[0].folded)
                return reference(attribute, found.columns, .refused, tables, fault)
            }
        }
        let equal = table.columns.filter { names.contains($0.name.plain) }
        if equal.count == 1 {
            unused.remove(equal[0].name.folded)
            return attribute.reference != nil
                ? reference(attribute, [equal[0].name], .refused, tables, fault)
                : .value(read(equal[0].name), .asIs)
        }
        if equal.count > 1 {
            fault(equal[0].name, "several columns match the name \(entity.name).\(attribute.name)")
        } else if attribute.defaultValue == nil, !attribute.isOptional {
            fault(nil, "it has no column for \(entity.name).\(attribute.name), which needs a value")
        }
        return .constant(attribute.defaultValue ?? .null)
    }

    private mutating func reference(
        _ attribute: Attribute, _ columns: [String], _ missing: MissingReference,
        _ tables: [String: (table: ForeignTable, key: [String])], _ fault: (String?, String) -> Void
    ) -> Source {
        guard let target = attribute.reference, let parent = tables[target] else {
            fault(columns.first, "no table becomes the rows that it refers to")
            return .constant(.null)
        }
        let declared = table.foreignKeys.first { $0.columns.map(\.folded) == columns.map(\.folded) }
        let targets = declared.map { $0.targets.isEmpty ? parent.key : $0.targets } ?? parent.key
        let leadsElsewhere =
            targets.map(\.folded) != parent.key.map(\.folded)
            || declared.map { $0.table.folded != parent.table.name.folded } ?? false
        // A view has the key of a table below it, to which the foreign keys lead.
        if columns.count != parent.key.count || parent.table.isTable && leadsElsewhere {
            fault(columns.first, "it does not refer to the key of \(parent.table.name)")
        }
        return .reference(columns.map { read($0) }, to: target, missing)
    }
}
