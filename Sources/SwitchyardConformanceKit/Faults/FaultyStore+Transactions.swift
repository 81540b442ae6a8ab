internal import Switchyard

/// Faults in whole transactions.
enum TransactionFault: Sendable, Equatable {
    case none
    /// Every n-th write is reported as done, but not kept.
    case forgetsEvery(Int)
    /// Changes of a body that threw are kept.
    case keepsFailures
    /// Changes of a body are kept although the store refused one of its operations.
    case keepsRefusals
    /// A cancelled task's transactions continue to their end.
    case ignoresCancellation
    /// A cancelled task's writes continue to their end, are kept, and are reported as cancelled.
    case keepsCancelled
    /// A cancelled task's reads continue to their end.
    case readsOn
    /// A read misses the last committed write.
    case readsStale
    /// Each query of a read sees the rows as they are by then.
    case readsUnrepeatably
    /// A read sees the rows that a running write has inserted.
    case readsUncommitted
    /// Writers run concurrently, and each stores its own result.
    case losesUpdates
    /// A write that meets another one fails immediately.
    case isBusyAtOnce
}

extension FaultyStore {
    func read<Result: Sendable>(
        _ options: ReadOptions, by fault: TransactionFault,
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        switch fault {
        case .ignoresCancellation, .readsOn:
            try await Task { try await soundRead(options, body) }.value
        case .readsStale: try await staleRead(options, body)
        default: try await soundRead(options, body)
        }
    }

    private func soundRead<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(options) { [self] tx in
            try ReadTransaction.run(schema: schema, driver: driver(tx), body)
        }
    }

    /// Restores the earlier rows for the duration of the read, in a write that is rolled back.
    private func staleRead<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        guard let before = place.remember({ $0.before }) else {
            return try await soundRead(options, body)
        }
        do {
            return try await base.write { [self] tx in
                for (name, rows) in before {
                    let entity = try tx.schema.require(name)
                    _ = try tx.driver.delete(from: entity, where: .constant(true))
                    _ = try driver(tx).insertRows(rows, into: entity)
                }
                throw Undone(
                    result: try ReadTransaction.run(schema: schema, driver: driver(tx), body), writes: [])
            }
        } catch let undone as Undone<Result> {
            return undone.result
        }
    }

    func write<Result: Sendable>(
        _ options: WriteOptions, by fault: TransactionFault,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let number = place.remember { memory in
            memory.writes += 1
            if let operation = options.operation { memory.operations.insert(operation) }
            return memory.writes
        }
        switch fault {
        case .forgetsEvery(let count) where number.isMultiple(of: count):
            return try await undoneWrite(options, body).result
        case .keepsFailures, .keepsRefusals: return try await keepingFailures(options, body)
        case .ignoresCancellation: return try await Task { try await soundWrite(options, body) }.value
        case .keepsCancelled:
            let result = try await Task { try await soundWrite(options, body) }.value
            guard !Task.isCancelled else { throw StoreError.taskCancelled }
            return result
        case .losesUpdates:
            // Each part waits for its turn, but others may run between the two.
            let (result, writes) = try await undoneWrite(options, body)
            try await base.write(options) { [self] tx in
                let driver = driver(tx)
                for write in writes { try write.carryOut(with: driver) }
            }
            return result
        case .isBusyAtOnce:
            let running = place.remember { memory in
                memory.running += 1
                return memory.running
            }
            defer { place.remember { $0.running -= 1 } }
            guard running == 1 else { throw StoreError(.busy, "Another write is running.") }
            return try await soundWrite(options, body)
        default: return try await soundWrite(options, body)
        }
    }

    private func soundWrite<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        var options = options
        if try await isToBeForgotten(options) { options.operation = nil }
        defer { place.remember { $0.uncommitted = [:] } }
        let (result, freed) = try await base.write(options) { [self] tx in
            if fault.hooks.transactions == .readsStale {
                let rows = try driver(tx).allRows()
                place.remember { $0.before = rows }
            }
            let driver = driver(tx)
            let result = try WriteTransaction.run(schema: schema, driver: driver, session: nil, body)
            for name in driver.mustCheck.sorted() { try driver.requireTargets(of: try schema.require(name)) }
            return (result, driver.freedKeys)
        }
        place.remember { $0.heldKeys.formUnion(freed) }
        return result
    }

    private func isToBeForgotten(_ options: WriteOptions) async throws -> Bool {
        guard fault.hooks.opening == .takesOperationTwice, let operation = options.operation else {
            return false
        }
        return try await base.wasCommitted(operation, in: options.scope)
    }

    /// Runs a body and rolls back its changes.
    private func undoneWrite<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (result: Result, writes: [FaultyDriver.Write]) {
        do {
            return try await base.write(options) { [self] tx in
                let driver = driver(tx)
                let result = try WriteTransaction.run(schema: schema, driver: driver, session: nil, body)
                throw Undone(result: result, writes: driver.writes)
            }
        } catch let undone as Undone<Result> {
            return (undone.result, undone.writes)
        }
    }

    private func keepingFailures<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let keepsRefusals = fault.hooks.transactions == .keepsRefusals
        let outcome = try await base.write(options) {
            [self] tx -> Swift.Result<Result, any Error> in
            do {
                return .success(
                    try WriteTransaction.run(schema: schema, driver: driver(tx), session: nil, body))
            } catch let error as StoreError {
                guard keepsRefusals, !error.isRetryable, error.code != .cancelled else { throw error }
                return .failure(error)
            } catch {
                guard !keepsRefusals else { throw error }
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func driver(_ transaction: ReadTransaction) -> FaultyDriver {
        let type = fault.hooks.explain == nil ? FaultyDriver.self : ExplainingFaultyDriver.self
        return type.init(
            transaction.driver, schema: schema, baseSchema: transaction.schema, hooks: fault.hooks,
            place: place,
            isWriting: transaction is WriteTransaction,
            latest: fault.hooks.transactions == .readsUnrepeatably && !(transaction is WriteTransaction)
                ? base : nil)
    }
}

/// Carries a result out of a transaction that is rolled back.
private struct Undone<Result: Sendable>: Error {
    let result: Result
    let writes: [FaultyDriver.Write]
}
