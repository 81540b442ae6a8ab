import SwitchyardConfiguration
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("Redaction of a configuration")
struct ConfigurationRedactionTests {
    /// A configuration with a password in every place where one can be.
    private func configuration() async throws -> StoreConfiguration {
        try await Toy.configuration(
            flags: ["store.url": "postgres://mia:geheim-1@db.example/baby"],
            environment: [
                "SWITCHYARD_STORE_POSTGRES_URL": "postgres://mia:geheim-2@db.example/baby",
                "SWITCHYARD_FEED_TOKEN": "geheim-4",
            ])
    }

    @Test("no print, dump or error of a configuration shows a password")
    func dumps() async throws {
        let configuration = try await configuration()
        #expect(configuration.settings.text("password") == "geheim-1")
        #expect(configuration.values.text("feed.token") == "geheim-4")
        let sources = ConfigurationSources(
            flags: [.init("--store", key: "store.url", value: "postgres://mia:geheim-5@h/d")],
            environment: ["SWITCHYARD_STORE_POSTGRES_PASSWORD": "geheim-6"])
        var text = ""
        for value in [
            configuration, configuration.settings, configuration.values, configuration.explanation, sources,
            sources.flags,
            SettingText("geheim-7", isSecret: true),
        ] as [Any] {
            dump(value, to: &text)
            print(value, String(reflecting: value), to: &text)
            for child in Mirror(reflecting: value).children { dump(child.value, to: &text) }
        }
        #expect(text.contains("postgres"))
        #expect(!text.contains("geheim"))
    }
}
