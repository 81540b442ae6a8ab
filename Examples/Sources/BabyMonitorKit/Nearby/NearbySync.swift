public import Foundation

/// Sends messages to nearby devices.
public protocol NearbyTransport: Sendable {
    /// Sends a message to every connected device.
    ///
    /// - Throws: Any error of the transport; it does not undo the write that was made.
    func broadcast(_ message: Data) async throws
}

/// The app's reaction when another device has written something.
public protocol NearbyReceiver: Sendable {
    /// Writes pending changes, so that mirroring can transfer them.
    func flushPendingWork() async throws
    /// Reads the store again and updates what is shown.
    func refresh() async throws
}

/// Receives messages from other devices.
public struct NearbySync: Sendable {
    private let receiver: any NearbyReceiver

    /// Creates a service that notifies a receiver.
    public init(receiver: any NearbyReceiver) { self.receiver = receiver }

    /// Handles one message: on a ping the receiver flushes, then refreshes.
    ///
    /// - Parameter message: A peer's message. Anything but a ping is ignored.
    /// - Returns: Whether it was a ping.
    /// - Throws: The receiver's first error. It is refreshed even if flushing failed.
    @discardableResult
    public func receive(_ message: Data) async throws -> Bool {
        guard SyncPing(message) != nil else { return false }
        let flushed: Result<Void, any Error>
        do {
            flushed = .success(try await receiver.flushPendingWork())
        } catch {
            flushed = .failure(error)
        }
        do {
            try await receiver.refresh()
        } catch {
            try flushed.get()
            throw error
        }
        try flushed.get()
        return true
    }
}
