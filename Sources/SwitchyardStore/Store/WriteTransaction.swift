/// A serializable write transaction.
///
/// Use it only inside the closure that received it.
public final class WriteTransaction: ReadTransaction {
    /// What the store's writes have in common; nil for a part of a write, or a view.
    private var session: WriteSession?

    /// Runs a body with a transaction over a driver; the transaction ends when the body returns.
    ///
    /// Plugins call this between their own BEGIN and COMMIT, and roll back when it throws.
    ///
    /// - Parameters:
    ///   - schema: The schema with which the store was opened.
    ///   - driver: The driver that does the work.
    ///   - session: What the store's writes have in common; nil for a part of a write that has already begun.
    ///   - options: The options of the write.
    ///   - telemetry: Records each operation; nil if nobody listens.
    ///   - body: Does the work.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `transactionAborted` if it swallowed the error of an operation; `scopeMismatch`
    ///   if the options name a scope and the driver has none; `outOfService` or `schemaMismatch` if the store's role or
    ///   schema has changed since it was opened.
    public static func run<Result>(
        schema: Schema, driver: any TransactionDriver, session: WriteSession?,
        options: WriteOptions = WriteOptions(), telemetry: TransactionTelemetry? = nil,
        _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        _ = try options.scope(inStoreOf: driver.scopes.first)
        let driver = ObservedDriver.around(driver, telemetry)
        let recorder = try session.flatMap { try HistoryRecord(driver, session: $0, options) }.map {
            RecordingDriver(driver, schema: schema, writing: $0)
        }
        let transaction = WriteTransaction(schema: schema, driver: recorder ?? driver)
        transaction.session = session
        defer { transaction.finish() }
        let result = try transaction.showingFirstCause {
            let result = try TransactionTelemetry.inContext(of: telemetry) { try body(transaction) }
            try transaction.requireUnbroken()
            return result
        }
        try recorder?.endTransaction(as: nil)
        if let operation = options.operation { try driver.maintenance.record(operation) }
        telemetry?.bodyDidEnd()
        return result
    }

    /// Whether a savepoint is open.
    package var isNested: Bool { progress.depth > 0 }

    /// The check of the rows of an entity.
    func check(of entity: Entity) -> RowCheck { session?.check(of: entity) ?? RowCheck(entity) }

    /// Returns the same transaction seen through another schema.
    ///
    /// - Returns: A view of this transaction for the schema's models. An error in either one ends both.
    /// - Throws: As for a read.
    public override func view(of schema: Schema) throws -> WriteTransaction {
        WriteTransaction(schema: schema, driver: try driver(for: schema), sharing: progress)
    }

    /// Runs a body inside a savepoint: if it throws, only its own work is rolled back.
    ///
    /// A retryable error, such as `serialization`, a lost connection and a cancellation end the whole transaction even if the
    /// caller catches them: otherwise half of the work would be kept.
    ///
    /// - Throws: What the body throws, after rolling back to the savepoint.
    @discardableResult
    public func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try perform { try driver.savepoint(progress.depth + 1) }
        progress.depth += 1
        defer { progress.depth -= 1 }
        do {
            let result = try body()
            try requireUnbroken()
            try perform { try driver.release(savepoint: progress.depth) }
            return result
        } catch {
            // After a lost connection or an interrupt there is no savepoint to roll back to: the whole transaction
            // has failed, and the body's error is the one to show.
            do {
                try driver.rollback(toSavepoint: progress.depth)
                if decidingError == nil { reopen() }
            } catch {
                let failure =
                    error as? StoreError
                    ?? StoreError(.backend, "The rollback to the savepoint failed.", underlying: error)
                // The caller may catch the body's error, and must not take the loss for a consequence of it.
                if decidingError == nil, failure.concernsTransaction { reopen() }
                fail(failure)
            }
            throw error
        }
    }
}
