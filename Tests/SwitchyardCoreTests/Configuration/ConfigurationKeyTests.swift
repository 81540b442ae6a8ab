import Configuration
import Testing

@testable import SwitchyardCore

@Suite("The keys of a configuration")
struct ConfigurationKeyTests {
    @Test(
        "environment variables are named as swift-configuration names them",
        arguments: [
            ("store.sqlite.busyTimeout", "SWITCHYARD_STORE_SQLITE_BUSY_TIMEOUT"),
            ("app.groups.root", "SWITCHYARD_APP_GROUPS_ROOT"), ("feed.URLToken", "SWITCHYARD_FEED_URLTOKEN"),
            ("a-b.c_d2E", "SWITCHYARD_A_B_C_D2E"), ("x1Y.aB", "SWITCHYARD_X1Y_A_B"), ("a", "SWITCHYARD_A"),
        ])
    func variables(name: String, variable: String) throws {
        let key = ConfigurationKeys.Key(name, SettingKey(name, .text, summary: ""))
        #expect(key.variable == variable)
        let provider = EnvironmentVariablesProvider(environmentVariables: [:])
        let result = try provider.value(
            forKey: AbsoluteConfigKey(ConfigKey("switchyard." + name)), type: .string)
        #expect(result.encodedKey == variable)
    }

    @Test("an error about a value says where that came from, another one does not")
    func origins() {
        let origin = SettingOrigin(.flag, name: "--store")
        let message = StoreError(.configuration, "No.").given(by: origin).message
        #expect(message == "No. It was given by the flag --store.")
        #expect(StoreError(.unsupported, "No library.").given(by: origin).message == "No library.")
    }
}
