public import Foundation

/// Tells the devices near by that something was written.
public struct PingNearbyDevices: AfterWriteHook {
    private let transport: any NearbyTransport
    private let now: @Sendable () -> Date

    /// Pings.
    public var name: String { "ping nearby devices" }

    /// Pings through a transport.
    ///
    /// - Parameters:
    ///   - transport: Carries the pings.
    ///   - now: The clock.
    public init(_ transport: any NearbyTransport, now: @escaping @Sendable () -> Date = { Date() }) {
        self.transport = transport
        self.now = now
    }

    /// Sends one ping.
    ///
    /// - Throws: What the transport says.
    public func run() async throws { try await transport.broadcast(SyncPing(sentAt: now()).data) }
}
