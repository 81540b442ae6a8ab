#if Metrics
    internal import CoreMetrics

    /// The metrics of a store in swift-metrics, all with the backend as a dimension.
    ///
    /// They are created when the store is opened, in the factory that is bootstrapped or bound to the task then.
    final class StoreMetrics: Sendable {
        private typealias Dimensions = [(String, String)]

        private let factory: any MetricsFactory
        private let system: (String, String)
        private let transactions: [TransactionTelemetry.Kind: Timer]
        private let operations: [StoreOperation: Timer]
        private let rows: [StoreOperation: Counter]
        private let waits: [StoreTelemetry.Wait: Timer]
        private let used: Meter
        private let idle: Meter
        private let waiting: Meter

        /// Returns nil if no factory has been bootstrapped.
        init?(system: String, pool: String) {
            let factory = MetricsSystem.factory
            guard !(factory is NOOPMetricsHandler) else { return nil }
            self.factory = factory
            let system = (TelemetryName.system, system)
            self.system = system
            func each<Key: Hashable, Metric>(
                _ keys: [Key], _ make: (Key) -> Metric
            ) -> [Key: Metric] {
                Dictionary(uniqueKeysWithValues: keys.map { ($0, make($0)) })
            }
            transactions = each(TransactionTelemetry.Kind.allCases) {
                Timer(
                    label: "switchyard.transaction.duration",
                    dimensions: [system, (TelemetryName.kind, $0.rawValue)], factory: factory)
            }
            operations = each(StoreOperation.allCases) {
                Timer(
                    label: "db.client.operation.duration",
                    dimensions: [system, (TelemetryName.operation, $0.rawValue)], factory: factory)
            }
            rows = each(StoreOperation.allCases.filter(\.countsRows)) {
                Counter(
                    label: "switchyard.rows", dimensions: [system, (TelemetryName.operation, $0.rawValue)],
                    factory: factory)
            }
            let pool = ("db.client.connection.pool.name", pool)
            waits = each(StoreTelemetry.Wait.allCases) {
                $0 == .connection
                    ? Timer(
                        label: "db.client.connection.wait_time", dimensions: [system, pool], factory: factory)
                    : Timer(
                        label: "switchyard.wait.duration",
                        dimensions: [system, (TelemetryName.wait, $0.rawValue)], factory: factory)
            }
            func connections(_ state: String) -> Meter {
                Meter(
                    label: "db.client.connection.count",
                    dimensions: [system, pool, ("db.client.connection.state", state)], factory: factory)
            }
            (used, idle) = (connections("used"), connections("idle"))
            waiting = Meter(
                label: "db.client.connection.pending_requests", dimensions: [system, pool], factory: factory)
        }

        func ended(
            _ kind: TransactionTelemetry.Kind, _ duration: Duration, rows counts: [StoreOperation: Int],
            error: (any Error)?
        ) {
            for (operation, count) in counts { rows[operation]?.increment(by: count) }
            guard let error else {
                transactions[kind]?.recordNanoseconds(duration.nanoseconds)
                return
            }
            Timer(
                label: "switchyard.transaction.duration",
                dimensions: [
                    system, (TelemetryName.kind, kind.rawValue),
                    (TelemetryName.errorType, TelemetryName.type(of: error)),
                ], factory: factory
            ).recordNanoseconds(duration.nanoseconds)
        }

        func retried(after error: StoreError) {
            Counter(
                label: "switchyard.transaction.retries",
                dimensions: [system, (TelemetryName.errorType, TelemetryName.type(of: error))],
                factory: factory
            ).increment()
        }

        func didRun(_ operation: StoreOperation, _ duration: Duration, error: (any Error)?) {
            if let error {
                Timer(
                    label: "db.client.operation.duration",
                    dimensions: [
                        system, (TelemetryName.operation, operation.rawValue),
                        (TelemetryName.errorType, TelemetryName.type(of: error)),
                    ], factory: factory
                ).recordNanoseconds(duration.nanoseconds)
            } else {
                operations[operation]?.recordNanoseconds(duration.nanoseconds)
            }
        }

        func waited(for wait: StoreTelemetry.Wait, _ duration: Duration) {
            waits[wait]?.recordNanoseconds(duration.nanoseconds)
        }

        func pool(used: Int, idle: Int, waiting: Int) {
            self.used.set(used)
            self.idle.set(idle)
            self.waiting.set(waiting)
        }
    }

    extension Duration {
        fileprivate var nanoseconds: Int64 {
            let (seconds, attoseconds) = components
            return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }
#endif
