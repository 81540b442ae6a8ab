import Foundation
import SwitchyardConformance
import SwitchyardCore

/// A schema of up to six entities, and rows that fit it, both drawn at random.
///
/// References lead anywhere, in circles too, and some are required.
struct DrawnStore: Sendable {
    let schema: Schema
    /// The rows of each entity, by their ids.
    private(set) var rows: [String: [UUID: [StoredValue]]] = [:]

    init(using generator: inout SeededGenerator) throws {
        let drawn = try RandomSchema.make(mostEntities: 6, using: &generator)
        let names = drawn.entities.map(\.name)
        let entities = drawn.entities.map { entity in
            let owner = Attribute("owner", type: .uuid, reference: names.randomElement(using: &generator))
            let isOwned = Bool.random(using: &generator)
            return Entity(
                entity.name, attributes: entity.attributes + (isOwned ? [owner] : []),
                relationships: entity.relationships, indexes: entity.indexes,
                // One on a reference could leave no row that another one may refer to.
                uniqueConstraints: entity.uniqueConstraints.filter { !$0.attributes.contains("link") })
        }
        schema = try Schema(version: drawn.version, entities: entities)
        for entity in entities { rows[entity.name] = Self.rows(of: entity, using: &generator) }
        for entity in entities { setReferences(of: entity, using: &generator) }
    }

    /// Draws rows that no constraint refuses; their references are null.
    private static func rows(
        of entity: Entity, using generator: inout SeededGenerator
    ) -> [UUID: [StoredValue]] {
        // Sometimes more than are copied at a time.
        let most = Int.random(in: 0..<8, using: &generator) == 0 ? 1_500 : 60
        let indexed = Set(
            (entity.indexes.map(\.attributes) + entity.uniqueConstraints.map(\.attributes)).joined())
        var rows: [UUID: [StoredValue]] = [:]
        var keys = [Set<[StoredValue]>](repeating: [], count: entity.uniqueConstraints.count)
        for _ in 0..<Int.random(in: 1...most, using: &generator) {
            let bits = (generator.next(), generator.next())
            let id = UUID(uuid: withUnsafeBytes(of: bits) { $0.load(as: uuid_t.self) })
            let row = entity.attributes.map { attribute in
                attribute.name == "id"
                    ? .uuid(id)
                    : value(for: attribute, isShort: indexed.contains(attribute.name), using: &generator)
            }
            let isNew = zip(keys.indices, entity.uniqueConstraints).map { index, constraint in
                let key = constraint.attributes.compactMap { entity.column($0).map { row[$0] } }
                return keys[index].insert(key).inserted
            }
            if !isNew.contains(false) { rows[id] = row }
        }
        return rows
    }

    private static func value(
        for attribute: Attribute, isShort: Bool, using generator: inout SeededGenerator
    ) -> StoredValue {
        if attribute.reference != nil { return .null }
        if attribute.isOptional, Int.random(in: 0..<4, using: &generator) == 0 { return .null }
        if let one = attribute.cases?.randomElement(using: &generator) { return one }
        var value: StoredValue
        repeat {
            value = RandomValue.make(for: attribute, using: &generator)
        } while attribute.domain.map { !$0.contains(value) } ?? false
        switch value {
        case .json(let text): return CanonicalJSON.canonical(text).map { .json($0) } ?? value
        case .text where !isShort && Int.random(in: 0..<100, using: &generator) == 0:
            return .text(String(repeating: "Ω😀", count: Int.random(in: 1...20_000, using: &generator)))
        case .blob where !isShort && Int.random(in: 0..<100, using: &generator) == 0:
            let count = Int.random(in: 1...200_000, using: &generator)
            return .blob(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        default: return value
        }
    }

    private mutating func setReferences(of entity: Entity, using generator: inout SeededGenerator) {
        for (column, attribute) in entity.attributes.enumerated() {
            guard let target = attribute.reference, let ids = rows[target]?.keys.sorted() else { continue }
            for id in rows[entity.name]?.keys.sorted() ?? [] {
                if attribute.isOptional, Bool.random(using: &generator) { continue }
                rows[entity.name]?[id]?[column] =
                    ids.randomElement(using: &generator).map { .uuid($0) } ?? .null
            }
        }
    }
}
