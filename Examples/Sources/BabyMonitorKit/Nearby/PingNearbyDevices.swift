public import Foundation

/// Tells nearby devices that something was written.
public struct PingNearbyDevices: StoreReaction {
    private let transport: any NearbyTransport
    private let now: @Sendable () -> Date

    /// The name of the reaction.
    public var name: String { "ping nearby devices" }

    /// Creates a reaction that pings through a transport.
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
