public import Foundation
public import Logging
internal import Synchronization

#if Tracing
    internal import Tracing
#endif

/// The telemetry of a store: log records and, with the package traits `Metrics` and `Tracing`, metrics in
/// swift-metrics and spans in swift-distributed-tracing.
///
/// A backend creates one when it opens a store, passes it to its semaphores, and runs its transactions in it:
///
/// ```swift
/// telemetry = StoreTelemetry(info, storeID: marker.storeID, logger: options.logger)
/// writers = AsyncSemaphore(permits: 1, timeout: busyTimeout, telemetry: telemetry)
///
/// func read<Result: Sendable>(_ body: …) async throws -> Result {
///     try await telemetry.transaction(.read) { transaction in
///         try await Cancellation.run { _ in
///             try ReadTransaction.run(schema: schema, driver: driver, telemetry: transaction, body)
///         }
///     }
/// }
/// ```
///
/// Transactions, retries, statements and waits are then reported under the same names for every backend. A backend
/// reports what it alone does, such as a checkpoint, with `note`.
///
/// If nobody listens, a transaction only checks the logger's level: no clock is read, nothing is allocated, and the
/// driver is not wrapped. Nobody listens if the level is above `debug`, no metrics factory was bootstrapped before the
/// store was opened, and no tracer is active.
public final class StoreTelemetry: Sendable {
    private let logger: Logger
    private let info: StoreInfo
    private let lastTransaction = Atomic(0)
    #if Metrics
        let metrics: StoreMetrics?
    #endif
    #if Tracing
        private let attributes: SpanAttributes
    #endif

    /// What a transaction can wait for.
    public enum Wait: String, Sendable, CaseIterable {
        /// Its turn among the writes of this process.
        case turn
        /// A connection of the store's pool.
        case connection
        /// A lock that another connection or process holds.
        case lock
    }

    /// Creates the telemetry of an open store.
    ///
    /// - Parameters:
    ///   - info: The store's backend and location.
    ///   - system: The backend's name in OpenTelemetry's list (`db.system.name`), if that is not its scheme.
    ///   - storeID: The identity of the store; nil if it is not known.
    ///   - logger: The logger for the records.
    public init(_ info: StoreInfo, system: String? = nil, storeID: UUID?, logger: Logger) {
        let system = system ?? info.backend
        self.info = info
        let id = storeID?.uuidString.lowercased()
        var logger = logger
        logger[metadataKey: TelemetryName.system] = .string(system)
        if let id { logger[metadataKey: TelemetryName.store] = .string(id) }
        self.logger = logger
        #if Metrics
            metrics = StoreMetrics(system: system, pool: info.location)
        #endif
        #if Tracing
            var attributes = SpanAttributes([:])
            attributes[TelemetryName.system] = system
            attributes[TelemetryName.namespace] = info.location
            if let id { attributes[TelemetryName.store] = id }
            self.attributes = attributes
        #endif
    }

    /// Runs a transaction, from before its first wait to the end of its last attempt, and reports how it ended.
    ///
    /// - Parameters:
    ///   - kind: Whether the transaction may write.
    ///   - author: The author in a write's options.
    ///   - body: Runs the transaction. Its argument is to be passed to `RetryPolicy.run` and to the transaction's own
    ///     `run`; it is nil if nobody listens.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    public func transaction<Result>(
        _ kind: TransactionTelemetry.Kind, author: String? = nil,
        _ body: (TransactionTelemetry?) async throws -> Result
    ) async throws -> Result {
        guard let transaction = begin(kind, author) else { return try await body(nil) }
        do {
            let result = try await body(transaction)
            transaction.end(nil)
            return result
        } catch {
            transaction.end(error)
            throw error
        }
    }

    /// Reports at debug level that the store is open.
    ///
    /// - Parameter start: When the opening began.
    public func opened(since start: ContinuousClock.Instant) {
        note(
            "opened", since: start,
            [
                TelemetryName.namespace: .string(info.location),
                TelemetryName.version: .string(info.version),
            ])
    }

    /// Reports at debug level that a wait has ended.
    ///
    /// - Parameters:
    ///   - wait: What was waited for.
    ///   - start: When the wait began.
    ///   - error: Why the wait was given up; nil if it succeeded.
    public func waited(for wait: Wait, since start: ContinuousClock.Instant, error: (any Error)? = nil) {
        #if Metrics
            metrics?.waited(for: wait, ContinuousClock.now - start)
        #endif
        note("wait", since: start, error: error, [TelemetryName.wait: .string(wait.rawValue)])
    }

    /// Reports something that the store has done by itself, such as opening a connection.
    ///
    /// - Parameters:
    ///   - event: A fixed word or two; anything that varies belongs in the metadata.
    ///   - level: `debug`; `info` for a failure that no error reports.
    ///   - start: When it began.
    ///   - error: Why it failed; its description is logged, without stored values.
    ///   - metadata: Further details, without stored values or secrets.
    public func note(
        _ event: Logger.Message, at level: Logger.Level = .debug, since start: ContinuousClock.Instant,
        error: (any Error)? = nil, _ metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logger.logLevel <= level else { return }
        record(event, at: level, took: ContinuousClock.now - start, error: error, metadata())
    }

    /// Reports how many connections of a pool are in use and idle, and how many transactions wait for one.
    ///
    /// - Parameter usage: Counts them; only called if metrics are kept.
    public func poolChanged(_ usage: @autoclosure () -> (used: Int, idle: Int, waiting: Int)) {
        #if Metrics
            guard let metrics else { return }
            let (used, idle, waiting) = usage()
            metrics.pool(used: used, idle: idle, waiting: waiting)
        #endif
    }

    func record(
        _ event: Logger.Message, at level: Logger.Level, took duration: Duration, error: (any Error)? = nil,
        _ metadata: Logger.Metadata
    ) {
        var metadata = metadata
        metadata[TelemetryName.duration] = .string(duration.inMilliseconds)
        if let error {
            metadata[TelemetryName.error] = .string(TelemetryName.text(of: error))
            metadata[TelemetryName.errorType] = .string(TelemetryName.type(of: error))
        }
        logger.log(level: level, event, metadata: metadata)
    }

    /// Creates the telemetry of a transaction; nil if nobody listens.
    private func begin(_ kind: TransactionTelemetry.Kind, _ author: String?) -> TransactionTelemetry? {
        let level = logger.logLevel
        var isHeard = level <= .debug
        #if Metrics
            isHeard = isHeard || metrics != nil
        #endif
        #if Tracing
            let span = TransactionSpan(kind, author: author, attributes)
            isHeard = isHeard || span != nil
            let sink = TransactionTelemetry.Sink(store: self, level: level, span: span)
        #else
            let sink = TransactionTelemetry.Sink(store: self, level: level)
        #endif
        guard isHeard else { return nil }
        let number = lastTransaction.add(1, ordering: .relaxed).newValue
        return TransactionTelemetry(kind, author: author, number: number, sink)
    }
}
