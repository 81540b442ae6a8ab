public import Foundation

/// Carries messages to the devices that are near at the moment.
public protocol NearbyTransport: Sendable {
    /// Sends a message to every connected device.
    ///
    /// - Throws: What the transport says; a write that has been made is not undone by it.
    func broadcast(_ message: Data) async throws
}

/// What the app does when another device has written something.
public protocol NearbyReceiver: Sendable {
    /// Writes what is still waiting to be written, so that mirroring carries it on.
    func flushPendingWork() async throws
    /// Reads the store again and shows what it holds.
    func refresh() async throws
}

/// Takes in what other devices send.
public struct NearbySync: Sendable {
    private let receiver: any NearbyReceiver

    /// Hands pings to a receiver.
    public init(receiver: any NearbyReceiver) { self.receiver = receiver }

    /// Takes one message: on a ping the receiver flushes, then refreshes.
    ///
    /// - Parameter message: What a peer sent. Anything but a ping is ignored.
    /// - Returns: Whether it was a ping.
    /// - Throws: What the receiver throws. It is refreshed even if flushing failed; the first error is thrown
    ///   then.
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
