import Dispatch
import Foundation
import LogRecords
import Logging
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@Suite("A store at work, as its log shows it")
struct TelemetryTests {
    @Model
    struct Part {
        #Unique<Part>([\.label])
        let id: ID
        var label: String = ""
        var number: Int = 0
        var data: Data?
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Values that stand nowhere else.
    private static let secret = "s3cr3t-label"
    private static let number = 8_675_309_867_530

    /// Lends a store that tells of its work.
    private func withStore(
        on backend: TestBackend, _ records: LogRecords, _ body: (any Store) async throws -> Void
    ) async throws {
        try await withLogger(records.logger) { _ in try await backend.withStore(of: Part.self, body: body) }
    }

    /// Reads and writes in every way.
    private func work(_ store: any Store) async throws {
        let secret = Self.secret
        let number = Self.number
        try await store.write(WriteOptions(operation: OperationID())) { tx in
            try tx.insert(Part(label: secret, number: number, data: Data(secret.utf8)))
            try tx.insert(contentsOf: (0..<200).map { Part(label: "\(secret) \($0)", number: number + $0) })
            try tx.nested { _ = try tx.upsert([Part(label: secret, number: number + 1)], on: \.label) }
            try? tx.nested {
                try tx.insert(Part(label: "\(secret) of the part"))
                throw Refusal(description: secret)
            }
        }
        try await store.write { tx in
            let parts = Part.where(#Predicate { $0.label == secret && $0.number > number })
            guard var part = try tx.fetch(parts).first else { return }
            part.label = "\(secret) again"
            try tx.update(part)
            _ = try tx.find(part.id)
            try tx.update(parts, set: [.set(\.number, to: number)])
            try tx.delete(part)
        }
    }

    @Test(
        "the log shows each transaction and operation with the store's id and duration",
        arguments: TestBackend.available)
    func transactions(backend: TestBackend) async throws {
        let records = LogRecords()
        try await withStore(on: backend, records) { store in
            let part = Part(label: "bolt", number: 1)
            try await store.write(WriteOptions(author: "stocktaking")) { tx in
                try tx.insert(part)
                try tx.insert(contentsOf: [Part(label: "nut", number: 1), Part(label: "pin", number: 2)])
            }
            let count = try await store.read { try $0.fetch(Part.where(#Predicate { $0.number == 1 })).count }
            #expect(count == 2)
            let id = try await store.marker().storeID.uuidString.lowercased()
            #expect(records.all.allSatisfy { $0.metadata["switchyard.store.id"] == id })
            #expect(records.withoutDuration.isEmpty)
            let system = backend == .postgres ? "postgresql" : backend.rawValue
            #expect(records.all.allSatisfy { $0.metadata["db.system.name"] == system })

            let transactions = records.metadata(of: "transaction")
            #expect(transactions.map { $0["switchyard.transaction.kind"] } == ["write", "read", "read"])
            #expect(transactions.map { $0["switchyard.transaction.id"] } == ["1", "2", "3"])
            #expect(
                transactions.map { $0["switchyard.transaction.author"] } == ["stocktaking", nil, nil])
            #expect(transactions.map { $0["switchyard.transaction.commit"] != nil } == [true, false, false])
            let operations = records.metadata(of: "statement")
            #expect(
                operations.map { $0["db.operation.name"] } == [
                    "check", "insert", "insert", "select", "marker",
                ])
            #expect(
                operations.map { $0["db.collection.name"] } == [nil, "Part", "Part", "Part", nil])
            #expect(operations.map { $0["switchyard.rows"] } == [nil, "1", "2", "2", nil])
            #expect(
                operations.map { $0["switchyard.transaction.id"] } == ["1", "1", "1", "2", "3"])
            let words = operations.map { $0["db.query.text"]?.prefix(6).description }
            #expect(
                words
                    == (backend == .memory
                        ? [nil, nil, nil, nil, nil] : ["SELECT", "INSERT", "INSERT", "SELECT", "SELECT"]))
        }
    }

    @Test(
        "the log contains no value of a row, whatever is done and however it fails",
        arguments: TestBackend.available)
    func values(backend: TestBackend) async throws {
        let records = LogRecords()
        let secret = Self.secret
        try await withStore(on: backend, records) { store in
            try await work(store)
            await #expect(throws: StoreError.self) {
                try await store.write {
                    try $0.insert(contentsOf: [Part(label: secret), Part(label: secret)])
                }
            }
            await #expect(throws: Refusal.self) {
                try await store.write { _ in throw Refusal(description: secret) }
            }
        }
        let failures = records.metadata(of: "transaction").compactMap { $0["error.type"] }
        #expect(failures.contains("unique"))
        let names = Set(records.metadata(of: "statement").compactMap { $0["db.operation.name"] })
        #expect(
            names.isSuperset(of: [
                "insert", "update", "delete", "select", "find", "savepoint", "release", "rollback", "record",
            ]))
        let text = records.all.map { "\($0)" }.joined(separator: "\n")
        #expect(!text.contains(secret))
        #expect(!text.contains("\(Self.number)"))
        #expect(!text.contains(Data(secret.utf8).map { String(format: "%02x", $0) }.joined()))
        #expect(!text.contains(Data(secret.utf8).base64EncodedString()))
    }

    @Test("the log contains nothing at info and above in normal operation", arguments: TestBackend.available)
    func quiet(backend: TestBackend) async throws {
        let records = LogRecords(.info)
        try await withStore(on: backend, records) { try await work($0) }
        #expect(records.all.isEmpty)
    }

    @Test(
        "nothing wraps the backend's driver unless each operation is reported",
        arguments: TestBackend.available)
    func cost(backend: TestBackend) async throws {
        for (level, isObserved) in [(Logger.Level.info, false), (.debug, false), (.trace, true)] {
            try await withStore(on: backend, LogRecords(level)) { store in
                let drivers = [
                    try await store.read { "\(type(of: $0.driver))" },
                    try await store.write { "\(type(of: $0.driver))" },
                ]
                #expect(drivers.map { $0 == "ObservedDriver" } == [isObserved, isObserved])
            }
        }
    }

    @Test(
        "the log shows a write that waits for its turn, also without success",
        arguments: [TestBackend.memory, .sqlite])
    func turns(backend: TestBackend) async throws {
        let records = LogRecords(.debug)
        try await withLogger(records.logger) { _ in
            let harness = backend.harness
            let store = try await harness.makeStore(
                Schema(version: SchemaVersion(1), models: [Part.self]), busyTimeout: .milliseconds(20))
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let end = DispatchSemaphore(value: 0)
            let holder = Task {
                try await store.write { _ in
                    start.finish()
                    end.wait()
                }
            }
            for await _ in started {}
            await #expect(throws: StoreError.self) { try await store.write { _ in } }
            end.signal()
            try await holder.value
            await harness.dispose(store)
        }
        let waits = records.metadata(of: "wait")
        #expect(waits.map { $0["switchyard.wait"] } == ["turn"])
        #expect(waits.map { $0["error.type"] } == ["busy"])
        #expect(records.withoutDuration.isEmpty)
    }
}
