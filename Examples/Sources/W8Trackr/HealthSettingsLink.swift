public import Foundation

/// The way to the settings where the user lets the app read the system's health data.
public enum HealthSettingsLink {
    /// The places, the best first; systems differ in which of them they open.
    static let places = ["App-prefs:Privacy&path=HEALTH", "x-apple-health://"]

    /// The first place that can be opened, or else the app's own settings.
    ///
    /// - Parameters:
    ///   - appSettings: The app's own settings, which can always be opened.
    ///   - canOpen: Whether the system can open a URL, as `UIApplication.canOpenURL` tells.
    /// - Returns: The URL to open.
    public static func url(appSettings: URL, canOpen: (URL) -> Bool) -> URL {
        places.compactMap { URL(string: $0) }.first(where: canOpen) ?? appSettings
    }
}
