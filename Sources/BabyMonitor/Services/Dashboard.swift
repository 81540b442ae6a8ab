public import Foundation
public import Switchyard

/// What people do and see on the app's first screen, on any store and without a screen.
///
/// ```swift
/// let dashboard = Dashboard(store: store)
/// let mia = try await dashboard.addBaby(named: "Mia")
/// try await dashboard.startFeeding(mia.id)
/// ```
///
/// Each method that writes does so in one transaction; then `afterWrite` runs. All of them throw what the
/// store throws.
public struct Dashboard: Sendable {
    /// The store.
    public let store: any Store
    /// What is done after each write.
    public let afterWrite: AfterWrite
    /// The clock.
    public let now: @Sendable () -> Date

    /// A dashboard over a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - afterWrite: What is done after each write; the app pings the devices near by and refreshes its
    ///     widgets.
    ///   - now: The clock.
    public init(
        store: any Store, afterWrite: AfterWrite = .nothing, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.afterWrite = afterWrite
        self.now = now
    }

    /// Writes in one transaction and does what follows a write: for changes that have no method of their own.
    ///
    /// - Returns: What the body returns.
    /// - Throws: What the body or the store throws; nothing is written and nothing follows then.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await store.write(body)
        await afterWrite.run()
        return result
    }
}
