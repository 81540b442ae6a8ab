#if Tracing
    import Foundation
    import InMemoryTracing
    import LogRecords
    import Logging
    import Switchyard
    import SwitchyardConformance
    import SwitchyardCore
    import TestBackends
    import Testing
    import Tracing

    @Suite("A store at work, as its spans show it")
    struct TracingTests {
        @Model
        struct Part {
            #Unique<Part>([\.label])
            let id: ID
            var label: String = ""
        }

        private static let secret = "s3cr3t-label"

        private func finished(
            on backend: TestBackend, _ body: (any Store) async throws -> Void
        ) async throws -> [FinishedInMemorySpan] {
            let tracer = InMemoryTracer()
            try await backend.withStore(of: Part.self) { store in
                try await withTracer(tracer) {
                    try await withSpan("request") { _ in try await body(store) }
                }
            }
            return tracer.finishedSpans
        }

        @Test(
            "a transaction's span is a child of its caller's, and the parent of its operations'",
            arguments: TestBackend.available)
        func nesting(backend: TestBackend) async throws {
            let secret = Self.secret
            let spans = try await finished(on: backend) { store in
                let seen = try await store.write(WriteOptions(author: "stocktaking")) { tx in
                    try tx.insert(contentsOf: [Part(label: secret), Part(label: "b")])
                    return ServiceContext.current?.inMemorySpanContext?.spanID
                }
                _ = try await store.read { try $0.fetch(Part.where(#Predicate { $0.label == secret })) }
                #expect(seen != nil)
                _ = try await store.marker()
            }
            #expect(
                spans.map(\.operationName) == [
                    "check", "insert Part", "switchyard.write", "select Part", "switchyard.read", "marker",
                    "switchyard.read", "request",
                ])
            let request = try #require(spans.last)
            let write = try #require(spans.first { $0.operationName == "switchyard.write" })
            let insert = try #require(spans.first { $0.operationName == "insert Part" })
            #expect(write.parentSpanID == request.spanID)
            #expect(insert.parentSpanID == write.spanID)
            #expect(write.kind == .internal)
            #expect(insert.kind == .client)
            #expect(write.attributes.get("switchyard.transaction.kind") == .string("write"))
            #expect(write.attributes.get("switchyard.transaction.author") == .string("stocktaking"))
            #expect(write.attributes.get("switchyard.transaction.attempt") == .int64(1))
            #expect(write.attributes.get("switchyard.store.id") != nil)
            let system = backend == .postgres ? "postgresql" : backend.rawValue
            #expect(insert.attributes.get("db.system.name") == .string(system))
            #expect(insert.attributes.get("db.operation.name") == .string("insert"))
            #expect(insert.attributes.get("db.collection.name") == .string("Part"))
            #expect(insert.attributes.get("switchyard.rows") == .int64(2))
            #expect((insert.attributes.get("db.query.text") == nil) == (backend == .memory))
            #expect(!spans.map { "\($0.attributes)" }.joined().contains(secret))
        }

        @Test(
            "a body sees the transaction's span as its context, on the thread that runs it",
            arguments: TestBackend.available)
        func context(backend: TestBackend) async throws {
            let tracer = InMemoryTracer()
            try await backend.withStore(of: Part.self) { store in
                try await withTracer(tracer) {
                    let seen = try await store.read { _ in ServiceContext.current?.inMemorySpanContext?.spanID
                    }
                    #expect(seen == tracer.finishedSpans.last?.spanID)
                    #expect(seen != nil)
                }
            }
        }

        @Test(
            "a failed transaction's span has a status without values, and no error object",
            arguments: TestBackend.available)
        func failure(backend: TestBackend) async throws {
            let secret = Self.secret
            let spans = try await finished(on: backend) { store in
                await #expect(throws: StoreError.self) {
                    try await store.write {
                        try $0.insert(contentsOf: [Part(label: secret), Part(label: secret)])
                    }
                }
            }
            let write = try #require(spans.first { $0.operationName == "switchyard.write" })
            #expect(write.status?.code == .error)
            #expect(write.status?.message?.hasPrefix("unique: ") == true)
            #expect(write.status?.message?.contains(secret) == false)
            #expect(write.attributes.get("error.type") == .string("unique"))
            #expect(spans.allSatisfy { $0.errors.isEmpty })
        }

        @Test("a retry of a transaction is an event of its span")
        func retry() async throws {
            let tracer = InMemoryTracer()
            let telemetry = StoreTelemetry(
                StoreInfo(backend: "toy", location: "here"), storeID: nil,
                logger: LogRecords(.info).logger)
            let policy = RetryPolicy(attempts: 2, sleep: { _ in }, random: { 0 })
            try await withTracer(tracer) {
                try await telemetry.transaction(.write) { transaction in
                    try await policy.run(transaction) { if $0 == 1 { throw StoreError(.busy, "locked") } }
                }
            }
            let span = try #require(tracer.finishedSpans.first)
            #expect(span.events.map(\.name) == ["retry"])
            #expect(span.events[0].attributes.get("error.type") == .string("busy"))
            #expect(span.attributes.get("switchyard.transaction.attempt") == .int64(2))
        }
    }
#endif
