internal import Foundation
internal import Switchyard
public import SwitchyardCore

extension SchemaRows {
    /// Gives the value of an attribute, or the id, of the row with a number; nil leaves it to be drawn.
    public typealias Values =
        @Sendable (_ entity: Entity, _ attribute: Attribute, _ number: Int) ->
        StoredValue?

    /// Draws rows that a store of a schema takes.
    ///
    /// Attributes that may be nil are nil in some rows. Text has the characters that backends are known to treat
    /// differently, and numbers reach their limits. Times are those that a `Date` holds exactly. A reference points at one of the rows. Attributes that are
    /// unique get a value of their own in each row.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - seed: Equal seeds give equal rows.
    ///   - first: The number of the first row of each entity.
    ///   - count: How many rows an entity gets; fewer if a unique attribute has too few values, or a reference no row.
    ///   - values: Values that are not drawn. JSON is drawn as `{}`, because a schema does not say what a model reads; a
    ///     matrix knows the models, and draws what they read.
    public init(
        of schema: Schema, seed: UInt64, from first: Int = 0, count: (Entity) -> Int,
        values: @escaping Values = { _, _, _ in nil }
    ) {
        self.init(
            of: schema, seed: seed, from: first, count: count, json: JSONSamples([]), values: values)
    }

    init(
        of schema: Schema, seed: UInt64, from first: Int, count: (Entity) -> Int, json: JSONSamples,
        values: @escaping Values
    ) {
        var drawing = RowDrawing(
            schema, seed: seed, first: first, count: count, json: json, values: values)
        let rows = schema.entities.map { ($0.name, drawing.rows(of: $0)) }
        self.init(schema.withoutDangling(Dictionary(uniqueKeysWithValues: rows)), of: schema)
    }
}

/// Draws the rows of one entity after the other.
private struct RowDrawing {
    private var generator: SeededGenerator
    private let first: Int
    private let json: JSONSamples
    private let values: SchemaRows.Values
    /// The ids of all rows, those of entities yet to come too.
    private let ids: [String: [UUID]]

    init(
        _ schema: Schema, seed: UInt64, first: Int, count: (Entity) -> Int, json: JSONSamples,
        values: @escaping SchemaRows.Values
    ) {
        var generator = SeededGenerator(seed: seed)
        let ids = schema.entities.map { entity in
            (
                entity.name,
                (0..<count(entity)).map { number in
                    let drawn = generator.uuid()
                    let given = entity.attribute("id").flatMap { values(entity, $0, first + number) }
                    return if case .uuid(let id) = given { id } else { drawn }
                }
            )
        }
        self.ids = Dictionary(uniqueKeysWithValues: ids)
        self.generator = generator
        self.first = first
        self.json = json
        self.values = values
    }

    mutating func rows(of entity: Entity) -> [[StoredValue]] {
        let keys = ([["id"]] + entity.uniqueConstraints.map(\.attributes)).map { names in
            names.compactMap { name in
                entity.attributes.firstIndex { $0.name == name }
            }
        }
        var taken: Set<[StoredValue]> = []
        var rows: [[StoredValue]] = []
        for (place, id) in (ids[entity.name] ?? []).enumerated() {
            let row = entity.attributes.map { attribute in
                attribute.name == "id" ? .uuid(id) : value(of: attribute, in: entity, first + place)
            }
            let key = keys.enumerated().map { number, columns in
                [.int(Int64(number))] + columns.map { row[$0] }
            }
            guard taken.isDisjoint(with: key) else { continue }
            taken.formUnion(key)
            rows.append(row)
        }
        return rows
    }

    private mutating func value(
        of attribute: Attribute, in entity: Entity, _ number: Int
    ) -> StoredValue {
        if let given = values(entity, attribute, number) { return given }
        if attribute.isOptional, generator.oneIn(4) { return .null }
        let isUnique = entity.uniqueConstraints.contains { $0.attributes.contains(attribute.name) }
        if let target = attribute.reference {
            guard let ids = ids[target], !ids.isEmpty else { return .null }
            return .uuid(isUnique ? ids[number % ids.count] : generator.pick(ids))
        }
        if let cases = attribute.cases, !cases.isEmpty { return generator.pick(cases) }
        if attribute.type == .json { return .json(json.text(of: attribute, in: entity)) }
        if isUnique, let value = own(attribute.type, number), attribute.allows(value) { return value }
        var value: StoredValue
        // Every domain contains some of the values, so this ends soon.
        repeat {
            value = RandomValue.make(attribute.type, using: &generator)
        } while !attribute.allows(value) || value == .timestamp(Timestamp.range.upperBound)
        return value
    }

    /// A value that no other row has; nil for a type with too few.
    private mutating func own(_ type: AttributeType, _ number: Int) -> StoredValue? {
        switch type {
        case .int: .int(Int64(number))
        case .double: .double(Double(number))
        case .decimal: .decimal(Decimal(number))
        case .text: .text("\(generator.pick(RandomValue.texts)) \(number)")
        case .uuid: .uuid(generator.uuid())
        case .timestamp: .timestamp(Int64(number) * 1_000_001)
        case .bool, .blob, .day, .json: nil
        }
    }
}

extension SeededGenerator {
    /// A UUID of version 4.
    fileprivate mutating func uuid() -> UUID {
        UUID(high: next() & ~0xF000 | 0x4000, low: next() >> 2 | 0x8000_0000_0000_0000)
    }
}

extension Schema {
    /// The rows without those that refer to a row that is not among them.
    fileprivate func withoutDangling(_ rows: [String: [[StoredValue]]]) -> [String: [[StoredValue]]] {
        let ids = rows.mapValues { rows in Set(rows.map { $0[0] }) }
        var kept = rows
        for entity in entities {
            let references = entity.attributes.enumerated().compactMap { column, attribute in
                attribute.reference.map { (column, $0, attribute.isOptional) }
            }
            kept[entity.name]?.removeAll { row in
                references.contains { column, target, isOptional in
                    row[column].isNull ? !isOptional : ids[target]?.contains(row[column]) != true
                }
            }
        }
        let isComplete = entities.allSatisfy { kept[$0.name]?.count == rows[$0.name]?.count }
        return isComplete ? kept : withoutDangling(kept)
    }
}
