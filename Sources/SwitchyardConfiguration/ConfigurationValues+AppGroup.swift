public import SwitchyardAppGroup
internal import SwitchyardCore

extension ConfigurationValues {
    /// The profile that the key `profile` selects.
    ///
    /// - Throws: `configuration` if no profile has that name.
    public func profile(among profiles: [AppProfile]) throws -> AppProfile {
        let name = try requiredText("profile")
        guard let profile = profiles.first(where: { $0.name == name }) else {
            throw StoreError(
                .configuration,
                "There is no profile `\(name)`. The profiles are: \(profiles.map(\.name).joined(separator: ", "))."
            )
        }
        return profile
    }

    /// The directory of a profile's app group, below `app.groups.root` if that is set.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - environment: The environment, for the user's data directory.
    /// - Returns: The directory, which may not exist yet.
    /// - Throws: `configuration` if the location cannot be determined.
    public func container(of profile: AppProfile, environment: [String: String]) throws -> AppGroupContainer {
        try AppGroupContainer(
            profile.appGroup, root: text(SettingKey.appGroupsRoot.name), environment: environment)
    }
}
