/// How often, and after which delays, a transaction that conflicted with another is retried: a bounded number of times,
/// with full jitter, so that writers that collided once do not collide again in lockstep.
public struct RetryPolicy: Sendable {
    /// The maximum number of runs, including the first; at least 1.
    public var attempts: Int
    /// The longest delay before the second run.
    ///
    /// It doubles with each further run.
    public var baseDelay: Duration
    /// The upper bound of every delay.
    public var maximumDelay: Duration
    /// Waits; it throws if the task is cancelled meanwhile.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Returns a number from 0 up to 1: the fraction of the longest delay that is actually waited.
    public var random: @Sendable () -> Double

    /// Creates a policy.
    public init(
        attempts: Int = 10, baseDelay: Duration = .milliseconds(5), maximumDelay: Duration = .seconds(1),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.attempts = attempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.sleep = sleep
        self.random = random
    }

    /// Returns the longest delay after a number of failed runs.
    private func longestDelay(afterFailures failures: Int) -> Duration {
        // 2^30 times any base exceeds every sensible maximum, and the shift does not overflow.
        min(maximumDelay, baseDelay * (1 << min(max(failures, 1) - 1, 30)))
    }

    /// Runs an operation, and runs it again while it throws a `StoreError` with code `serialization` or
    /// `busy`.
    ///
    /// - Parameters:
    ///   - telemetry: The transaction's telemetry, which records each retry; nil if nobody listens.
    ///   - operation: Runs the whole transaction from its start; it receives the number of the run, counted from 1.
    /// - Returns: What the operation returns.
    /// - Throws: The last error of the operation, or `cancelled` if the task is cancelled before a run.
    public func run<Result>(
        _ telemetry: TransactionTelemetry? = nil, _ operation: (_ attempt: Int) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            guard !Task.isCancelled else { throw StoreError.taskCancelled }
            do {
                return try await operation(attempt)
            } catch let error as StoreError where error.isTransient && attempt < attempts {
                let delay = longestDelay(afterFailures: attempt) * random()
                telemetry?.willRetry(after: error, in: delay)
                do {
                    try await sleep(delay)
                } catch is CancellationError {
                    throw StoreError.taskCancelled
                }
                attempt += 1
            }
        }
    }
}
