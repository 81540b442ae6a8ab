#if Tracing
    internal import Tracing

    /// The span of a transaction, the parent of those of its operations.
    ///
    /// A tracer that recorded an error would show its stored values, so it only receives the text.
    struct TransactionSpan: Sendable {
        private let tracer: any Tracer
        private let span: any Span
        private let attributes: SpanAttributes

        /// Begins a child of the caller's span; nil if there is no tracer.
        init?(_ kind: TransactionTelemetry.Kind, author: String?, _ attributes: SpanAttributes) {
            let tracer = InstrumentationSystem.tracer
            guard !(tracer is NoOpTracer) else { return nil }
            self.tracer = tracer
            self.attributes = attributes
            span = tracer.startAnySpan(
                "switchyard.\(kind.rawValue)", context: ServiceContext.current ?? .topLevel, ofKind: .internal
            )
            span.attributes = attributes
            span.attributes[TelemetryName.kind] = kind.rawValue
            if let author { span.attributes[TelemetryName.author] = author }
        }

        /// Runs a body with the span as its context.
        func inContext<Result>(_ body: () throws -> Result) rethrows -> Result {
            try ServiceContext.withValue(span.context, operation: body)
        }

        func addRetry(after error: StoreError, attempt: Int) {
            var attributes = SpanAttributes([:])
            attributes[TelemetryName.attempt] = attempt
            attributes[TelemetryName.errorType] = TelemetryName.type(of: error)
            span.addEvent(SpanEvent(name: "retry", attributes: attributes))
        }

        func begin(_ operation: StoreOperation, of entity: String?) -> OperationSpan {
            let name = entity.map { "\(operation.rawValue) \($0)" } ?? operation.rawValue
            let span = tracer.startAnySpan(name, context: self.span.context, ofKind: .client)
            span.attributes = attributes
            span.attributes[TelemetryName.operation] = operation.rawValue
            if let entity { span.attributes[TelemetryName.entity] = entity }
            return OperationSpan(span: span)
        }

        func end(attempts: Int, error: (any Error)?) {
            span.attributes[TelemetryName.attempt] = attempts
            if let error { span.fail(error) }
            span.end()
        }
    }

    /// The span of one operation.
    struct OperationSpan {
        fileprivate let span: any Span

        func end(_ statements: [String], rows: Int?, error: (any Error)?) {
            if !statements.isEmpty {
                span.attributes[TelemetryName.statement] = statements.joined(separator: "; ")
            }
            if let rows { span.attributes[TelemetryName.rows] = rows }
            if let error { span.fail(error) }
            span.end()
        }
    }

    extension Span {
        fileprivate func fail(_ error: any Error) {
            attributes[TelemetryName.errorType] = TelemetryName.type(of: error)
            setStatus(SpanStatus(code: .error, message: TelemetryName.text(of: error)))
        }
    }
#endif
