internal import Foundation
internal import SwitchyardCore

extension LocalMirror {
    /// Seals the rows that the store has had before it was mirrored, as mutations that insert them.
    ///
    /// Nearly all stores fit into one, which the server carries out or rejects as a whole. Of a larger store, each mutation refers
    /// to rows of its own and of earlier ones alone, so that the server has what each of them needs.
    ///
    /// - Parameter bytes: About how many bytes of rows one mutation holds.
    /// - Throws: As a write.
    package func join(bytes: Int = 128 << 20) throws {
        guard try !hasJoined() else { return }
        let rows = try rows(try keys())
        try setBases(rows.mapValues { _ in nil })
        let time = Date().microseconds
        try seal(
            schema.parts(of: rows, bytes: bytes).map { keys in
                let changes = keys.compactMap { key in rows[key].map { MutationChange.insert(key, $0) } }
                return Mutation(id: UUIDv7.next(), time: time, cursor: 0, changes: changes)
            })
    }
}

extension Schema {
    /// The keys of rows in parts of about some bytes, none of them with a reference to a later part.
    ///
    /// Rows that refer to each other in a circle are in one part, however large it is.
    fileprivate func parts(of rows: [RowKey: [StoredValue]], bytes most: Int) -> [[RowKey]] {
        let order = referredFirst(rows)
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        var (parts, part, bytes, last): ([[RowKey]], [RowKey], Int, Int) = ([], [], 0, 0)
        for (place, key) in order.enumerated() {
            part.append(key)
            bytes += rows[key]?.reduce(0) { $0 + $1.approximateBytes } ?? 0
            // The last row that one of those up to here refers to.
            last = references(of: key, rows[key]).reduce(last) { max($0, places[$1] ?? 0) }
            guard bytes >= most, last <= place else { continue }
            parts.append(part)
            (part, bytes) = ([], 0)
        }
        return part.isEmpty ? parts : parts + [part]
    }

    /// The keys of rows in an order in which each comes after those that it refers to, as far as there are no circles.
    private func referredFirst(_ rows: [RowKey: [StoredValue]]) -> [RowKey] {
        var (order, seen): ([RowKey], Set<RowKey>) = ([], [])
        // Chains of references can be as long as the store: they are followed with a stack of their own.
        var path: [(key: RowKey, next: [RowKey])] = []
        func enter(_ key: RowKey) {
            guard let row = rows[key], seen.insert(key).inserted else { return }
            path.append((key, references(of: key, row)))
        }
        for key in rows.keys.sorted() {
            enter(key)
            while let last = path.indices.last {
                if let next = path[last].next.popLast() {
                    enter(next)
                } else {
                    order.append(path.removeLast().key)
                }
            }
        }
        return order
    }

    private func references(of key: RowKey, _ row: [StoredValue]?) -> [RowKey] {
        guard let row, let entity = entity(key.entity) else { return [] }
        return zip(entity.attributes, row).compactMap { attribute, value in
            guard let target = attribute.reference, case .uuid(let id) = value else { return nil }
            return RowKey(target, id)
        }
    }
}
