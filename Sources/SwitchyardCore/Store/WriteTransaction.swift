/// One serializable write.
///
/// It is good inside the closure that received it only.
public final class WriteTransaction: ReadTransaction {
    var depth = 0

    /// Lends a driver as a transaction to a body, and ends the transaction when the body returns.
    ///
    /// Plugins call this between their own BEGIN and COMMIT, and roll back when it throws.
    ///
    /// - Throws: What the body throws; `transactionAborted` if it hid the error of an operation.
    public static func run<Result>(
        schema: Schema, driver: any TransactionDriver, options: WriteOptions = WriteOptions(),
        _ body: (WriteTransaction) throws -> Result
    ) throws -> Result {
        let transaction = WriteTransaction(schema: schema, driver: driver)
        defer { transaction.finish() }
        let result = try transaction.showingFirstCause {
            let result = try body(transaction)
            try transaction.requireUnbroken()
            return result
        }
        if let operation = options.operation { try driver.record(operation) }
        return result
    }

    /// Runs a part that can fail on its own: if it throws, only its own work is undone.
    ///
    /// An error after which all of the work must be run again, such as `serialization`, and a cancellation
    /// end the whole transaction even if the caller goes on: the work would be done by half otherwise.
    ///
    /// - Throws: What the body throws, after undoing the part.
    @discardableResult
    public func nested<Result>(_ body: () throws -> Result) throws -> Result {
        try perform { try driver.savepoint(depth + 1) }
        depth += 1
        defer { depth -= 1 }
        do {
            let result = try body()
            try requireUnbroken()
            try perform { try driver.release(savepoint: depth) }
            return result
        } catch {
            // A connection that is gone, or an interrupt, cannot be undone to a savepoint: then the whole
            // transaction has failed, and that first error is the one to show.
            do {
                try driver.rollback(toSavepoint: depth)
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
