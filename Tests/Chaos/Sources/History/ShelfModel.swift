import Foundation
import Switchyard

/// The rows of shelves and books as they follow from what was done, each value with the transaction that has set it.
struct ShelfModel: Equatable {
    struct Key: Hashable {
        let entity: String
        let id: UUID
    }

    struct Cell: Hashable {
        let value: StoredValue
        /// The number of the transaction.
        let setter: Int
    }

    /// The values of a row, in the order of its entity's attributes.
    typealias Row = [Cell]

    /// The effect of a transaction on a row, if any.
    struct Change {
        let before: Row?
        let after: Row?
        /// The transactions that had deleted the row before and afterwards, if it was there once and is not.
        let deleters: (before: Int?, after: Int?)
    }

    /// The positions of attributes.
    static let (number, shelf, sequel, title, name) = (1, 2, 3, 4, 1)

    private(set) var rows: [Key: Row] = [:]
    /// The numbers of the transactions that have deleted rows.
    private var deleters: [Key: Int] = [:]

    /// The values without their authors.
    var values: [Key: [StoredValue]] { rows.mapValues { $0.map(\.value) } }

    /// The rows of an entity, in the order of their ids.
    func keys(_ entity: String) -> [Key] {
        rows.keys.filter { $0.entity == entity }.sorted { $0.id.uuidString < $1.id.uuidString }
    }

    mutating func insert(_ key: Key, _ values: [StoredValue], by setter: Int) {
        rows[key] = values.map { Cell(value: $0, setter: setter) }
    }

    mutating func set(_ column: Int, of key: Key, to value: StoredValue, by setter: Int) {
        rows[key]?[column] = Cell(value: value, setter: setter)
    }

    /// Deletes a row: a shelf with its books, and a book from the books that it is the sequel of.
    mutating func delete(_ key: Key, by setter: Int) {
        let column = key.entity == "Shelf" ? Self.shelf : Self.sequel
        for (other, row) in rows where other.entity == "Book" && row[column].value == .uuid(key.id) {
            if key.entity == "Shelf" {
                delete(other, by: setter)
            } else {
                set(Self.sequel, of: other, to: .null, by: setter)
            }
        }
        rows[key] = nil
        deleters[key] = setter
    }

    /// The changes since an earlier state; an unchanged value keeps its author.
    mutating func changes(since earlier: ShelfModel) -> [Key: Change] {
        var changes: [Key: Change] = [:]
        for key in Set(rows.keys).union(earlier.rows.keys) {
            let before = earlier.rows[key]
            if let before, let after = rows[key] {
                rows[key] = zip(before, after).map { $0.value == $1.value ? $0 : $1 }
            }
            guard before != rows[key] else { continue }
            changes[key] = Change(
                before: before, after: rows[key], deleters: (earlier.deleters[key], deleters[key]))
        }
        return changes
    }

    /// Makes the changes of a transaction, whatever was there.
    mutating func redo(_ changes: [Key: Change]) {
        for (key, change) in changes {
            guard let before = change.before, let after = change.after else {
                rows[key] = change.after
                continue
            }
            for column in after.indices where before[column] != after[column] {
                rows[key]?[column] = after[column]
            }
        }
    }
}

extension ShelfModel {
    /// Takes the changes of a transaction back.
    ///
    /// - Returns: The errors that may refuse it, one of which must come, changing nothing; empty if it must be done.
    mutating func undo(_ changes: [Key: Change]) -> Set<StoreError.Code> {
        var (undone, refusals) = (self, Set<StoreError.Code>())
        for (key, change) in changes {
            switch (change.before, change.after, rows[key]) {
            case (let before?, let after?, let now?):
                for column in before.indices where before[column] != after[column] {
                    if now[column] != after[column] { refusals.insert(.undoConflict) }
                    undone.rows[key]?[column] = before[column]
                }
            case (let before?, nil, nil):
                if deleters[key] != change.deleters.after { refusals.insert(.undoConflict) }
                undone.rows[key] = before
            case (nil, let after?, let now?):
                if now != after { refusals.insert(.undoConflict) }
                undone.rows[key] = nil
                undone.deleters[key] = change.deleters.before
            case _: refusals.insert(.undoConflict)
            }
        }
        for (key, row) in undone.rows where key.entity == "Book" {
            for (column, entity) in [(Self.shelf, "Shelf"), (Self.sequel, "Book")] {
                guard case .uuid(let id) = row[column].value else { continue }
                let target = Key(entity: entity, id: id)
                if undone.rows[target] != nil { continue }
                // A row that goes is still referred to, or one that was deleted since would be referred to again.
                refusals.insert(rows[target] == nil ? .foreignKey : .undoConflict)
            }
        }
        let numbers = undone.rows.filter { $0.key.entity == "Book" }.map { $0.value[Self.number].value }
        if Set(numbers).count < numbers.count { refusals.insert(.unique) }
        if refusals.isEmpty { self = undone }
        return refusals
    }
}
