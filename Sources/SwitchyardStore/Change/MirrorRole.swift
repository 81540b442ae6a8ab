package import Foundation

/// A store's part in a mirror, which follows its history.
///
/// A part that only a later version knows is kept as it is.
package struct MirrorRole: Sendable, Hashable, Codable {
    private let kind: String
    /// The identity of the server's store, in the store of a device.
    package let server: UUID?

    private init(kind: String, server: UUID?) {
        self.kind = kind
        self.server = server
    }

    /// The store of a device, which keeps what the server's store has.
    package static func device(of server: UUID) -> MirrorRole { MirrorRole(kind: "device", server: server) }

    /// The name by which the mirror follows the history of a device's store.
    package static let consumer = "mirror"

    /// The server's store, with which those of the devices agree.
    package static let server = MirrorRole(kind: "server", server: nil)
}
