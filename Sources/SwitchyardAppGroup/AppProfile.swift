public import SwitchyardCore

/// A way to build and run an app, such as `debug` or `release`, with its own app group and cloud container.
public struct AppProfile: Sendable, Hashable, Codable {
    /// The name by which the configuration selects the profile.
    public let name: String
    /// The identifier of the app group, such as `group.example.app`.
    public let appGroup: String
    /// The identifier of the cloud container, such as `iCloud.example.app`.
    public let cloudContainer: String

    /// Creates a profile.
    public init(_ name: String, appGroup: String, cloudContainer: String) {
        self.name = name
        self.appGroup = appGroup
        self.cloudContainer = cloudContainer
    }
}

extension SettingKey {
    /// The key `profile`, whose values are the names of an app's profiles.
    public static func profile(_ profiles: [AppProfile], default defaultName: String) -> SettingKey {
        SettingKey(
            "profile", .choice(profiles.map(\.name)), default: defaultName,
            summary: "The build whose app group and cloud container to use.")
    }

    /// The key `app.groups.root`: the directory that holds one folder per app group.
    public static let appGroupsRoot = SettingKey(
        "app.groups.root", .path,
        summary:
            "The directory with one folder per app group; the system's own, or the user's data directory, if not set."
    )
}
