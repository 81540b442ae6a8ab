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

        var logger = Logger(label: "cinema.store")
        logger.logLevel = .debug
        let store = try await registry.open(
            url: "memory:", schema: CinemaSchema.self, options: OpenOptions(logger: logger))
        try await store.close()
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
