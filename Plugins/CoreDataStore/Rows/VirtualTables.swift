internal import SwitchyardCore

/// The tables that a Core Data store is offered as.
struct VirtualTables {
    private(set) var tables: [VirtualTable] = []
    /// What cannot be offered as the model has it.
    private(set) var findings: [ForeignFinding] = []

    private(set) var families: [Family] = []
    /// Whether rows may be referred to by columns of which no model says so.
    private let hasUndeclaredReferences: Bool
    private let catalogue: StoreCatalogue
    private let pendingDeletes: PendingDeletes

    /// The to-many relationships that have no inverse, and those whose inverse is one.
    private let withoutInverse: [(owner: ManagedEntity, relationship: ManagedRelationship)]
    private let manyToMany: [(relationship: ManagedRelationship, inverse: ManagedRelationship)]

    init(_ catalogue: StoreCatalogue, _ pendingDeletes: PendingDeletes, keepsHistory: Bool) {
        (self.catalogue, self.pendingDeletes) = (catalogue, pendingDeletes)
        hasUndeclaredReferences = catalogue.entities.contains { catalogue.managedEntity($0.name) == nil }
        let toMany = (catalogue.model?.entities ?? []).flatMap { entity in
            entity.relationships.filter(\.isToMany).map { (owner: entity, relationship: $0) }
        }
        withoutInverse = toMany.filter { $0.relationship.inverse == nil }
        manyToMany = toMany.compactMap { _, relationship in
            Self.inverse(of: relationship, in: catalogue).flatMap { inverse in
                inverse.isToMany ? (relationship: relationship, inverse: inverse) : nil
            }
        }
        var others = Set(catalogue.tables.map(\.name))
        for root in catalogue.entities where root.number == catalogue.root(of: root).number {
            let name = "Z" + root.name.uppercased()
            guard let table = catalogue.table(name) else {
                findings.append(
                    ForeignFinding(
                        .tableMissing, table: root.name, "The file has no table \(name) for its rows."))
                continue
            }
            others.remove(name)
            addEntities(of: table, catalogue.family(of: root))
        }
        for entity in catalogue.model?.entities ?? [] where catalogue.entity(named: entity.name) == nil {
            findings.append(
                ForeignFinding(
                    .modelIncomplete, table: entity.name,
                    "The model has this entity, and the file has no number for it: it cannot have rows."))
        }
        let joins = catalogue.tables.compactMap { JoinTable($0) }
        for join in joins where others.remove(join.table.name) != nil { add(join) }
        for table in catalogue.tables where others.contains(table.name) { add(table) }
        if keepsHistory, let history = HistoryTable(catalogue) { tables.append(history.table) }
        tables.sort { $0.description.name < $1.description.name }
    }

    /// Adds the entities whose rows a table has.
    private mutating func addEntities(of table: PhysicalTable, _ family: [NumberedEntity]) {
        let concrete = family.filter(catalogue.isConcrete)
        guard let model = catalogue.model, family.allSatisfy({ catalogue.managedEntity($0.name) != nil })
        else {
            for entity in concrete { addEntity(entity, of: table) }
            families.append(Family(table: table, entities: concrete, names: nil))
            for entity in family where catalogue.model != nil && catalogue.managedEntity(entity.name) == nil {
                findings.append(
                    ForeignFinding(
                        .modelIncomplete, table: entity.name,
                        "The model does not have this entity: its columns have the names of the table \(table.name)."
                    ))
            }
            return
        }
        var names = ColumnNames(family, of: table, in: model)
        for property in names.missing {
            findings.append(
                ForeignFinding(
                    .propertyMissing, table: property.entity,
                    "The model has the property \(property.path.joined(separator: ".")), and the file has no column for it."
                ))
        }
        let hidden = hiddenReferences(in: table, family, &names)
        for entity in concrete { addEntity(entity, of: table, names, hidden) }
        families.append(Family(table: table, entities: concrete, names: names))
    }

    /// The entities whose rows a table has, and their columns.
    struct Family {
        let table: PhysicalTable
        let entities: [NumberedEntity]
        /// The columns of each property; nil without a model.
        let names: ColumnNames?
    }

