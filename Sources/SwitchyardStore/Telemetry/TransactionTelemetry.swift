internal import Logging
internal import Synchronization

#if Tracing
    internal import Tracing
#endif

/// The telemetry of one transaction with all its attempts; see `StoreTelemetry`.
///
/// It is passed along explicitly, because task-local values may not reach the thread that runs a body.
public final class TransactionTelemetry: Sendable {
    /// What a transaction is for.
    public enum Kind: String, Sendable, CaseIterable {
        /// It reads one snapshot.
        case read
        /// It may write.
        case write
    }

    /// Where a transaction is reported.
    struct Sink: Sendable {
        let store: StoreTelemetry
        let level: Logger.Level
        #if Tracing
            let span: TransactionSpan?
        #endif
    }

    private struct State {
        var attempt = 1
        var attemptStart: ContinuousClock.Instant
        /// When the body of the last attempt returned.
        var bodyEnd: ContinuousClock.Instant?
        /// The statements of the running operation, each one once.
        var statements: [String] = []
        #if Metrics
            /// The rows of the operations, since the body was begun last.
            var rows: [StoreOperation: Int] = [:]
        #endif
    }

    private let kind: Kind
    private let author: String?
    private let number: Int
    private let sink: Sink
    private let start: ContinuousClock.Instant
    private let state: Mutex<State>
    /// Whether each operation is reported.
    let tellsOperations: Bool
    private let tellsStatements: Bool

    init(_ kind: Kind, author: String?, number: Int, _ sink: Sink) {
        self.kind = kind
        self.author = author
        self.number = number
        self.sink = sink
        start = .now
        state = Mutex(State(attemptStart: start))
        var (operations, statements) = (sink.level <= .trace, sink.level <= .trace)
        #if Tracing
            operations = operations || sink.span != nil
            statements = statements || sink.span != nil
        #endif
        #if Metrics
            operations = operations || sink.store.metrics != nil
        #endif
        (tellsOperations, tellsStatements) = (operations, statements)
    }

    /// Adds the text of a statement to the operation that runs it.
    ///
    /// Use it in backends that have statements, such as SQL ones. It appears only with the operation.
    ///
    /// - Parameter text: The text with placeholders, without bound values.
    public func statement(_ text: @autoclosure () -> String) {
        guard tellsStatements else { return }
        let text = text()
        state.withLock { state in
            if !state.statements.contains(text) { state.statements.append(text) }
        }
    }

    /// Runs a transaction's body, perhaps once more, with the span of the transaction as its context.
    static func inContext<Result>(
        of telemetry: TransactionTelemetry?, _ body: () throws -> Result
    ) rethrows -> Result {
        #if Metrics
            telemetry?.state.withLock { $0.rows = [:] }
        #endif
        #if Tracing
            if let span = telemetry?.sink.span { return try span.inContext(body) }
        #endif
        return try body()
    }

    /// Records that the body has returned and only the commit is left.
    func bodyDidEnd() { state.withLock { $0.bodyEnd = .now } }

    /// Reports that the transaction will be retried.
    func willRetry(after error: StoreError, in delay: Duration) {
        let (attempt, duration) = state.withLock { state in
            let now = ContinuousClock.now
            defer { (state.attempt, state.attemptStart, state.bodyEnd) = (state.attempt + 1, now, nil) }
            return (state.attempt, now - state.attemptStart)
        }
        #if Metrics
            sink.store.metrics?.retried(after: error)
        #endif
        #if Tracing
            sink.span?.addRetry(after: error, attempt: attempt)
        #endif
        guard sink.level <= .debug else { return }
        sink.store.record(
            "retry", at: .debug, took: duration, error: error,
            metadata([TelemetryName.attempt: "\(attempt)", TelemetryName.delay: "\(delay.inMilliseconds)"]))
    }

    /// Runs one operation of the driver and reports how it ended.
    ///
    /// - Parameters:
    ///   - operation: The kind of operation.
    ///   - entity: The entity whose rows it concerns.
    ///   - body: Runs the operation and counts the rows.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    func operation<Result>(
        _ operation: StoreOperation, of entity: String? = nil, _ body: (inout Int) throws -> Result
    ) throws -> Result {
        let start = ContinuousClock.now
        state.withLock { $0.statements = [] }
        var rows = 0
        #if Tracing
            let span = sink.span?.begin(operation, of: entity)
        #endif
        func end(_ error: (any Error)?) {
            let duration = ContinuousClock.now - start
            let statements = state.withLock { $0.statements }
            #if Metrics
                sink.store.metrics?.didRun(operation, duration, error: error)
                if rows > 0 { state.withLock { $0.rows[operation, default: 0] += rows } }
            #endif
            #if Tracing
                span?.end(statements, rows: operation.countsRows ? rows : nil, error: error)
            #endif
            guard sink.level <= .trace else { return }
            var metadata = metadata([TelemetryName.operation: .string(operation.rawValue)])
            if let entity { metadata[TelemetryName.entity] = .string(entity) }
            if operation.countsRows { metadata[TelemetryName.rows] = "\(rows)" }
            if !statements.isEmpty {
                metadata[TelemetryName.statement] = .string(statements.joined(separator: "; "))
            }
            sink.store.record("statement", at: .trace, took: duration, error: error, metadata)
        }
        do {
            let result = try body(&rows)
            end(nil)
            return result
        } catch {
            end(error)
            throw error
        }
    }

    /// Reports how the transaction ended.
    func end(_ error: (any Error)?) {
        let now = ContinuousClock.now
        let (attempt, bodyEnd) = state.withLock { ($0.attempt, $0.bodyEnd) }
        #if Metrics
            sink.store.metrics?.ended(kind, now - start, rows: state.withLock(\.rows), error: error)
        #endif
        #if Tracing
            sink.span?.end(attempts: attempt, error: error)
        #endif
        let level: Logger.Level = error == nil ? .trace : .debug
        guard sink.level <= level else { return }
        var metadata = metadata([TelemetryName.attempt: "\(attempt)"])
        if kind == .write, let bodyEnd {
            metadata[TelemetryName.commit] = .string((now - bodyEnd).inMilliseconds)
        }
        sink.store.record("transaction", at: level, took: now - start, error: error, metadata)
    }

    private func metadata(_ others: Logger.Metadata) -> Logger.Metadata {
        var metadata = others
        metadata[TelemetryName.transaction] = "\(number)"
        metadata[TelemetryName.kind] = .string(kind.rawValue)
        if let author { metadata[TelemetryName.author] = .string(author) }
        return metadata
    }
}

/// The operations of a driver, named as in its protocol.
enum StoreOperation: String, Sendable, CaseIterable {
    case select, find, insert, update, delete, savepoint, release, rollback, record, marker, setMarker, check

    var countsRows: Bool {
        switch self {
        case .select, .find, .insert, .update, .delete: true
        case .savepoint, .release, .rollback, .record, .marker, .setMarker, .check: false
        }
    }
}
