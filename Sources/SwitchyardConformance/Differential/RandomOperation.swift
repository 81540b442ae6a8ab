internal import Foundation
internal import Switchyard

/// One step of a differential run: drawn once, then carried out on every store alike.
indirect enum RandomOperation: Sendable {
    case insert(entity: String, rows: [[StoredValue]])
    case update(entity: String, set: [Assignment], where: Condition)
    case delete(entity: String, where: Condition)
    case fetch(entity: String, where: Condition, order: [SortKey], limit: Int?, offset: Int)
    case count(entity: String, where: Condition)
    case several([RandomOperation], isUndone: Bool)

    /// Carries the operation out and gives its answer as text: rows and counts in canonical form, or an
    /// error's code.
    func answer(from store: any Store) async throws -> String {
        do {
            return try await store.write { try answer(in: $0) }
        } catch let error as StoreError {
            return answer(to: error)
        } catch is Undone {
            return "undone"
        }
    }

    private struct Undone: Error {}

    /// An error's answer: its code, but for those of which a backend may meet another one first.
    ///
    /// Of several faulty rows in one batch, a backend that sends rows in bulk may find another one first;
    /// that the batch is refused is what all agree on. Likewise an update may meet a duplicate in one row
    /// before it works out, or after it has failed to work out, the condition for another one, or a number
    /// outside its attribute's domain.
    private func answer(to error: StoreError) -> String {
        switch self {
        case .insert(_, let rows) where rows.count > 1: "error in a batch"
        case .update where [.arithmetic, .check, .unique].contains(error.code):
            "error arithmetic, check or unique"
        default: "error \(error.code)"
        }
    }

    private func answer(in tx: WriteTransaction) throws -> String {
        switch self {
        case .insert(let entity, let rows): "\(try tx.insertRows(into: entity, rows)) inserted"
        case .update(let entity, let set, let condition):
            "\(try tx.updateRows(of: entity, set: set, where: condition)) updated"
        case .delete(let entity, let condition): "\(try tx.deleteRows(of: entity, where: condition)) deleted"
        case .fetch(let entity, let condition, let order, let limit, let offset):
            try Self.canonical(
                try tx.fetchRows(of: entity, where: condition, sortedBy: order, limit: limit, offset: offset))
        case .count(let entity, let condition): "\(try tx.countRows(of: entity, where: condition)) counted"
        case .several(let operations, let isUndone):
            try several(operations, isUndone: isUndone, in: tx)
        }
    }

    /// Runs each part in a savepoint of its own, so that one part's error does not end the others.
    private func several(_ operations: [RandomOperation], isUndone: Bool, in tx: WriteTransaction) throws
        -> String
    {
        var answers: [String] = []
        for operation in operations {
            do {
                answers.append(try tx.nested { try operation.answer(in: tx) })
            } catch let error as StoreError {
                answers.append(operation.answer(to: error))
            }
        }
        if isUndone { throw Undone() }
        return answers.joined(separator: "; ")
    }

    static func canonical(_ rows: [[StoredValue]]) throws -> String { try CanonicalJSON.text(rows) }
}

/// Draws operations for a schema.
struct RandomOperations {
    let schema: Schema
    let conditions: RandomCondition

    init(schema: Schema) {
        self.schema = schema
        conditions = RandomCondition(schema: schema)
    }

    func make(using generator: inout SeededGenerator, depth: Int = 1) -> RandomOperation {
        let entity = generator.pick(schema.entities)
        switch generator.below(20) {
        case 0..<6:
            return .insert(
                entity: entity.name,
                rows: (0..<(1 + generator.below(4))).map { _ in row(of: entity, using: &generator) })
        case 6..<8:
            return .update(
                entity: entity.name, set: assignments(for: entity, using: &generator),
                where: conditions.make(for: entity, using: &generator))
        case 8:
            return .delete(entity: entity.name, where: conditions.make(for: entity, using: &generator))
        case 9..<11 where depth > 0:
            return .several(
                (0..<(1 + generator.below(4))).map { _ in make(using: &generator, depth: depth - 1) },
                isUndone: generator.oneIn(3))
        case 11..<13:
            return .count(entity: entity.name, where: conditions.make(for: entity, using: &generator))
        default:
            let order = entity.attributes.shuffled(using: &generator).prefix(generator.below(3)).map {
                SortKey($0.name, generator.oneIn(2) ? .ascending : .descending)
            }
            return .fetch(
                entity: entity.name, where: conditions.make(for: entity, using: &generator), order: order,
                limit: generator.oneIn(3) ? generator.below(5) : nil,
                offset: generator.oneIn(4) ? generator.below(4) : 0)
        }
    }

    private func row(of entity: Entity, using generator: inout SeededGenerator) -> [StoredValue] {
        entity.attributes.map { attribute in
            if attribute.name == "id" {
                // Mostly new ids, sometimes one that may be there; all from the seed, so that stores agree.
                return .uuid(
                    generator.oneIn(5)
                        ? generator.pick(RandomValue.uuids)
                        : UUID(
                            uuid: withUnsafeBytes(of: (generator.next(), generator.next())) {
                                $0.load(as: uuid_t.self)
                            }))
            }
            return value(for: attribute, using: &generator)
        }
    }

    private func assignments(
        for entity: Entity, using generator: inout SeededGenerator
    ) -> [Assignment] {
        entity.attributes.dropFirst().shuffled(using: &generator).prefix(1 + generator.below(2)).map {
            attribute in
            let isNumber = attribute.type == .int || attribute.type == .double
            return Assignment(
                attribute: attribute.name,
                value: isNumber && generator.oneIn(3)
                    ? conditions.calculation(with: attribute, using: &generator)
                    : .value(value(for: attribute, using: &generator)))
        }
    }

    private func value(for attribute: Attribute, using generator: inout SeededGenerator) -> StoredValue {
        if generator.oneIn(attribute.isOptional ? 4 : 40) { return .null }
        if attribute.reference != nil {
            return generator.oneIn(2) ? .null : .uuid(generator.pick(RandomValue.uuids))
        }
        if let cases = attribute.cases { return generator.oneIn(20) ? .text("none") : generator.pick(cases) }
        return RandomValue.make(for: attribute, using: &generator)
    }
}
