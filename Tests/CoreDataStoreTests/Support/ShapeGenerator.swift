import Foundation

/// Makes shapes from seeds.
struct ShapeGenerator {
    private var generator: SeededGenerator
    private var shape = Shape()
    private var relationships = 0

    static func shape(seed: UInt64) -> Shape {
        var generator = ShapeGenerator(generator: SeededGenerator(seed))
        generator.makeEntities()
        generator.makeRelationships()
        generator.makeRows()
        generator.makePairs()
        generator.shape.usesProxies = generator.chance(2)
        return generator.shape
    }

    private init(generator: SeededGenerator) { self.generator = generator }

    private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &generator) == 0 }

    // MARK: Model

    private mutating func makeEntities() {
        let names = ["Zebra", "Apple", "Mango", "Birch", "Quark"]
        for name in names.prefix(Int.random(in: 1...5, using: &generator)) {
            var root = Shape.Entity(name: name, attributes: attributes())
            let subs = chance(2) ? Int.random(in: 1...3, using: &generator) : 0
            root.isAbstract = subs > 0 && chance(2)
            shape.entities.append(root)
            var parents = [name]
            for sub in ["Young", "Old", "Middle"].prefix(subs) {
                let parent = parents[Int.random(in: parents.indices, using: &generator)]
                let own = attributes().filter { attribute in
                    !shape.line(parent).flatMap(\.attributes).contains { $0.name == attribute.name }
                }
                shape.entities.append(Shape.Entity(name: "\(sub)\(name)", parent: parent, attributes: own))
                parents.append("\(sub)\(name)")
            }
        }
    }

    private static let types: [Int64] = [100, 200, 300, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1800]

    private mutating func attributes() -> [Shape.Attribute] {
        (["title", "kind", "isOpen", "createdAt", "photo"] as [String]).compactMap { name in
            guard !chance(3) else { return nil }
            if chance(6) {
                return Shape.Attribute(
                    name: name, type: 2100,
                    elements: [
                        Shape.Attribute(name: "value", type: 500), Shape.Attribute(name: "unit", type: 700),
                        Shape.Attribute(
                            name: "range", type: 2100,
                            elements: [
                                Shape.Attribute(name: "low", type: 300),
                                Shape.Attribute(name: "high", type: 300),
                            ]),
                    ])
            }
            let type = Self.types[Int.random(in: Self.types.indices, using: &generator)]
            return Shape.Attribute(name: name, type: type, isExternal: type == 1000 && chance(2))
        }
    }

    private mutating func makeRelationships() {
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let one = Int.random(in: shape.entities.indices, using: &generator)
            let other = Int.random(in: shape.entities.indices, using: &generator)
            relationships += 1
            let (name, back) = ("link\(relationships)", "back\(relationships)")
            func relationship(
                _ name: String, _ to: Int, _ inverse: String?, many: Bool, ordered: Bool = false
            ) -> Shape.Relationship {
                Shape.Relationship(
                    name: name, destination: shape.entities[to].name, inverse: inverse, isToMany: many,
                    isOrdered: ordered)
            }
            let isOrdered = chance(2)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                shape.entities[one].relationships.append(relationship(name, other, back, many: false))
                shape.entities[other].relationships.append(
                    relationship(back, one, name, many: true, ordered: isOrdered))
            case 1:
                shape.entities[one].relationships.append(relationship(name, other, back, many: false))
                shape.entities[other].relationships.append(relationship(back, one, name, many: false))
            case 2:
                // Only the side after which the table is named is ordered.
                let first = shape.number(shape.entities[one].name) <= shape.number(shape.entities[other].name)
                shape.entities[one].relationships.append(
                    relationship(name, other, back, many: true, ordered: isOrdered && first && one != other))
                shape.entities[other].relationships.append(relationship(back, one, name, many: true))
            case 3: shape.entities[one].relationships.append(relationship(name, one, name, many: true))
            default:
                shape.entities[one].relationships.append(
                    relationship(name, other, nil, many: true, ordered: isOrdered))
            }
        }
    }

    // MARK: Rows

    private mutating func makeRows() {
        var last: [String: Int64] = [:]
        for entity in shape.entities where !entity.isAbstract {
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                let root = shape.line(entity.name)[0].name
                last[root, default: 0] += Int64.random(in: 1...3, using: &generator)
                var row = Shape.Row(entity: entity.name, key: last[root] ?? 0)
                for attribute in shape.line(entity.name).flatMap(\.attributes) { fill(attribute, [], &row) }
                shape.rows.append(row)
            }
        }
        for index in shape.rows.indices {
            let entity = shape.rows[index].entity
            for relationship in shape.line(entity).flatMap(\.relationships) where !relationship.isToMany {
                refer(index, relationship.name, to: relationship.destination)
                let inverse = shape.entity(relationship.destination).relationships.first {
                    $0.name == relationship.inverse
                }
                if inverse?.isOrdered == true, shape.rows[index].references[relationship.name] != nil {
                    shape.rows[index].positions[relationship.name] = .random(in: 1...9_999, using: &generator)
                }
            }
            for owner in shape.entities {
                for relationship in owner.relationships
                where relationship.isToMany && relationship.inverse == nil {
                    if shape.line(entity).contains(where: { $0.name == relationship.destination }) {
                        refer(index, "\(owner.name)_\(relationship.name)", to: owner.name)
                    }
                }
            }
        }
    }

    private mutating func refer(_ index: Int, _ name: String, to destination: String) {
        let rows = rows(of: destination)
        guard !rows.isEmpty, !chance(3) else { return }
        let target = rows[Int.random(in: rows.indices, using: &generator)]
        shape.rows[index].references[name] = Shape.Target(entity: target.entity, key: target.key)
    }

    private func rows(of entity: String) -> [Shape.Row] {
        shape.rows.filter { row in shape.line(row.entity).contains { $0.name == entity } }
    }

    private mutating func fill(_ attribute: Shape.Attribute, _ path: [String], _ row: inout Shape.Row) {
        let path = path + [attribute.name]
        guard attribute.type != 2100 else {
            for element in attribute.elements { fill(element, path, &row) }
            return
        }
        guard !chance(4) else { return }
        row.values[path.joined(separator: ".")] = value(attribute)
    }

    private mutating func value(_ attribute: Shape.Attribute) -> Shape.Value {
        switch attribute.type {
        case 100, 200, 300: return .integer(.random(in: -30_000...30_000, using: &generator))
        case 500, 600: return .real(Double(Int.random(in: -9_999...9_999, using: &generator)) / 8)
        case 700, 1200: return .text("text \(Int.random(in: 0...99, using: &generator)) äß")
        case 800: return .bool(chance(2))
        case 900: return .date(Double(Int.random(in: -900_000_000...900_000_000, using: &generator)) + 0.25)
        case 1100:
            return .uuid(
                UUID(
                    uuid: (
                        1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14,
                        .random(in: 0...255, using: &generator), 16
                    )))
        case 1800: return .texts(["a", "b\(Int.random(in: 0...9, using: &generator))"])
        default:
            return .data((0..<(chance(2) ? 300 : 5)).map { _ in .random(in: 0...255, using: &generator) })
        }
    }

    private mutating func makePairs() {
        for (entity, relationship, _) in shape.manyToMany {
            let (owners, targets) = (rows(of: entity.name), rows(of: relationship.destination))
            guard !owners.isEmpty, !targets.isEmpty else { continue }
            var seen: Set<[Int64]> = []
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                let owner = owners[Int.random(in: owners.indices, using: &generator)].key
                let target = targets[Int.random(in: targets.indices, using: &generator)].key
                guard seen.insert([owner, target]).inserted else { continue }
                shape.pairs.append(
                    Shape.Pair(
                        entity: entity.name, relationship: relationship.name, owner: owner, target: target,
                        position: relationship.isOrdered ? .random(in: 1...9_999, using: &generator) : nil))
            }
        }
    }
}
