public import Foundation
public import Switchyard

/// The actions and queries of the app's first screen, on any store and without a screen.
///
/// ```swift
/// let dashboard = Dashboard(store: store)
/// let mia = try await dashboard.addBaby(named: "Mia")
/// try await dashboard.startFeeding(mia.id)
/// ```
///
/// Each method that writes does so in one transaction. All of them throw the store's errors.
public struct Dashboard: Sendable {
    /// The store.
    public let store: any Store
    /// The author of its writes in the store's history; nil for the author that the store was opened with.
    public let author: String?
    /// The clock.
    public let now: @Sendable () -> Date

    /// Creates a dashboard for a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - author: The author of its writes, such as an intent; nil for the author that the store was opened with.
    ///   - now: The clock.
    public init(
        store: any Store, author: String? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.author = author
        self.now = now
    }

    /// Writes in one transaction, for changes without a method of their own.
    ///
    /// - Returns: The body's result.
    /// - Throws: `BabyMonitorError` with code `notPermitted` if the device's member of a household only reads; any error of the
    ///   body or the store. Nothing is written then.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let time = now()
        return try await store.write(WriteOptions(author: author)) { transaction in
            try transaction.requireMayChange(at: time)
            return try body(transaction)
        }
    }
}
