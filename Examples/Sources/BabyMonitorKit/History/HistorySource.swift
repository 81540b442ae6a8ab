internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Returns the entries of one model one by one, newest first, fetching them in batches.
struct HistorySource<Element: HistoryModel> {
    private let condition: Condition
    private let batchSize: Int
    private var cursor: HistoryCursor?
    private var batch: ArraySlice<HistoryEntry> = []
    private var isExhausted = false

    init(_: Element.Type, filter: HistoryFilter, after cursor: HistoryCursor?, batchSize: Int) throws {
        condition = try filter.condition(for: Element.self)
        self.cursor = cursor
        self.batchSize = batchSize
    }

    /// The next entry, which is returned again until it is dropped.
    mutating func next(in transaction: ReadTransaction) throws -> HistoryEntry? {
        if batch.isEmpty, !isExhausted {
            let query = Query<Element>(condition: try condition && afterCursor)
                .sorted(by: SortKey(Element.timeAttribute, .descending)).limit(batchSize)
            batch = try transaction.fetch(query).map(\.entry)[...]
            isExhausted = batch.count < batchSize
            cursor = batch.last?.cursor ?? cursor
        }
        return batch.first
    }

    mutating func dropFirst() { batch = batch.dropFirst() }

    /// The rows after the cursor: older ones, and those of the same time that come later by kind or id.
    private var afterCursor: Condition {
        get throws {
            guard let cursor else { return .constant(true) }
            let time = Operand.attribute(Element.timeAttribute)
            let value = Operand.value(try cursor.timestamp.storedValue())
            if Element.kind.rank < cursor.kind.rank { return .compare(time, .less, value) }
            let notNewer = Condition.compare(time, .lessOrEqual, value)
            guard Element.kind == cursor.kind else { return notNewer }
            // The first part alone can use an index; the second only removes rows already returned.
            return notNewer
                && (.compare(time, .less, value)
                    || .compare(.attribute("id"), .greater, .value(.uuid(cursor.id))))
        }
    }
}