    /// A to-many relationship without an inverse, whose rows have a hidden reference.
    private struct HiddenReference {
        let column: String
        let owner: ManagedEntity
        let relationship: ManagedRelationship
    }

    private func hiddenReferences(
        in table: PhysicalTable, _ family: [NumberedEntity], _ names: inout ColumnNames
    ) -> [HiddenReference] {
        let members = Set(family.map(\.name))
        var found: [HiddenReference] = []
        for (owner, relationship) in withoutInverse where members.contains(relationship.destination) {
            guard let number = catalogue.entity(named: owner.name)?.number else { continue }
            let column = "Z\(number)\(relationship.name.uppercased())"
            guard table.has(column) else { continue }
            names.use(column)
            found.append(HiddenReference(column: column, owner: owner, relationship: relationship))
        }
        return found
    }

    /// Adds an entity whose properties the model names.
    private mutating func addEntity(
        _ numbered: NumberedEntity, of table: PhysicalTable, _ names: ColumnNames,
        _ hidden: [HiddenReference]
    ) {
        guard let entity = catalogue.managedEntity(numbered.name) else { return }
        var list = ColumnList()
        addOwnColumns(&list)
        addAttributes(entity.attributes, [], of: entity, names, isOptional: false, &list)
        for relationship in entity.relationships where !relationship.isToMany && !relationship.isTransient {
            guard let column = names.column(entity.name, [relationship.name]) else { continue }
            let targets = catalogue.targets(of: relationship.destination)
            list.addReference(
                relationship.name, key: "r." + column.quotedName,
                entity: entityNumber(of: column, names, relationship.destination), to: targets,
                isOptional: relationship.isOptional,
                inverse: inverse(of: relationship).flatMap { $0.isToMany ? $0 : nil })
            if let position = names.positionColumn(of: column) {
                list.add(
                    VirtualColumn(
                        list.unused("\(relationship.name)_position"), type: "integer",
                        "r." + position.quotedName))
            }
        }
        let line = Set(ancestors(of: entity.name))
        for reference in hidden where line.contains(reference.relationship.destination) {
            list.addReference(
                "\(reference.owner.name)_\(reference.relationship.name)",
                key: "r." + reference.column.quotedName,
                entity: entityNumber(of: reference.column, names, reference.owner.name),
                to: catalogue.targets(of: reference.owner.name), isOptional: true,
                inverse: reference.relationship)
            if let position = names.positionColumn(of: reference.column) {
                list.add(
                    VirtualColumn(
                        list.unused("\(reference.owner.name)_\(reference.relationship.name)_position"),
                        type: "integer",
                        "r." + position.quotedName))
            }
        }
        for column in names.unused {
            list.add(
                VirtualColumn(
                    list.unused(column), type: table.type(of: column).lowercased(), "r." + column.quotedName))
        }
        let offered = Set(list.columns.map(\.description.name))
        let unique = entity.uniqueConstraints.filter { $0.allSatisfy(offered.contains) }
        append(numbered, of: table, list, unique: unique)
    }

    private func ancestors(of name: String) -> [String] {
        var line = [name]
        while let next = line.last.flatMap({ catalogue.managedEntity($0)?.superentity }) { line.append(next) }
        return line
    }

    /// What gives the entity of the row that a reference leads to.
    private func entityNumber(of column: String, _ names: ColumnNames, _ destination: String) -> String {
        if let number = names.entityColumn(of: column) { return "r." + number.quotedName }
        return entityNumber(ofKey: "r." + column.quotedName, in: destination)
    }

    private func entityNumber(ofKey key: String, in destination: String) -> String {
        guard let entity = catalogue.entity(named: destination),
            let table = catalogue.table("Z" + catalogue.root(of: entity).name.uppercased())
        else { return "NULL" }
        return "(SELECT Z_ENT FROM \(table.name.quotedName) AS t WHERE t.Z_PK = \(key))"
    }

