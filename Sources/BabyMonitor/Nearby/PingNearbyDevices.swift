public import Foundation

/// Tells nearby devices that something was written.
public struct PingNearbyDevices: AfterWriteHook {
    private let transport: any NearbyTransport
    private let now: @Sendable () -> Date

    /// The name of the hook.
    public var name: String { "ping nearby devices" }

    /// Creates a hook that pings through a transport.
    ///
    /// - Parameters:
    ///   - transport: Sends the pings.
    ///   - now: The clock.
    public init(_ transport: any NearbyTransport, now: @escaping @Sendable () -> Date = { Date() }) {
        self.transport = transport
        self.now = now
    }

    /// Sends one ping.
    ///
    /// - Throws: Any error of the transport.
    public func run() async throws { try await transport.broadcast(SyncPing(sentAt: now()).data) }
}
