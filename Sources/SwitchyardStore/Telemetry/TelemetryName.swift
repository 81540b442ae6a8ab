/// The names of metadata, span attributes and dimensions: those of OpenTelemetry's semantic conventions for databases
/// if there is one (opentelemetry.io/docs/specs/semconv/db), otherwise the project's own.
enum TelemetryName {
    static let system = "db.system.name"
    static let namespace = "db.namespace"
    static let operation = "db.operation.name"
    static let entity = "db.collection.name"
    static let statement = "db.query.text"
    static let errorType = "error.type"
    static let error = "error.message"
    static let duration = "duration"
    static let version = "switchyard.backend.version"
    static let store = "switchyard.store.id"
    static let transaction = "switchyard.transaction.id"
    static let kind = "switchyard.transaction.kind"
    static let author = "switchyard.transaction.author"
    static let attempt = "switchyard.transaction.attempt"
    static let commit = "switchyard.transaction.commit"
    static let delay = "switchyard.retry.delay"
    static let rows = "switchyard.rows"
    static let wait = "switchyard.wait"

    /// How a record describes an error: by a `StoreError`'s description.
    ///
    /// Of any other error only the type is logged, because its description may show stored values.
    static func text(of error: any Error) -> String {
        (error as? StoreError)?.description ?? String(describing: Swift.type(of: error))
    }

    /// The kind of an error: a `StoreError`'s code, or the type of any other error.
    static func type(of error: any Error) -> String {
        (error as? StoreError)?.code.description ?? String(describing: Swift.type(of: error))
    }
}

extension Duration {
    /// The duration in milliseconds, truncated to microseconds, such as `12.345 ms`.
    var inMilliseconds: String {
        let (seconds, attoseconds) = components
        let microseconds = attoseconds / (1_000_000_000_000 as Int64)
        let fraction = String(microseconds % 1_000)
        let zeros = String(repeating: "0", count: max(3 - fraction.count, 0))
        return "\(seconds * 1_000 + microseconds / 1_000).\(zeros)\(fraction) ms"
    }
}
