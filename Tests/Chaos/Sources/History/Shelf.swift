import Foundation
import Switchyard
import SwitchyardConformance

/// A row that takes others with it when it is deleted.
@Model
struct Shelf {
    let id: ID
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf)
    var books: ToMany<Book>
}

/// A row that others refer to until it is deleted.
@Model
struct Book {
    #Unique<Book>([\.number])
    let id: ID
    var number: Int
    var shelf: Shelf.ID
    var sequel: Book.ID?
    var title: String
    @Relationship(deleteRule: .nullify, inverse: \Book.sequel)
    var prequels: ToMany<Book>
}

/// What is changed in every way while a history is kept.
enum ShelfSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Shelf.self, Book.self]
}

extension WriteTransaction {
    /// Inserts a book that stays for this transaction, and changes other rows in one of many ways.
    ///
    /// - Parameters:
    ///   - number: The number of the book; those up to 2,000 more are not taken either.
    ///   - generator: Decides what is done.
    /// - Throws: `serialization` or `busy` if others write.
    func shelve(_ number: Int, using generator: inout SeededGenerator) throws {
        let shelves = try fetch(Shelf.all.sorted(by: \.name).limit(6))
        let shelf =
            try shelves.count < 6
            ? insert(Shelf(name: "\(number)")) : shelves.randomElement(using: &generator) ?? shelves[0]
        let id = shelf.id
        let own = Book.where(#Predicate { $0.shelf == id }).sorted(by: \.number)
        var book = try insert(Book(number: number, shelf: id, sequel: try first(own)?.id, title: "new"))
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: try update(own.limit(40), set: [.set(\.title, to: "\(number)")])
        case 1:
            if let doomed = shelves.first(where: { $0.id != id }) { try delete(doomed) }
        case 2:
            try delete(Book.where(#Predicate { $0.number < number }).sorted(by: \.number).limit(5))
        case 3:
            book.title = "kept"
            try upsert(book, on: \.number)
        case 4:
            let count = Int.random(in: 0..<8, using: &generator) == 0 ? 2_000 : 20
            try insert(contentsOf: (1...count).map { Book(number: number + $0, shelf: id, title: "many") })
        case 5:
            try? nested {
                try delete(own)
                throw StoreError(.cancelled, "undone")
            }
        case 6:
            book.number = number + 1
            try update(book)
        case 7:
            // Nothing of it remains.
            let passing = try insert(Book(number: number + 1, shelf: id, title: "passing"))
            try delete(passing)
        default: try insert(Book(number: number + 1, shelf: id, sequel: book.id, title: "next"))
        }
    }
}
