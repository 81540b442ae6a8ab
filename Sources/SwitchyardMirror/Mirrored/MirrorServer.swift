public import Foundation
public import SwitchyardCore

/// The server that devices' stores are kept in step with.
public struct MirrorServer: Sendable {
    /// Prepares to reach the server for a device's store.
    package let remote: @Sendable (any Store) async throws -> any MirrorRemote

    private init(preparing remote: @escaping @Sendable (any Store) async throws -> any MirrorRemote) {
        self.remote = remote
    }

    package init(_ remote: any MirrorRemote) { self.init { _ in remote } }

    /// A store that the device reaches directly, such as a PostgreSQL database.
    ///
    /// The device needs the credentials of the database, so this is for machines that are trusted with them. The place is opened
    /// when something is exchanged first, and a store is made there if there is none. It keeps a history from then on.
    ///
    /// - Parameters:
    ///   - place: The place of the server's store.
    ///   - scope: The household's part of the store; nil for a store without scopes.
    ///   - functions: The functions that the models name for merging their attributes.
    /// - Returns: The server.
    public static func direct(
        _ place: StorePlace, scope: StoreScope? = nil, functions: MergeFunctions = MergeFunctions()
    ) -> MirrorServer {
        MirrorServer(StoreRemote(place, scope: scope, functions: functions))
    }

    /// A service that the device reaches over HTTPS, as a member of a household.
    ///
    /// - Parameters:
    ///   - url: The service's URL, such as `https://mirror.example.org`; `http` is for this machine alone.
    ///   - token: The device's token.
    /// - Returns: The server.
    public static func service(_ url: URL, token: MirrorToken) -> MirrorServer {
        service(url, token: token, over: URLSessionTransport())
    }

    /// A service that the device reaches over another transport.
    package static func service(
        _ url: URL, token: MirrorToken, over transport: any ServiceTransport
    ) -> MirrorServer {
        MirrorServer { try ServiceRemote(url, token, $0.schema, over: transport) }
    }

    /// The service whose household the store has joined: see `Store.join(_:as:device:)`.
    public static let joined = joined(over: URLSessionTransport())

    /// The service whose household the store has joined.
    package static func joined(over transport: any ServiceTransport) -> MirrorServer {
        MirrorServer { store in
            guard let credential = try await store.read({ try Credential.read($0) }),
                credential.invitation == nil
            else { throw StoreError.notJoined }
            return try ServiceRemote(
                credential.service, try MirrorToken(credential.token), store.schema, over: transport)
        }
    }
}
