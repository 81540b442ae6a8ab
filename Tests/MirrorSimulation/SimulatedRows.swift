import Foundation
import SwitchyardCore
import SwitchyardMirror

/// The rows of a store, with its constraints.
struct SimulatedRows: Equatable {
    private(set) var rows: [RowKey: [StoredValue]] = [:]

    subscript(key: RowKey) -> [StoredValue]? { rows[key] }

    /// Writes rows as they are, if all constraints hold afterwards.
    ///
    /// - Throws: `unique` or `foreignKey`, and nothing is written.
    mutating func write(_ writes: [RowWrite]) throws {
        var next = self
        for write in writes { next.rows[write.key] = write.after }
        // What was not written held before.
        for write in writes {
            if let row = write.after {
                try next.requireSound(write.key, row)
            } else if let child = next.referrers(of: write.key.id).first {
                throw StoreError(.foreignKey, "dangling reference", entity: child.entity)
            }
        }
        self = next
    }

    private func requireSound(_ key: RowKey, _ row: [StoredValue]) throws {
        if let parent = Self.parent(key, row), rows[parent] == nil {
            throw StoreError(.foreignKey, "dangling reference", entity: key.entity)
        }
        guard let positions = SimulatedSchema.unique[key.entity], positions.allSatisfy({ !row[$0].isNull })
        else {
            return
        }
        for (other, values) in rows
        where other.entity == key.entity && other != key && positions.allSatisfy({ values[$0] == row[$0] }) {
            throw StoreError(.unique, "taken", entity: key.entity)
        }
    }

    /// The row that a row refers to; nil if it refers to none.
    static func parent(_ key: RowKey, _ row: [StoredValue]) -> RowKey? {
        guard let position = SimulatedSchema.reference[key.entity], case .uuid(let id) = row[position] else {
            return nil
        }
        return RowKey(key.entity == "Link" ? "Tag" : "Baby", id)
    }

    func referrers(of id: UUID) -> [RowKey] {
        rows.compactMap { key, row in
            SimulatedSchema.reference[key.entity].flatMap { row[$0] == .uuid(id) ? key : nil }
        }.sorted()
    }
}
