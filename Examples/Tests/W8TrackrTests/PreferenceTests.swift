import Foundation
import SwitchyardAppGroup
import Testing
import W8Trackr

@Suite("Preferences and the way to the health settings")
struct PreferenceTests {
    @Test("a preference is copied once, and only if the shared one has no value")
    func copied() throws {
        let phone = try Phone()
        let name = "w8trackr-\(UUID().uuidString)"
        let own = try #require(UserDefaults(suiteName: name))
        defer { own.removePersistentDomain(forName: name) }
        own.set("kg", forKey: "preferredWeightUnit")
        own.set(72.5, forKey: "goalWeight")
        own.set(false, forKey: "showSmoothing")
        let shared = AppGroupDefaults(filesIn: phone.container)
        try shared.set(70.0, for: "goalWeight")
        #expect(
            try SharedPreferences.copy(from: own, to: shared) == ["preferredWeightUnit", "showSmoothing"])
        #expect(try shared.string("preferredWeightUnit") == "kg")
        #expect(try shared.double("goalWeight") == 70)
        #expect(try shared.bool("showSmoothing") == false)
        #expect(try shared.string("milestoneInterval") == nil)
        own.set("lb", forKey: "preferredWeightUnit")
        #expect(try SharedPreferences.copy(from: own, to: shared) == [])
        #expect(try shared.string("preferredWeightUnit") == "kg")
    }

    @Test(
        "the health settings open by the first way that the system supports",
        arguments: [
            (["App-prefs", "x-apple-health"], "App-prefs:Privacy&path=HEALTH"),
            (["x-apple-health"], "x-apple-health://"), ([], "app-settings:"),
        ])
    func link(known: [String], expected: String) throws {
        let settings = try #require(URL(string: "app-settings:"))
        var asked: [String] = []
        let url = HealthSettingsLink.url(appSettings: settings) { url in
            asked.append(url.absoluteString)
            return known.contains(url.scheme ?? "")
        }
        #expect(url.absoluteString == expected)
        #expect(asked.first == "App-prefs:Privacy&path=HEALTH")
    }
}
