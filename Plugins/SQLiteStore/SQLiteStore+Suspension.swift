internal import Foundation
internal import GRDB

extension SQLiteStore {
    /// Makes the stores of this process let go of their locks, before the app is suspended.
    ///
    /// On Apple's systems an app that is suspended while it holds a lock on a file in a shared container is
    /// ended with exception code 0xdead10cc. Call this when the app is about to be suspended, such as in
    /// `applicationDidEnterBackground(_:)` or when a background task expires, and `resume()` whenever it runs
    /// again, background launches included:
    ///
    /// ```swift
    /// func applicationDidEnterBackground(_ application: UIApplication) { SQLiteStore.suspend() }
    /// func applicationWillEnterForeground(_ application: UIApplication) { SQLiteStore.resume() }
    /// ```
    ///
    /// Until then a write throws `suspended` without waiting or retrying. A write in progress is rolled back
    /// when it next uses its transaction, and throws `suspended` too; a commit that has begun is finished. A
    /// checkpoint in progress ends and is made up for later. Reads go on, but for one that shares the store's
    /// only connection (the setting `readers` is 0): if it runs at this moment, it throws `suspended`.
    ///
    /// It posts GRDB's `Database.suspendNotification`, so it concerns all GRDB connections of the process that
    /// observe it, and posting that does the same. A store whose setting `suspension` is `ignored` goes on; one
    /// on a connection of the app follows that connection's `observesSuspensionNotifications`.
    public static func suspend() {
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    }

    /// Lets the stores of this process take locks again; see `suspend()`.
    public static func resume() {
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    }
}
