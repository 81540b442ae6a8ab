public import SwitchyardCommands
public import SwitchyardMirrorService

/// An app whose service lets people in by the app's own login, besides invitations.
///
/// ```swift
/// extension Dairy: MirrorServiceApp {
///     static func authenticator() async throws -> any MirrorAuthenticator {
///         TokenLogin(keys: try await JWTKeyCollection().add(jwksJSON: publicKeys()))
///     }
/// }
/// ```
public protocol MirrorServiceApp: StoreApp {
    /// What knows the people; `serve` asks for it once, when it starts.
    ///
    /// - Throws: What keeps the service from starting.
    static func authenticator() async throws -> any MirrorAuthenticator
}
