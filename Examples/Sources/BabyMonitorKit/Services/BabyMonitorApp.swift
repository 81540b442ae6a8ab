internal import Foundation
public import Switchyard
public import SwitchyardAppGroup

/// The app's identifiers and places, which its widgets and commands share.
public enum BabyMonitorApp {
    /// The development build.
    public static let debug = AppProfile(
        "debug", appGroup: "group.sungdoo.babyDashboard.dev",
        cloudContainer: "iCloud.sungdoo.babyDashboard.dev")

    /// The release build.
    public static let release = AppProfile(
        "release", appGroup: "group.sungdoo.babyDashboard", cloudContainer: "iCloud.sungdoo.babyDashboard")

    /// Both builds, whose data is separate.
    public static let profiles = [debug, release]

    /// A new store keeps 90 days of its history.
    ///
    /// A change can be undone as long as the history keeps it.
    public static let historyRetention = HistoryRetention(seconds: 90 * 86_400)

    /// The path of the store's file, `BabyDashboard.sqlite` in the root of an app group's directory.
    public static func storePath(in container: AppGroupContainer) -> String {
        container.path(of: "BabyDashboard.sqlite")
    }

    /// The registry of the places to which the app's stores were switched, in `Places` beside the store.
    public static func places(in container: AppGroupContainer) -> PlaceRegistry {
        PlaceRegistry(path: container.path(of: "Places"))
    }

    /// The widgets' snapshots, in `WidgetCache` beside the store.
    public static func widgetCache(in container: AppGroupContainer) -> WidgetSnapshotCache {
        WidgetSnapshotCache(
            directory: URL(filePath: container.path(of: "WidgetCache"), directoryHint: .isDirectory))
    }
}