    private func addAttributes(
        _ attributes: [ManagedAttribute], _ path: [String], of entity: ManagedEntity, _ names: ColumnNames,
        isOptional: Bool, _ list: inout ColumnList
    ) {
        for attribute in attributes where !attribute.isTransient {
            let path = path + [attribute.name]
            let isOptional = isOptional || attribute.isOptional
            if attribute.type == .composite {
                addAttributes(attribute.elements, path, of: entity, names, isOptional: isOptional, &list)
            } else if let column = names.column(entity.name, path) {
                let reading = attribute.reading
                list.add(
                    VirtualColumn(
                        list.unused(path.joined(separator: "_")), type: reading.type(attribute.type.word),
                        isOptional: isOptional, defaultValue: attribute.foreignDefault,
                        "r." + column.quotedName, reading))
            }
        }
    }

    /// Adds an entity that the model lacks, described by its table.
    private mutating func addEntity(_ entity: NumberedEntity, of table: PhysicalTable) {
        var list = ColumnList()
        addOwnColumns(&list)
        for (column, type) in table.columns where !ColumnNames.isOwn(column) {
            let name = String(column.dropFirst())
            let number = table.columns.map(\.name).lazy.compactMap { JoinTable.referenced($0, by: column) }
                .first
            if let target = number.flatMap({ catalogue.entity($0) }) {
                list.addReference(
                    name, key: "r." + column.quotedName,
                    entity: "r." + "Z\(target.number)_\(name)".quotedName,
                    to: catalogue.descendants(of: target),
                    isOptional: true)
            } else {
                let reading: Reading = type.uppercased() == "TIMESTAMP" ? .date : .plain
                list.add(
                    VirtualColumn(
                        list.unused(name), type: reading.type(type), "r." + column.quotedName, reading))
            }
            let position = "Z_FOK_" + name
            if table.has(position) {
                list.add(
                    VirtualColumn(
                        list.unused("\(name)_position"), type: "integer", "r." + position.quotedName))
            }
        }
        append(entity, of: table, list)
    }

    private func addOwnColumns(_ list: inout ColumnList) {
        list.add(VirtualColumn(list.unused("Z_PK"), type: "integer", isOptional: false, "r.Z_PK"))
        for (name, purpose, expression) in CloudRecords.columns(of: catalogue) {
            list.add(
                VirtualColumn(list.unused(name), type: "text", purpose: purpose, expression, needsJoin: true))
        }
    }

    private mutating func append(
        _ entity: NumberedEntity, of table: PhysicalTable, _ list: ColumnList, unique: [[String]] = []
    ) {
        var condition = "r.Z_ENT = \(entity.number)"
        if pendingDeletes == .applied, let deleted = CloudRecords.localDeletes(of: entity, in: catalogue) {
            condition += " AND r.Z_PK NOT IN (\(deleted))"
        }
        tables.append(
            VirtualTable(
                name: entity.name, columns: list.columns, primaryKey: ["Z_PK"], uniqueConstraints: unique,
                source: table.name,
                condition: condition, order: ["r.Z_PK"], joins: CloudRecords.joins(of: entity, in: catalogue),
                hasUndeclaredReferences: hasUndeclaredReferences)
        )
    }

    /// Reads columns of a table as numbers, and keeps what was found.
    mutating func note(_ found: [ForeignFinding], asNumbers positions: [Int], at index: Int) {
        findings += found
        tables[index].readAsNumbers(positions)
    }

