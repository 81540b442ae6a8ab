import SwitchyardCore

extension Shape {
    /// The rows of each table that the file of the shape is to be offered as, by the names of the columns; without nulls.
    var expectedTables: [String: [[String: ForeignValue]]] {
        var tables: [String: [[String: ForeignValue]]] = [:]
        for entity in entities where !entity.isAbstract { tables[entity.name] = [] }
        for row in rows.sorted(by: { $0.key < $1.key }) {
            var values: [String: ForeignValue] = ["Z_PK": .integer(row.key)]
            for (name, value) in row.values {
                values[name.split(separator: ".").joined(separator: "_")] = value.expected
            }
            for (name, target) in row.references {
                let destination = destination(of: name, in: row.entity)
                values[column(name, to: target, in: destination)] = .integer(target.key)
                if let position = row.positions[name] { values["\(name)_position"] = .integer(position) }
            }
            tables[row.entity]?.append(values)
        }
        for (entity, relationship, inverse) in manyToMany {
            let isOwn = entity.name == relationship.destination && relationship.name == inverse.name
            let there = relationship.name
            let back = isOwn ? "\(relationship.name)_inverse" : inverse.name
            let found = pairs.filter { $0.entity == entity.name && $0.relationship == relationship.name }
            tables["\(entity.name)_\(relationship.name)"] = found.sorted {
                ($0.owner, $0.target) < ($1.owner, $1.target)
            }.map { pair in
                var values: [String: ForeignValue] = [:]
                for (name, destination, key) in [
                    (there, relationship.destination, pair.target), (back, entity.name, pair.owner),
                ] {
                    let row = rows.first {
                        $0.key == key && line($0.entity).contains { $0.name == destination }
                    }
                    let target = Target(entity: row?.entity ?? "", key: key)
                    values[column(name, to: target, in: destination)] = .integer(key)
                    if concrete(destination).count > 1 { values["$" + name] = .integer(key) }
                }
                if let position = pair.position, relationship.isOrdered {
                    values["\(there)_position"] = .integer(position)
                }
                return values
            }
        }
        return tables
    }

    /// The many-to-many relationships, each from the side after which its table is named.
    var manyToMany: [(entity: Entity, relationship: Relationship, inverse: Relationship)] {
        var (found, done) = (
            [(entity: Entity, relationship: Relationship, inverse: Relationship)](), Set<String>()
        )
        for entity in numbered {
            for relationship in entity.relationships where relationship.isToMany {
                let target = self.entity(relationship.destination)
                guard let inverse = target.relationships.first(where: { $0.name == relationship.inverse }),
                    inverse.isToMany, !done.contains("\(entity.name).\(relationship.name)")
                else { continue }
                done.formUnion(["\(entity.name).\(relationship.name)", "\(target.name).\(inverse.name)"])
                found.append((entity, relationship, inverse))
            }
        }
        return found
    }

    private func destination(of name: String, in entity: String) -> String {
        let own = line(entity).flatMap(\.relationships).first { $0.name == name }
        return own?.destination ?? String(name.split(separator: "_")[0])
    }

    private func column(_ name: String, to target: Target, in destination: String) -> String {
        concrete(destination).count > 1 ? "\(name)_\(target.entity)" : name
    }
}
