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
        var next = rows
        for write in writes { next[write.key] = write.after }
        try Self.requireSound(next, writes)
        rows = next
    }

    private static func requireSound(_ rows: [RowKey: [StoredValue]], _ writes: [RowWrite]) throws {
        for (key, row) in rows {
            if let position = SimulatedSchema.reference[key.entity], case .uuid(let id) = row[position],
                rows[RowKey(key.entity == "Link" ? "Tag" : "Baby", id)] == nil
            {
                throw StoreError(.foreignKey, "dangling reference", entity: key.entity)
            }
            if let positions = SimulatedSchema.unique[key.entity], positions.allSatisfy({ !row[$0].isNull }),
                rows.contains(where: { other, values in
                    other.entity == key.entity && other != key
                        && positions.allSatisfy { values[$0] == row[$0] }
                })
            {
                throw StoreError(.unique, "taken", entity: key.entity)
            }
        }
    }

    func referrers(of id: UUID) -> [RowKey] {
        rows.compactMap { key, row in
            SimulatedSchema.reference[key.entity].flatMap { row[$0] == .uuid(id) ? key : nil }
        }.sorted()
    }
}
