internal import Synchronization

/// A store that finds out by itself whether a write was committed when the connection was lost during the commit.
///
/// It gives each write an operation id. Where another store would throw `outcomeUnknown`, it calls `wasCommitted` until
/// the store answers, a bounded number of times, because a server needs a while to restart. The write then returns what
/// its body returned, or throws `connectionLost` because nothing was written. The outcome remains unknown only if the
/// store never answers.
///
/// Use it for one-shot commands and imports, which cannot ask later.
public struct SettlingStore: Store {
    private let base: any Store
    private let delays: [Duration]
    private let sleep: @Sendable (Duration) async throws -> Void

    /// The default delays before each repeated `wasCommitted`: about half a minute in all.
    public static let usualDelays: [Duration] =
        [.milliseconds(100), .milliseconds(300), .seconds(1), .seconds(2)]
        + Array(repeating: .seconds(5), count: 5)

    /// Wraps a store.
    ///
    /// - Parameters:
    ///   - base: The store.
    ///   - delays: The delays before each repeated `wasCommitted`.
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
    /// The store's backend and location.
    public var info: StoreInfo { base.info }
    /// The store's commits.
    public var commits: CommitFeed { base.commits }

    /// Reads from one snapshot.
    ///
    /// - Throws: As `Store` says.
    public func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(options, body) }

    /// Writes in one serializable transaction, and finds out its outcome if the commit was not answered.
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
        // If the body ran several times, only the last run can have been committed.
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
                    "The connection was lost during the commit. The store has confirmed that nothing was written. "
                        + "Try again.",
                    operation: operation, underlying: error)
            }
            return result
        }
    }

    /// Returns whether the write with an operation id was committed.
    ///
    /// - Throws: As `Store` says.
    public func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await base.wasCommitted(operation, in: scope)
    }

    /// Checks the store for damage.
    ///
    /// - Throws: As `Store` says.
    public func check() async throws -> [String] { try await base.check() }

    /// Closes the store.
    ///
    /// - Throws: As `Store` says.
    public func close() async throws { try await base.close() }

    /// Calls `wasCommitted` until the store answers.
    ///
    /// - Throws: `outcomeUnknown` if the store never answers.
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
