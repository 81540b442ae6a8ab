import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore

/// A part of a transaction that a model and a store can both carry out.
enum ShelfOperation: Sendable {
    case insert(ShelfModel.Key, [StoredValue])
    /// Sets one attribute of some rows of an entity.
    case set(String, attribute: String, column: Int, of: [UUID], to: StoredValue)
    case delete(ShelfModel.Key)

    func carryOut(in tx: WriteTransaction) throws {
        switch self {
        case .insert(let key, let values): try tx.insertRows(into: key.entity, [values])
        case .set(let entity, let attribute, _, let ids, let value):
            try tx.updateRows(
                of: entity, set: [Assignment(attribute: attribute, value: .value(value))],
                where: .isIn(.attribute("id"), ids.map { .uuid($0) }))
        case .delete(let key):
            try tx.deleteRows(
                of: key.entity, where: .compare(.attribute("id"), .equal, .value(.uuid(key.id))))
        }
    }

    func carryOut(in model: inout ShelfModel, by setter: Int) {
        switch self {
        case .insert(let key, let values): model.insert(key, values, by: setter)
        case .set(let entity, _, let column, let ids, let value):
            for id in ids {
                model.set(column, of: ShelfModel.Key(entity: entity, id: id), to: value, by: setter)
            }
        case .delete(let key): model.delete(key, by: setter)
        }
    }
}

/// Draws operations that set no attribute to a value that it has had before: where a value comes back, a store lets
/// a transaction be undone that later ones have built on.
struct ShelfOperations {
    private var generator: SeededGenerator
    private var fresh = 0
    /// The last book that was given a title of its own.
    private var lastBook: ShelfModel.Key?
    private var had: [ShelfModel.Key: Set<Held>] = [:]

    private struct Held: Hashable {
        let column: Int
        let value: StoredValue
    }

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// Draws the operations of one transaction, which change something.
    mutating func make(for model: ShelfModel) -> [ShelfOperation] {
        var (operations, after) = ([ShelfOperation](), model)
        let count = Int.random(in: 1...3, using: &generator)
        while operations.count < count || after.values == model.values {
            for operation in draw(after) {
                operation.carryOut(in: &after, by: 0)
                operations.append(operation)
            }
            note(after)
        }
        return operations
    }

    private mutating func draw(_ model: ShelfModel) -> [ShelfOperation] {
        let (shelves, books) = (model.keys("Shelf"), model.keys("Book"))
        guard shelves.count >= 4, let shelf = shelves.randomElement(using: &generator) else {
            return [insert("Shelf", [text()])]
        }
        if books.count > 60, let book = books.randomElement(using: &generator) { return [.delete(book)] }
        guard books.count >= 20, let book = books.randomElement(using: &generator),
            let other = books.randomElement(using: &generator), book != other
        else { return [insertBook(on: shelf, sequel: books.randomElement(using: &generator))] }
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<2: return [insert("Shelf", [text()])]
        case 2..<5: return [insertBook(on: shelf, sequel: other)]
        case 5: return [set("name", ShelfModel.name, of: shelf, to: text())]
        case 6..<9:
            lastBook = book
            return [set("title", ShelfModel.title, of: book, to: text())]
        case 9: return [set("number", ShelfModel.number, of: book, to: number())]
        case 10:
            // Often a new shelf and a book that was changed with it.
            let isNewest = Bool.random(using: &generator)
            let mover = isNewest ? books.first { $0 == lastBook } ?? book : book
            let target = isNewest ? shelves.last ?? shelf : shelf
            return move("shelf", ShelfModel.shelf, mover, to: .uuid(target.id))
        case 11:
            guard let row = model.rows[book], row[ShelfModel.sequel].value != .null else { return [] }
            return move("sequel", ShelfModel.sequel, book, to: .uuid(other.id))
        case 12: return exchange(book, other, in: model)
        case 13:
            let ids = books.filter { model.rows[$0]?[ShelfModel.shelf].value == .uuid(shelf.id) }.map(\.id)
            guard !ids.isEmpty else { return [] }
            return [
                .set("Book", attribute: "title", column: ShelfModel.title, of: ids, to: text())
            ]
        case 14: return [.delete(book)]
        default: return Int.random(in: 0..<3, using: &generator) == 0 ? [.delete(shelf)] : [.delete(book)]
        }
    }

    private func set(
        _ attribute: String, _ column: Int, of key: ShelfModel.Key, to value: StoredValue
    ) -> ShelfOperation {
        .set(key.entity, attribute: attribute, column: column, of: [key.id], to: value)
    }

    private func move(
        _ attribute: String, _ column: Int, _ key: ShelfModel.Key, to value: StoredValue
    ) -> [ShelfOperation] {
        let isNew = had[key]?.contains(Held(column: column, value: value)) != true
        return isNew ? [set(attribute, column, of: key, to: value)] : []
    }

    /// Exchanges the numbers of two books, or gives one of them the number that the other one gives up.
    private mutating func exchange(
        _ book: ShelfModel.Key, _ other: ShelfModel.Key, in model: ShelfModel
    ) -> [ShelfOperation] {
        let column = ShelfModel.number
        guard let first = model.rows[book]?[column].value, let second = model.rows[other]?[column].value
        else { return [] }
        let giving = [set("number", column, of: book, to: number())]
        let taking = move("number", column, other, to: first)
        let returning = move("number", column, book, to: second)
        if taking.isEmpty || returning.isEmpty { return [] }
        return giving + taking + (Bool.random(using: &generator) ? returning : [])
    }

    private mutating func insertBook(on shelf: ShelfModel.Key, sequel: ShelfModel.Key?) -> ShelfOperation {
        let sequel = Bool.random(using: &generator) ? sequel : nil
        return insert(
            "Book", [number(), .uuid(shelf.id), sequel.map { .uuid($0.id) } ?? .null, text()])
    }

    private func insert(_ entity: String, _ values: [StoredValue]) -> ShelfOperation {
        let id = Identifier<Book>().uuid
        return .insert(ShelfModel.Key(entity: entity, id: id), [.uuid(id)] + values)
    }

    private mutating func number() -> StoredValue {
        fresh += 1
        return .int(Int64(fresh))
    }

    private mutating func text() -> StoredValue {
        fresh += 1
        return .text("text \(fresh)")
    }

    private mutating func note(_ model: ShelfModel) {
        for (key, row) in model.rows {
            for (column, cell) in row.enumerated() {
                had[key, default: []].insert(Held(column: column, value: cell.value))
            }
        }
    }
}
