import Foundation
import LogRecords
import Logging
import MemoryStore
import Switchyard
import Testing

@Suite("The article on seeing a store at work")
struct SeeingAStoreAtWorkArticle {
    @Test("a store uses the logger that it is opened with")
    func logger() async throws {
        let registry = try PluginRegistry([MemoryPlugin.self])
        let records = LogRecords()
        // In place of the logger that the app has bootstrapped.
        func Logger(label: String) -> Logging.Logger { records.logger }

        var logger = Logger(label: "cinema.store")
        logger.logLevel = .debug
        let store = try await registry.open(
            url: "memory:", schema: CinemaSchema.self, options: OpenOptions(logger: logger))
        _ = try await store.read { try $0.count(Film.all) }
        await #expect(throws: CocoaError.self) {
            try await store.read { _ -> Int in throw CocoaError(.fileNoSuchFile) }
        }
        try await store.close()
        // At debug, only the transaction that failed.
        #expect(records.metadata(of: "transaction").map { $0["error.type"] } == ["CocoaError"])
        #expect(records.metadata(of: "statement").isEmpty)
    }

    @Test("a store without a logger uses the task's own")
    func taskLocal() async throws {
        let registry = try PluginRegistry([MemoryPlugin.self])
        let records = LogRecords()
        let logger = records.logger

        let store = try await withLogger(logger) { _ in
            try await registry.open(url: "memory:", schema: CinemaSchema.self)
        }
        _ = try await store.read { try $0.count(Film.all) }
        #expect(records.metadata(of: "statement").map { $0["db.collection.name"] } == ["Film"])
    }
}
