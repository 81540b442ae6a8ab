package import SwitchyardCore

internal import struct Foundation.UUID

/// How far an exchange has come whose pages wait for the last one.
///
/// It is kept with them, so that an exchange goes on after the program was ended.
package struct Stage: Sendable, Hashable {
    /// The cursor that the exchange began with.
    package let cursor: HistoryPosition?
    /// The place up to which changes are staged; nil while all rows are.
    package internal(set) var upTo: HistoryPosition?
    /// The head of the server that the last page was read at.
    package internal(set) var seen: HistoryPosition
    /// While all rows are staged: the head that the first page was read at, and the last row.
    package internal(set) var copied: Copied?
    /// Whether all rows that the server has are staged, so that others are to go.
    package internal(set) var isWhole: Bool
    package internal(set) var verdicts: [Verdict] = []
    /// The last places that the pages have come by.
    package internal(set) var places: [HistoryPosition] = []
    package internal(set) var pages = 0
    /// The number of rows in the pages.
    package internal(set) var rows = 0

    package struct Copied: Sendable, Hashable {
        package let head: HistoryPosition
        package let last: RowKey

        init(_ head: HistoryPosition, _ last: RowKey) { (self.head, self.last) = (head, last) }
    }

    package init(cursor: HistoryPosition?, seen: HistoryPosition, isWhole: Bool) {
        (self.cursor, self.seen, self.isWhole) = (cursor, seen, isWhole)
    }

    /// The stage with one more page of changes.
    static func adding(_ page: ExchangePage, to stage: Stage?, cursor: HistoryPosition?) -> Stage {
        var next = stage ?? Stage(cursor: cursor, seen: page.head, isWhole: false)
        next.upTo = page.upTo
        next.seen = page.head
        next.verdicts += page.verdicts
        next.places = Array((next.places + page.places).suffix(ExchangePage.mostPlaces * 2))
        (next.pages, next.rows) = (next.pages + 1, next.rows + page.rows.count)
        return next
    }

    /// The stage with one more page of all rows.
    static func adding(_ page: RowsPage, to stage: Stage?, cursor: HistoryPosition?) -> Stage {
        var next = stage ?? Stage(cursor: cursor, seen: page.head, isWhole: true)
        let head = next.copied?.head ?? page.head
        next.places += page.places
        next.seen = page.head
        (next.pages, next.rows) = (next.pages + 1, next.rows + page.rows.count)
        // What has changed since the first page comes with an exchange from there.
        (next.copied, next.upTo) = page.next.map { (Copied(head, $0), nil) } ?? (nil, head)
        return next
    }
}

/// A page that waits for the last one.
package struct StagedPage: Sendable, Hashable {
    package let rows: [RowPatch]
    /// What was logged on the server.
    package let conflicts: [LoggedConflict]
    /// Whether it is a page of all rows, so that none of them was in one before.
    package let isOfAllRows: Bool

    package init(_ page: ExchangePage) {
        (rows, conflicts, isOfAllRows) = (page.rows, page.conflicts, false)
    }

    package init(_ page: RowsPage) { (rows, conflicts, isOfAllRows) = (page.rows, [], true) }

    package init(rows: [RowPatch], conflicts: [LoggedConflict], isOfAllRows: Bool) {
        (self.rows, self.conflicts, self.isOfAllRows) = (rows, conflicts, isOfAllRows)
    }
}

extension ExchangePage {
    /// How many places, each one transaction from the next, a device remembers.
    package static let mostPlaces = 1_000

    /// The places of the transactions that the page tells of, not of all if they are very many.
    var places: ArraySlice<HistoryPosition> {
        steps.reduce(into: [from]) { $0.append($0[$0.count - 1].next($1)) }.suffix(Self.mostPlaces)
    }
}
