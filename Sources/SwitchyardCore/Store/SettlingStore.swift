internal import Synchronization

/// A store that finds out by itself whether a write was committed when the answer to its commit was lost.
///
/// It gives each write an operation id and, where another store would throw `outcomeUnknown`, asks
/// `wasCommitted` until the store answers, a bounded number of times: a server that restarts needs a while.
/// The write then returns what its body returned, or throws `connectionLost` because nothing was written. Only
/// where nobody answers is the outcome still unknown.
///
/// For one-shot commands and imports, which have nobody who could ask later.
public struct SettlingStore: Store {
    private let base: any Store
    private let delays: [Duration]
    private let sleep: @Sendable (Duration) async throws -> Void

    /// How long is waited before each further question: about half a minute in all.
    public static let usualDelays: [Duration] =
        [.milliseconds(100), .milliseconds(300), .seconds(1), .seconds(2)]
        + Array(repeating: .seconds(5), count: 5)

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - base: The store.
    ///   - delays: How long is waited before each further question.
    ///   - sleep: Waits; it throws if the task is cancelled meanwhile.
    public init(
        _ base: any Store, delays: [Duration] = usualDelays,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.base = base
        self.delays = delays
        self.sleep = sleep
    }

    /// The schema of the store.
    public var schema: Schema { base.schema }
    /// What and where the store is.
    public var description: StoreDescription { base.description }

    /// Reads from one snapshot.
    ///
    /// - Throws: As `Store` says.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(options, body) }

    /// Writes in one serializable transaction, and settles its outcome.
    ///
    /// - Returns: What the body returned in the run that was committed.
    /// - Throws: As `Store` says; `connectionLost` if the commit turned out not to have happened,
    ///   `outcomeUnknown` only if the store could not be asked.
    public func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        var options = options
        let operation = options.operation ?? OperationID()
        options.operation = operation
        // Of several runs of the body only the last can have been committed.
        let last = Mutex<Result?>(nil)
        do {
            return try await base.write(options) { transaction in
                let result = try body(transaction)
                last.withLock { $0 = result }
                return result
            }
        } catch let error as StoreError where error.code == .outcomeUnknown {
            let isCommitted = try await settle(operation, in: options.scope, error)
            guard isCommitted, let result = last.withLock({ $0 }) else {
                throw StoreError(
                    .connectionLost,
                    "The connection was lost at the commit. The store has been asked since: nothing was written. "
                        + "Try again.",
                    operation: operation, underlying: error)
            }
            return result
        }
    }

    /// Whether the write of an operation id was committed.
    ///
    /// - Throws: As `Store` says.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    /// Looks for damage.
    ///
    /// - Throws: As `Store` says.
    public func check() async throws -> [String] { try await base.check() }

    /// Closes the store.
    ///
    /// - Throws: As `Store` says.
    public func close() async throws { try await base.close() }

    /// Asks until the store answers.
    ///
    /// - Throws: `outcomeUnknown` if it does not.
    private func settle(
        _ operation: OperationID, in scope: StoreScope?, _ unknown: StoreError
    ) async throws -> Bool {
        var failure: any Error = unknown
        for delay in [nil] + delays.map({ Optional($0) }) {
            do {
                if let delay { try await sleep(delay) }
                return try await base.wasCommitted(operation, in: scope)
            } catch let error as StoreError where error.code != .cancelled && error.code != .closed {
                failure = error
            } catch {
                failure = error
                break
            }
        }
        var error = unknown
        error.operation = operation
        error.underlying = failure
        throw error
    }
}
