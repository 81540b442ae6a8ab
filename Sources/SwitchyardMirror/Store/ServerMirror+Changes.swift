package import SwitchyardCore

internal import struct Foundation.UUID

extension ServerMirror {
    /// How many transactions one page tells of, unless they have changed many rows.
    private static let transactionsPerPage: Int64 = 5_000

    package func changes(after position: HistoryPosition) throws -> ServerChanges {
        var page = ChangesPage(after: position, end: try firstOfNextPage(of: position))
        try transaction.forEachKeptTransaction(after: position.sequence) { made in
            let place = try page.read(made, &words)
            let isLast = place.sequence - position.sequence >= Self.transactionsPerPage
            guard isLast || page.isToBeMeasured else { return true }
            return try page.measure(self) && !isLast
        }
        _ = try page.measure(self)
        return page.changes
    }

    /// The transaction with which the logged conflicts after a place become more than a page; `Int64.max` if they are less.
    private func firstOfNextPage(of position: HistoryPosition) throws -> Int64 {
        var (end, bytes) = (Int64.max, 0)
        try records.forEach(.conflict, after: position.sequence) { record in
            bytes += record.data.count
            if bytes > Self.bytesPerPage { end = record.number }
            return end == .max
        }
        return end
    }
}

/// Transactions that one page tells of: whole ones, until their rows are as large as a page may be.
///
/// The rows are read for several transactions at once, more of them each time: what was read and does not fit is not much more
/// than what does.
private struct ChangesPage {
    private(set) var changes: ServerChanges
    private let end: Int64
    /// The transactions whose rows have not been measured yet.
    private var waiting: [Told] = []
    private var waitingChanges = 0
    private var changesAtOnce = 8
    /// How much of the page each row takes, and all of them, in bytes.
    private var sizes: [RowKey: Int] = [:]
    private var bytes = 0
    /// How much was read for it: rows of which little is sent take memory as well.
    private var bytesRead = 0

    /// A transaction, as the history tells it.
    private struct Told {
        let id: UUID
        let place: HistoryPosition
        let origin: UUID?
        var rows: [(key: RowKey, attributes: [Int]?, isInsert: Bool)] = []
    }

    private static let mostChangesAtOnce = 1_024
    private static let mostBytesRead = 64 << 20
    /// What a row takes besides its values, in bytes.
    private static let bytesPerKey = 24

    init(after position: HistoryPosition, end: Int64) {
        changes = ServerChanges(after: position)
        self.end = end
    }

    var isToBeMeasured: Bool {
        waitingChanges >= changesAtOnce || changes.rows.count + waitingChanges >= ServerMirror.rowsPerPage
    }

    /// Takes the next transaction from the history.
    mutating func read(_ made: HistoryTransaction, _ words: inout HistoryWords) throws -> HistoryPosition {
        guard let place = made.token.position else { throw StoreError.unreadableMutation }
        var told = Told(id: made.id, place: place, origin: made.origin)
        try made.changes.forEach { change in
            guard let changed = words.changed(change, by: made) else { return }
            told.rows.append((changed.key, changed.attributes, change.kind == .insert))
        }
        waiting.append(told)
        waitingChanges += told.rows.count
        return place
    }

    /// Adds the transactions that were read, as far as they fit.
    ///
    /// - Returns: False if the page is full.
    mutating func measure(_ server: ServerMirror) throws -> Bool {
        let told = waiting
        if waitingChanges <= 2 * Self.mostChangesAtOnce {
            try server.prefetch(Set(told.flatMap { $0.rows.map(\.key) }))
        }
        (waiting, waitingChanges) = ([], 0)
        changesAtOnce = min(changesAtOnce * 2, Self.mostChangesAtOnce)
        for transaction in told {
            let isFirst = changes.steps.isEmpty
            let size = try size(of: transaction, server)
            changes.isTooLarge = isFirst && size > ExchangePage.mostBytes
            let fits =
                isFirst
                ? !changes.isTooLarge
                : bytes + size <= ServerMirror.bytesPerPage && transaction.place.sequence < end
                    && changes.rows.count + transaction.rows.count <= ExchangePage.mostRows
            guard fits else { return false }
            try add(transaction, server)
            guard changes.rows.count < ServerMirror.rowsPerPage, bytes < ServerMirror.bytesPerPage,
                bytesRead < Self.mostBytesRead
            else { return false }
        }
        return true
    }

    /// How much the rows that a transaction has changed take, if none is told already; anything above the most for what is more.
    private func size(of transaction: Told, _ server: ServerMirror) throws -> Int {
        guard Set(transaction.rows.map(\.key)).count <= ExchangePage.mostRows else {
            return ExchangePage.mostBytes + 1
        }
        var size = 0
        for start in stride(from: 0, to: transaction.rows.count, by: Self.mostChangesAtOnce) {
            let end = min(start + Self.mostChangesAtOnce, transaction.rows.count)
            let some = transaction.rows[start..<end]
            try server.prefetch(Set(some.map(\.key)))
            for row in some { size += try Self.size(of: row.key, row.attributes.map { Set($0) }, server) }
            if size > ExchangePage.mostBytes { break }
        }
        return size
    }

    private static func size(of key: RowKey, _ attributes: Set<Int>?, _ server: ServerMirror) throws -> Int {
        let row = try server.row(key) ?? []
        return row.indices.reduce(bytesPerKey) { size, position in
            attributes?.contains(position) ?? true ? size + row[position].approximateBytes : size
        }
    }

    private mutating func add(_ transaction: Told, _ server: ServerMirror) throws {
        changes.add(transaction.id, at: transaction.place)
        for row in transaction.rows {
            changes.add(row.key, row.attributes)
            if row.isInsert { changes.inserters[row.key] = transaction.origin }
            let size = try Self.size(of: row.key, changes.rows[row.key] ?? nil, server)
            let known = sizes.updateValue(size, forKey: row.key)
            bytes += size - (known ?? 0)
            if known == nil { bytesRead += try Self.size(of: row.key, nil, server) }
        }
    }
}
