/// How often and after what waits a transaction that lost to another is run again: a bounded number of times,
/// with full jitter, so that writers which collided once do not collide again in step.
public struct RetryPolicy: Sendable {
    /// How often the transaction is run at most, the first time included; at least 1.
    public var attempts: Int
    /// The longest wait before the second run.
    ///
    /// It doubles with each further run.
    public var baseDelay: Duration
    /// The longest wait of all.
    public var maximumDelay: Duration
    /// Waits; it throws if the task is cancelled meanwhile.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Gives a number from 0 up to 1, the share of the longest wait that is really waited.
    public var random: @Sendable () -> Double

    /// Describes a policy.
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

    /// The longest wait after a number of failed runs.
    private func longestDelay(afterFailures failures: Int) -> Duration {
        // 2^30 times any base is beyond every sensible maximum, and the shift stays inside the integer.
        min(maximumDelay, baseDelay * (1 << min(max(failures, 1) - 1, 30)))
    }

    /// Runs an operation, and runs it again while it throws a `StoreError` with code `serialization` or
    /// `busy`.
    ///
    /// - Parameters:
    ///   - telemetry: The transaction that is run, which learns of each further run; nil if nobody listens.
    ///   - operation: Takes the number of the run, from 1, and runs the whole transaction from its start.
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
