internal import Foundation

/// How much a read may cost that somebody asks for who is not trusted, such as a page's visitor or an assistant.
public struct ReadBudget: Sendable, Hashable {
    /// The most rows that the store may return to the transaction, those of related rows and of figures that are worked out
    /// from rows counted; nil for any number.
    public var rows: Int?
    /// The most time; nil for any.
    public var time: Duration?

    /// Creates a budget.
    public init(rows: Int? = nil, time: Duration? = nil) { (self.rows, self.time) = (rows, time) }
}

extension Store {
    /// Reads from one snapshot, within a budget.
    ///
    /// ```swift
    /// let answer = try await store.read(within: ReadBudget(rows: 10_000, time: .seconds(2))) { try $0.answer(query) }
    /// ```
    ///
    /// - Parameters:
    ///   - budget: The most rows and the most time, counted from the call.
    ///   - options: The options of the read.
    ///   - body: Reads from the transaction; it may run again from the start, with the rows of its budget anew.
    /// - Returns: What the body returns.
    /// - Throws: `budgetExceeded`, also if the body replaces that error; otherwise as `read(_:_:)`.
    public func read<Result: Sendable>(
        within budget: ReadBudget, _ options: ReadOptions = ReadOptions(),
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask {
                try await read(options) { tx in
                    try tx.read(within: budget, body)
                }
            }
            if let time = budget.time {
                group.addTask {
                    try await Task.sleep(for: time)
                    throw StoreError.budgetExceeded("It takes longer than \(time).")
                }
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}

extension ReadTransaction {
    fileprivate func read<Result>(
        within budget: ReadBudget, _ body: (ReadTransaction) throws -> Result
    ) throws -> Result {
        guard let rows = budget.rows else { return try body(self) }
        let meter = BudgetDriver.Meter(rows: rows)
        do {
            let result = try body(read(through: BudgetDriver(driver, meter)))
            try meter.requireRest()
            return result
        } catch {
            try meter.requireRest()
            throw error
        }
    }
}

/// Counts the rows that a driver returns.
private final class BudgetDriver: InterceptingDriver {
    private let meter: Meter

    /// The count of all views of a transaction.
    final class Meter {
        private let limit: Int
        private var rows = 0

        init(rows: Int) { limit = rows }

        func count() throws {
            rows += 1
            try requireRest()
        }

        func requireRest() throws {
            guard rows > limit else { return }
            throw StoreError.budgetExceeded("It reads more than \(limit) rows.")
        }
    }

    init(_ base: any TransactionDriver, _ meter: Meter) {
        self.meter = meter
        super.init(base)
    }

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        try super.select(selection, onlyDoubtful: onlyDoubtful) { row in
            try meter.count()
            return try body(&row)
        }
    }

    override func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try super.find(id, in: entity) { row in
            try meter.count()
            try body(&row)
        }
    }

    override func view(of schema: Schema) throws -> any TransactionDriver {
        BudgetDriver(try base.view(of: schema), meter)
    }
}

extension StoreError {
    fileprivate static func budgetExceeded(_ reason: String) -> StoreError {
        StoreError(
            .budgetExceeded, "The read exceeds its budget. \(reason) Ask for less, by a condition or a limit."
        )
    }
}