    /// Adds the pairs of a many-to-many relationship.
    private mutating func add(_ join: JoinTable) {
        let pair = relationships(of: join)
        var list = ColumnList()
        var keys: [String] = []
        for (index, column) in join.columns.enumerated() {
            let relationship = pair?[index]
            // A relationship that is its own inverse leads both ways under one name.
            let name = relationship?.name ?? column.relationship
            let key = "r." + column.name.quotedName
            let number = column.number ?? join.columns[1 - index].number
            let destination = relationship?.destination ?? number.flatMap { catalogue.entity($0)?.name } ?? ""
            let targets = catalogue.targets(of: destination)
            let isReflexive = column.number == nil || list.columns.contains { $0.description.name == name }
            let shown = isReflexive ? "\(name)_inverse" : name
            if targets.count > 1 {
                // The key of a pair has no null; the columns for each entity have.
                keys.append(list.unused("$" + shown))
                list.add(
                    VirtualColumn(
                        keys[index], type: "integer", isOptional: false,
                        purpose: "the key of a row in \(destination)",
                        key))
            }
            list.addReference(
                shown, key: key, entity: entityNumber(ofKey: key, in: destination), to: targets,
                isOptional: false)
            if targets.count <= 1, let last = list.columns.last { keys.append(last.description.name) }
            if let position = column.position {
                list.add(
                    VirtualColumn(
                        list.unused("\(shown)_position"), type: "integer", "r." + position.quotedName))
            }
        }
        let owner = catalogue.entity(join.owner.number)?.name ?? "Z_\(join.owner.number)"
        let named =
            pair?.first { $0.name.uppercased() == join.owner.relationship }?.name ?? join.owner.relationship
        tables.append(
            VirtualTable(
                name: "\(owner)_\(named)", columns: list.columns, primaryKey: keys, source: join.table.name,
                order: join.columns.map { "r." + $0.name.quotedName }))
    }

    /// The relationships that lead to the rows of the two columns.
    private func relationships(of join: JoinTable) -> [ManagedRelationship]? {
        let numbers = join.columns.map { $0.number ?? join.columns.compactMap(\.number).first ?? 0 }
        for (relationship, inverse) in manyToMany {
            for order in [[relationship, inverse], [inverse, relationship]] {
                let fits = zip(join.columns, order).enumerated().allSatisfy { index, pair in
                    catalogue.entity(named: pair.1.destination)?.number == numbers[index]
                        && JoinTable.matches(pair.0, pair.1, to: numbers[index])
                }
                if fits { return order }
            }
        }
        return nil
    }

    private func inverse(of relationship: ManagedRelationship) -> ManagedRelationship? {
        Self.inverse(of: relationship, in: catalogue)
    }

    private static func inverse(
        of relationship: ManagedRelationship, in catalogue: StoreCatalogue
    ) -> ManagedRelationship? {
        guard let name = relationship.inverse else { return nil }
        return catalogue.managedEntity(relationship.destination)?.relationships.first { $0.name == name }
    }

    /// Adds a table of the file as it is.
    private mutating func add(_ table: PhysicalTable) {
        tables.append(
            VirtualTable(
                name: table.name, isTable: table.isTable,
                columns: table.columns.map { name, type in
                    VirtualColumn(name, type: type.lowercased(), "r." + name.quotedName)
                },
                primaryKey: table.has("Z_PK") ? ["Z_PK"] : [], purpose: Bookkeeping.purpose(of: table.name),
                source: table.name, order: table.has("Z_PK") ? ["r.Z_PK"] : []))
    }
}

extension JoinTable {
    /// The entity that a column such as `Z7_OWNER` names for the reference `ZOWNER`.
    static func referenced(_ name: String, by column: String) -> Int64? {
        guard name.hasPrefix("Z") else { return nil }
        let digits = name.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard name.dropFirst(1 + digits.count) == "_" + column.dropFirst() else { return nil }
        return Int64(digits)
    }
}

extension ManagedAttribute {
    /// The default value, as its column would have it.
    var foreignDefault: ForeignValue? {
        switch defaultValue {
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .integer(let number):
            type == .double || type == .float ? .real(Double(number)) : .integer(number)
        case .real(let number): .real(number)
        case .decimal(let number): CanonicalDecimal.text(number).map { .text($0) }
        case .text(let text): .text(text)
        default: nil
        }
    }

    /// How its column is read.
    var reading: Reading {
        switch type {
        case .date: .date
        case .uuid: .uuid
        case .transformable where !isExternal: .archive
        default: isExternal ? .external : .plain
        }
    }
}

extension ManagedType {
    /// The type in words.
    var word: String {
        switch self {
        case .undefined, .objectID: ""
        case .integer16, .integer32, .integer64: "integer"
        case .decimal: "decimal"
        case .double, .float: "double"
        case .string, .uri: "text"
        case .boolean: "boolean"
        case .date: "timestamp"
        case .binary: "blob"
        case .uuid: "uuid"
        case .transformable: "json"
        case .composite: "composite"
        }
    }
}
