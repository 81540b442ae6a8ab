import Foundation
import MemoryStore
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardConfiguration
import Testing

@Suite("The article on choosing a backend")
struct ChoosingABackendArticle {
    @Test("a URL names the backend")
    func url() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "cinema.sqlite").path

        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self])
        let store = try await registry.open(url: "sqlite:\(path)", schema: CinemaSchema.self)
        #expect(store.info.backend == "sqlite")
        try await store.close()
    }

    @Test("a configuration names the backend")
    func configuration() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self])
        let sources = ConfigurationSources(environment: ["SWITCHYARD_STORE_BACKEND": "memory"])
        let configuration = try await StoreConfiguration(registry: registry, sources: sources)
        let store = try await registry.open(configuration, schema: CinemaSchema.self)
        #expect(store.info.backend == "memory")
    }

    @Test("a store is opened where its data is now")
    func following() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self])
        let sources = ConfigurationSources(environment: ["SWITCHYARD_STORE_BACKEND": "memory"])
        let configuration = try await StoreConfiguration(registry: registry, sources: sources)
        let directory = FileManager.default.temporaryDirectory

        let schema = try CinemaSchema.schema
        let store = try await SwitchableStore.open(
            StorePlace(configuration, registry: registry, schema: schema),
            registry: PlaceRegistry(path: directory.appending(path: "Places").path)
        ) { url in
            StorePlace(url: url, registry: registry, schema: schema)
        }
        #expect(store.location == "memory:")
        try await store.close()
    }

    @Test("a widget opens the store read-only")
    func reading() async throws {
        let registry = try PluginRegistry([SQLitePlugin.self])
        do {
            _ = try await registry.open(
                url: "sqlite:/nowhere/cinema.sqlite", schema: CinemaSchema.self,
                options: OpenOptions(access: .readOnly))
            Issue.record("a store that is not there was opened")
        } catch let error as StoreError where error.code == .notFound {
            // The app has not been started yet: show a placeholder.
        }
    }
}
