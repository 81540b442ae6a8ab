/// The columns of the table of a family of entities: which property each one is of.
///
/// Core Data gives a property the column `Z` and its name in upper case. Where entities of one family have a property of the same
/// name, the later ones, in the order of their numbers, have a number after it.
struct ColumnNames {
    /// A property of an entity; a part of a composite by the names that lead to it.
    struct Property: Hashable {
        let entity: String
        let path: [String]
    }

    private var columns: [Property: String] = [:]
    private var used: Set<String> = []
    private let table: PhysicalTable

    /// The properties that the model has, and the table has not.
    private(set) var missing: [Property] = []
    /// The columns that no property has.
    var unused: [String] {
        table.columns.map(\.name).filter { !used.contains($0) && !Self.isOwn($0) }
    }

    init(_ family: [NumberedEntity], of table: PhysicalTable, in model: ManagedModel) {
        self.table = table
        for numbered in family {
            guard let entity = model.entity(numbered.name) else { continue }
            let parent = entity.superentity.flatMap { model.entity($0) }
            let inherited = Set(
                (parent?.attributes.map(\.name) ?? []) + (parent?.relationships.map(\.name) ?? []))
            for attribute in entity.attributes where !attribute.isTransient {
                if inherited.contains(attribute.name), let parent {
                    inherit([attribute], [], entity.name, parent.name)
                } else {
                    assign([attribute], [], entity.name)
                }
            }
            for relationship in entity.relationships where !relationship.isToMany && !relationship.isTransient
            {
                let property = Property(entity: entity.name, path: [relationship.name])
                if inherited.contains(relationship.name), let parent {
                    columns[property] = columns[Property(entity: parent.name, path: [relationship.name])]
                } else {
                    assign(property, "Z" + relationship.name.uppercased())
                }
            }
        }
    }

    /// The column of a property; nil if the table lacks it.
    func column(_ entity: String, _ path: [String]) -> String? {
        columns[Property(entity: entity, path: path)]
    }

    /// The columns of the properties of entities other than one, which the one does not share.
    func foreignColumns(to entity: String) -> [String] {
        let own = Set(columns.filter { $0.key.entity == entity }.values)
        return Set(columns.values).subtracting(own).sorted()
    }

    /// The column with the number of the entity of the row that a reference leads to, such as `Z7_OWNER` for `ZOWNER`.
    func entityColumn(of column: String) -> String? {
        table.columns.map(\.name).first { name in
            let rest = name.dropFirst().drop { $0.isNumber }
            return name.hasPrefix("Z") && rest.count < name.count - 1 && rest.hasPrefix("_")
                && rest.dropFirst() == column.dropFirst()
        }
    }

    /// The column with the position of a row among those that a reference's target orders.
    func positionColumn(of column: String) -> String? {
        let name = "Z_FOK_" + column.dropFirst()
        return table.has(name) ? name : nil
    }

    /// Notes that a column is used.
    mutating func use(_ column: String) { used.insert(column) }

    /// Whether a column holds no property: the key, the entity, the number of saves, the entity or the place of a reference.
    static func isOwn(_ column: String) -> Bool {
        guard column.hasPrefix("Z"), !["Z_PK", "Z_ENT", "Z_OPT"].contains(column), !column.hasPrefix("Z_FOK_")
        else { return true }
        let rest = column.dropFirst()
        let digits = rest.prefix { $0.isNumber }
        return !digits.isEmpty && rest.dropFirst(digits.count).hasPrefix("_")
    }

    private mutating func assign(_ attributes: [ManagedAttribute], _ path: [String], _ entity: String) {
        for attribute in attributes {
            let path = path + [attribute.name]
            if attribute.type == .composite {
                assign(attribute.elements, path, entity)
            } else {
                assign(Property(entity: entity, path: path), "Z" + path.joined().uppercased())
            }
        }
    }

    private mutating func inherit(
        _ attributes: [ManagedAttribute], _ path: [String], _ entity: String, _ parent: String
    ) {
        for attribute in attributes {
            let path = path + [attribute.name]
            if attribute.type == .composite {
                inherit(attribute.elements, path, entity, parent)
            } else {
                columns[Property(entity: entity, path: path)] = columns[Property(entity: parent, path: path)]
            }
        }
    }

    private mutating func assign(_ property: Property, _ base: String) {
        var (name, number) = (base, 0)
        while used.contains(name) {
            number += 1
            name = base + String(number)
        }
        guard table.has(name) else {
            missing.append(property)
            return
        }
        used.insert(name)
        columns[property] = name
    }
}
