internal import Metrics
internal import Synchronization

/// The metrics of a service in swift-metrics, by the names of OpenTelemetry.
///
/// They are created in the factory that is bootstrapped when the service starts.
final class ServiceMetrics: Sendable {
    fileprivate struct Key: Hashable {
        let method: String
        let route: String
        var status = 0
        var errorCode: String?
    }

    private struct Created {
        var durations: [Key: Timer] = [:]
        var active: [Key: Meter] = [:]
    }

    private let factory = MetricsSystem.factory
    // As many as there are routes and outcomes: what a client makes up has one name.
    private let created = Mutex(Created())

    /// A request under way.
    struct Request: Sendable {
        fileprivate let key: Key
        fileprivate let start = ContinuousClock.now
    }

    /// Counts a request as being under way.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - route: The request's route; nil for one that is unknown.
    /// - Returns: What `end(_:status:errorCode:)` takes.
    func begin(_ method: String, _ route: String?) -> Request {
        let key = Key(method: route == nil ? "_OTHER" : method, route: route ?? "unknown")
        meter(key).increment()
        return Request(key: key)
    }

    /// Records the answer to a request.
    func end(_ request: Request, status: Int, errorCode: String?) {
        meter(request.key).decrement()
        var key = request.key
        (key.status, key.errorCode) = (status, errorCode)
        let timer = created.withLock { created in
            if let timer = created.durations[key] { return timer }
            let timer = Timer(
                label: "http.server.request.duration",
                dimensions: dimensions(key) + [("http.response.status_code", "\(status)")]
                    + (errorCode.map { [("error.type", $0)] } ?? []), factory: factory)
            created.durations[key] = timer
            return timer
        }
        let (seconds, attoseconds) = (ContinuousClock.now - request.start).components
        timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func meter(_ key: Key) -> Meter {
        created.withLock { created in
            if let meter = created.active[key] { return meter }
            let meter = Meter(
                label: "http.server.active_requests", dimensions: dimensions(key), factory: factory)
            created.active[key] = meter
            return meter
        }
    }

    private func dimensions(_ key: Key) -> [(String, String)] {
        [("http.request.method", key.method), ("http.route", key.route)]
    }
}
