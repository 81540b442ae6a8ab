internal import Foundation
internal import GRDB

extension SQLiteStore {
    /// Makes the stores of this process release their locks before the app is suspended.
    ///
    /// Apple's systems kill an app that is suspended while it holds a lock on a file in a shared container, with
    /// exception code 0xdead10cc. Call this when the app is about to be suspended, such as in
    /// `applicationDidEnterBackground(_:)` or when a background task expires, and call `resume()` whenever it runs
    /// again, including background launches:
    ///
    /// ```swift
    /// func applicationDidEnterBackground(_ application: UIApplication) { SQLiteStore.suspend() }
    /// func applicationWillEnterForeground(_ application: UIApplication) { SQLiteStore.resume() }
    /// ```
    ///
    /// Until then, writes throw `suspended` without waiting or retrying. A write in progress is rolled back
    /// the next time it uses its transaction, and also throws `suspended`; a commit that has begun is
    /// finished. A checkpoint in progress is interrupted and repeated later. Reads continue, except one that
    /// is running on the store's only connection (if the setting `readers` is 0), which throws `suspended`.
    ///
    /// This posts GRDB's `Database.suspendNotification`, and so affects all GRDB connections of the process that
    /// observe it; posting it yourself has the same effect. A store whose setting `suspension` is `ignored` is not
    /// affected; one on a connection of the app follows that connection's `observesSuspensionNotifications`.
    public static func suspend() {
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    }

    /// Allows the stores of this process to take locks again; see `suspend()`.
    public static func resume() {
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    }
}
