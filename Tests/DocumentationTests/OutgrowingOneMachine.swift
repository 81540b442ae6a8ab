import PostgresStore
import Switchyard
import Testing

@Suite("The article on outgrowing one machine")
struct OutgrowingOneMachineArticle {
    /// Nothing is opened: there is no such server.
    @Test("the URL of a cluster names a server, and the setting is known")
    func url() throws {
        let settings = try PostgresPlugin.settings(
            fromURL: "postgres://app@coordinator.example.org/dairy?distribution=citus")
        #expect(settings["distribution"] == "citus")
        #expect(settings["host"] == "coordinator.example.org")
    }

    /// Compiled, and not run.
    private func cluster(_ household: StoreScope, _ grandparents: StoreScope) async throws -> [Scoped<Film>] {
        let registry = try PluginRegistry([PostgresPlugin.self])
        let url = "postgres://app@coordinator.example.org/dairy?distribution=citus"
        let store = try await registry.open(
            url: url, schema: CinemaSchema.self, options: OpenOptions(scope: household))
        let both = ReadOptions(scopes: [household, grandparents])
        let films = try await store.read(both) { try $0.fetchScoped(Film.sorted(by: \.title)) }
        return films
    }
}
