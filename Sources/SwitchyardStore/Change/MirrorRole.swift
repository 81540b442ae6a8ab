package import Foundation

/// A store's part in a mirror, which follows its history.
///
/// A part that only a later version knows is kept as it is.
package struct MirrorRole: Sendable, Hashable, Codable {
    private let kind: String
    /// The identity of the server's store, in the store of a device.
    package let server: UUID?
    /// The household's scope in the server's store; nil if that has no scopes.
    package let scope: UUID?

    private init(kind: String, server: UUID?, scope: UUID?) {
        self.kind = kind
        self.server = server
        self.scope = scope
    }

    /// The store of a device, which keeps what the server's store has in a scope.
    package static func device(of server: UUID, in scope: StoreScope? = nil) -> MirrorRole {
        MirrorRole(kind: "device", server: server, scope: scope?.uuid)
    }

    /// The name by which the mirror follows the history of a device's store.
    package static let consumer = "mirror"

    /// The server's store, with which those of the devices agree.
    package static let server = MirrorRole(kind: "server", server: nil, scope: nil)

    /// Whether it is the part of a device.
    package var isDevice: Bool { server != nil }
}
