public import SwitchyardCore

/// The server that devices' stores are kept in step with.
public struct MirrorServer: Sendable {
    package let remote: any MirrorRemote

    package init(_ remote: any MirrorRemote) { self.remote = remote }

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
}
