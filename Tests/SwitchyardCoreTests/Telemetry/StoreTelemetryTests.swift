import Foundation
import LogRecords
import Logging
import Switchyard
import SwitchyardCore
import Testing

@Suite("Telemetry of a store")
struct StoreTelemetryTests {
    private static let id = UUID()
    private let records = LogRecords()

    private var telemetry: StoreTelemetry {
        StoreTelemetry(
            StoreInfo(backend: "toy", location: "here", version: "7"), storeID: Self.id,
            logger: records.logger)
    }

    private var policy: RetryPolicy {
        RetryPolicy(
            attempts: 3, baseDelay: .milliseconds(10), maximumDelay: .milliseconds(40), sleep: { _ in },
            random: { 0.5 })
    }

    private struct Secret: Error, CustomStringConvertible {
        let description = "s3cr3t"
    }

    @Test("a store reports no transactions above debug")
    func silent() async throws {
        let records = LogRecords(.info)
        let telemetry = StoreTelemetry(
            StoreInfo(backend: "toy", location: "here"), storeID: nil, logger: records.logger)
        let isHeard = try await telemetry.transaction(.read) { $0 != nil }
        #expect(!isHeard)
        telemetry.waited(for: .turn, since: .now)
        telemetry.opened(since: .now)
        #expect(records.all.isEmpty)
    }

    @Test("every record of a store has its id and backend")
    func identity() async throws {
        let telemetry = telemetry
        telemetry.opened(since: .now)
        telemetry.waited(for: .lock, since: .now, error: StoreError(.busy, "locked"))
        try await telemetry.transaction(.write) { _ in }
        #expect(records.all.map(\.event) == ["opened", "wait", "transaction"])
        for record in records.all {
            #expect(record.metadata["switchyard.store.id"] == "\(Self.id.uuidString.lowercased())")
            #expect(record.metadata["db.system.name"] == "toy")
        }
        #expect(records.withoutDuration.isEmpty)
        #expect(records.metadata(of: "opened")[0]["db.namespace"] == "here")
        #expect(records.metadata(of: "opened")[0]["switchyard.backend.version"] == "7")
        #expect(records.metadata(of: "wait")[0]["switchyard.wait"] == "lock")
        #expect(records.metadata(of: "wait")[0]["error.type"] == "busy")
    }

    @Test("a store reports why a transaction ran again, how often, and after what wait")
    func retries() async throws {
        let telemetry = telemetry
        try await telemetry.transaction(.write) { transaction in
            try await policy.run(transaction) { attempt in
                if attempt < 3 { throw StoreError(.serialization, "Another one was first.") }
            }
        }
        let retries = records.metadata(of: "retry")
        #expect(retries.map { $0["switchyard.transaction.attempt"] } == ["1", "2"])
        #expect(retries.map { $0["switchyard.retry.delay"] } == ["5.000 ms", "10.000 ms"])
        #expect(retries.map { $0["error.type"] } == ["serialization", "serialization"])
        #expect(
            retries.map { $0["error.message"] }
                == Array(repeating: "serialization: Another one was first.", count: 2))
        #expect(records.all.filter { $0.event == "retry" }.map(\.level) == [.debug, .debug])
        #expect(records.metadata(of: "transaction").map { $0["switchyard.transaction.attempt"] } == ["3"])
        #expect(records.withoutDuration.isEmpty)
    }

    @Test("at debug a store reports failed transactions only")
    func failures() async throws {
        let records = LogRecords(.debug)
        let telemetry = StoreTelemetry(
            StoreInfo(backend: "toy", location: "here"), storeID: nil, logger: records.logger)
        try await telemetry.transaction(.read) { _ in }
        var error = StoreError(.unique, "Two rows have the same value.", entity: "Baby", detail: "s3cr3t")
        error.underlying = Secret()
        await #expect(throws: StoreError.self) {
            try await telemetry.transaction(.write) { [error] _ in throw error }
        }
        await #expect(throws: Secret.self) { try await telemetry.transaction(.write) { _ in throw Secret() } }
        let told = records.metadata(of: "transaction")
        #expect(
            told.map { $0["error.type"] } == ["unique", "Secret"])
        #expect(told[0]["error.message"] == "unique: Two rows have the same value. [Baby]")
        #expect(!records.all.description.contains("s3cr3t"))
    }

    @Test("a store numbers its transactions in the records")
    func numbers() async throws {
        let telemetry = telemetry
        for _ in 0..<3 { try await telemetry.transaction(.read) { _ in } }
        #expect(
            records.metadata(of: "transaction").map { $0["switchyard.transaction.id"] } == ["1", "2", "3"])
    }

    @Test("a store reports a wait for a semaphore's permit, and nothing if one was free")
    func semaphore() async throws {
        let semaphore = AsyncSemaphore(permits: 1, telemetry: telemetry)
        let waiter = try await semaphore.withPermit {
            let waiter = Task { try await semaphore.withPermit {} }
            while semaphore.waiting == 0 { await Task.yield() }
            #expect(records.all.isEmpty)
            return waiter
        }
        try await waiter.value
        #expect(records.all.map(\.event) == ["wait"])
        #expect(records.metadata(of: "wait")[0]["switchyard.wait"] == "turn")
        #expect(records.metadata(of: "wait")[0]["error.type"] == nil)
    }

    @Test(
        "a store reports durations in milliseconds",
        arguments: [
            (Duration.zero, "0.000 ms"), (.nanoseconds(999), "0.000 ms"), (.microseconds(7), "0.007 ms"),
            (.microseconds(12_345), "12.345 ms"), (.seconds(61), "61000.000 ms"),
        ])
    func durations(_ duration: Duration, _ text: String) async throws {
        let records = LogRecords()
        let telemetry = StoreTelemetry(
            StoreInfo(backend: "toy", location: "here"), storeID: nil, logger: records.logger)
        let policy = RetryPolicy(
            attempts: 2, baseDelay: duration, maximumDelay: .seconds(100), sleep: { _ in }, random: { 1 })
        try await telemetry.transaction(.read) { transaction in
            try await policy.run(transaction) { if $0 == 1 { throw StoreError(.busy, "locked") } }
        }
        #expect(records.metadata(of: "retry").map { $0["switchyard.retry.delay"] } == [text])
    }
}
