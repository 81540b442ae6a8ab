import SwitchyardAppGroup
import SwitchyardConfiguration
import Testing
import ToyPlugins

@Suite("Profiles")
struct ConfigurationProfileTests {
    @Test("a profile selects an app group and a cloud container")
    func profiles() async throws {
        for (name, group, cloud) in [
            ("debug", "group.toy.dev", "iCloud.toy.dev"), ("release", "group.toy", "iCloud.toy"),
        ] {
            let configuration = try await Toy.configuration(
                flags: ["store.url": "memory:", "profile": name],
                environment: ["SWITCHYARD_APP_GROUPS_ROOT": "/srv"])
            let profile = try configuration.values.profile(among: Toy.profiles)
            #expect(profile.appGroup == group)
            #expect(profile.cloudContainer == cloud)
            #expect(try configuration.values.container(of: profile, environment: [:]).path == "/srv/" + group)
        }
    }
}
