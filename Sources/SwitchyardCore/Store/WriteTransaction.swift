/// One serializable write.
///
/// It is good inside the closure that received it only.
public final class WriteTransaction: ReadTransaction {
    /// Lends a driver as a transaction to a body, and ends the transaction when the body returns.
    ///
    /// Plugins call this between their own BEGIN and COMMIT, and roll back when it throws.
    ///
    /// - Parameters:
    ///   - schema: The schema with which the store was opened.
    ///   - driver: The driver.
    ///   - fence: What the store must still be; nil for a part of a write that has asked before.
    ///   - options: What the write was given.
    ///   - telemetry: Learns of each operation; nil if nobody listens.
    ///   - body: The work.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `transactionAborted` if it hid the error of an operation; `scopeMismatch`
    ///   for a scope of a driver that has none; `outOfService` or `schemaMismatch` if the store is not what it was
    ///   when it was opened.
    public static func run<Result>(
        schema: Schema, driver: any TransactionDriver, fence: StoreFence?,
        options: WriteOptions = WriteOptions(), telemetry: TransactionTelemetry? = nil,
        _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        _ = try options.scope(inStoreOf: driver.scopes.first)
        let driver = ObservedDriver.around(driver, telemetry)
        let transaction = WriteTransaction(schema: schema, driver: driver)
        defer { transaction.finish() }
        if let fence { try driver.check(fence) }
        let result = try transaction.showingFirstCause {
            let result = try TransactionTelemetry.inContext(of: telemetry) { try body(transaction) }
            try transaction.requireUnbroken()
            return result
        }
        if let operation = options.operation { try driver.record(operation) }
        telemetry?.bodyDidEnd()
        return result
    }

    /// The same transaction in the words of another schema.
    ///
    /// - Returns: A transaction for its models; both are one, so that an error in one ends the other.
    /// - Throws: As for a read.
    public override func view(of schema: Schema) throws -> WriteTransaction {
        WriteTransaction(schema: schema, driver: try driver(for: schema), sharing: progress)
    }

    /// Runs a part that can fail on its own: if it throws, only its own work is undone.
    ///
    /// An error after which all of the work must be run again, such as `serialization`, and a cancellation
    /// end the whole transaction even if the caller goes on: the work would be done by half otherwise.
    ///
    /// - Throws: What the body throws, after undoing the part.
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
            // A connection that is gone, or an interrupt, cannot be undone to a savepoint: then the whole
            // transaction has failed, and that first error is the one to show.
            do {
                try driver.rollback(toSavepoint: progress.depth)
                if decidingError == nil { reopen() }
            } catch let failure {
                fail(
                    failure as? StoreError
                        ?? StoreError(.backend, "The savepoint is lost.", underlying: failure))
            }
            throw error
        }
    }
}
