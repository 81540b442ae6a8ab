internal import Foundation
internal import SwitchyardCore

extension DeviceStorage {
    /// Turns the local transactions that are not sealed yet into mutations, with the values after them.
    ///
    /// History has the values before. Those after are in the rows, and are found by going back from there.
    package func seal() throws {
        let transactions = try unsealed()
        guard !transactions.isEmpty else { return try seal([]) }
        let cursor = try cursor()?.sequence ?? 0
        let keys = Set(transactions.flatMap { $0.changes.map(\.key) })
        let (current, noted) = (try rows(keys), try bases(keys))
        let unseen = try cursors(beneath: noted.keys)
        var rows: [RowKey: [StoredValue?]?] = [:]
        var mutations: [Mutation] = []
        for transaction in transactions.reversed() {
            var changes: [MutationChange] = []
            for change in transaction.changes {
                let key = change.key
                let after: [StoredValue?]? = rows[key] ?? current[key]?.map { $0 }
                switch change.kind {
                case .insert:
                    guard let after else { throw StoreError.unsealable(key) }
                    changes.append(.insert(key, try after.map { try known($0, key) }))
                    rows[key] = .some(nil)
                case .update(let attributes, let before):
                    guard var after else { throw StoreError.unsealable(key) }
                    changes.append(
                        .update(
                            key,
                            try zip(attributes, before).map {
                                AttributeEdit($0, before: $1, after: try known(after[$0], key))
                            }))
                    for (attribute, value) in zip(attributes, before) { after[attribute] = value }
                    rows[key] = .some(after)
                case .delete(let before):
                    changes.append(.delete(key, before: before))
                    rows[key] = .some(before)
                }
            }
            guard !changes.isEmpty else { continue }
            mutations.append(
                Mutation(
                    id: transaction.id, time: transaction.time, author: transaction.author,
                    undone: transaction.undone,
                    cursor: changes.reduce(cursor) { min($0, unseen[$1.key] ?? $0) }, changes: changes))
        }
        try seal(mutations.reversed())
        var bases: [RowKey: [StoredValue]?] = [:]
        for (key, row) in rows where noted[key] == nil {
            // A value that the history does not keep is no worse known than the one that is there.
            bases[key] = .some(
                try row.map { try $0.enumerated().map { try known($1 ?? current[key]?[$0], key) } })
        }
        try setBases(bases)
    }

    /// What the pending changes of rows have seen of the server.
    ///
    /// An edit on top of them has seen no more of such a row: what has come from the server since then is beneath them.
    private func cursors(beneath keys: some Collection<RowKey>) throws -> [RowKey: Int64] {
        guard !keys.isEmpty else { return [:] }
        let keys = Set(keys)
        var cursors: [RowKey: Int64] = [:]
        for mutation in try pending() where !mutation.isOffer {
            for change in mutation.changes where keys.contains(change.key) {
                cursors[change.key] = min(cursors[change.key] ?? .max, mutation.cursor)
            }
        }
        return cursors
    }

    private func known(_ value: StoredValue?, _ key: RowKey) throws -> StoredValue {
        guard let value else { throw StoreError.unsealable(key) }
        return value
    }
}

extension StoreError {
    fileprivate static func unsealable(_ key: RowKey) -> StoreError {
        StoreError(
            .corrupted,
            "The store's history does not fit its rows, so that a change cannot be sent. Restore the store from a backup.",
            entity: key.entity)
    }
}
