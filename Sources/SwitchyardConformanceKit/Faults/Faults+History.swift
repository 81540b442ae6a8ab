internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in keeping a history.
    ///
    /// What a write adds to it is added beneath the faulty driver, so that most of these are faults in reading it.
    static let history: [Fault] = [
        history("history-never", "A store keeps no history, even if it is told to.", .isNeverOn),
        history("history-lost", "The history has no transactions.", .loses(.historyTransaction)),
        history(
            "history-blocks", "Of the changes of a large write, the history gives the first part.",
            .loses(.historyBlock)),
        history("history-author", "The history does not name the author.", .blanks("author")),
        history(
            "history-undone", "The history does not tell which write an undo has undone.", .blanks("undone")),
        history("history-operation", "The history does not name a write's operation.", .blanks("operation")),
        history("history-order", "The history is read from its end.", .turnsOrder),
        history("history-one", "Of the history after a token, one transaction is given.", .readsOne),
        history("history-keeps", "Pruning the history removes nothing.", .keepsAll),
        history(
            "history-consumer", "A consumer's place in the history is not found again.",
            .loses(.historyConsumer)),
        history("history-device", "The history does not name the device.", .blanks("device")),
        history(
            "history-origin", "The history does not tell which store a change comes from.", .blanks("origin")),
        history("history-time", "The times of the history descend.", .turnsBack("time")),
        history("history-undivided", "A divided write is one transaction of the history.", .dividesNothing),
        history("history-own-id", "A transaction gets an id of its own instead of the one given.", .renames),
        history(
            "history-references-late", "References of a divided write are checked only at the commit.",
            .checksLate),
        history(
            "history-unmirrored", "A store forgets that it is mirrored.", .forgetsMirror),
    ]

    private static func history(_ name: String, _ summary: String, _ fault: HistoryFault) -> Fault {
        Fault(name, summary, FaultHooks(history: fault))
    }
}

/// Faults in the tables of the history.
enum HistoryFault: Sendable, Equatable {
    case none
    case isNeverOn, turnsOrder, readsOne, keepsAll, dividesNothing, renames, checksLate, forgetsMirror
    /// No row of a table is found.
    case loses(Entity)
    /// The values of a column are nil.
    case blanks(String)
    /// The values of a column descend.
    case turnsBack(String)

    /// The column whose values are others.
    private var changedColumn: String? {
        switch self {
        case .blanks(let name), .turnsBack(let name): name
        default: nil
        }
    }

    /// Reads from one of the tables.
    func select(
        _ selection: Selection, from driver: any TransactionDriver,
        _ body: (inout RowReader) throws -> Bool
    ) throws {
        var selection = selection
        switch self {
        case .loses(selection.entity): return
        case .turnsOrder:
            selection.order = selection.order.map { key in
                SortKey(key.value, key.direction == .ascending ? .descending : .ascending)
            }
        case .readsOne: selection.limit = 1
        default: break
        }
        guard let name = changedColumn, let column = selection.columns.firstIndex(of: .attribute(name))
        else { return try driver.select(selection, body) }
        var rows: Int64 = 0
        try driver.select(selection) { row in
            var cells = try selection.columns.map { _ in try row.next() }
            rows += 1
            cells[column] = if case .blanks = self { Cell() } else { Cell(integer: -rows) }
            return try cells.withUnsafeMutableBufferPointer { cells in
                guard let start = cells.baseAddress else { return true }
                var changed = RowReader(cells: start, count: cells.count, context: selection.errorContext)
                return try body(&changed)
            }
        }
    }
}
