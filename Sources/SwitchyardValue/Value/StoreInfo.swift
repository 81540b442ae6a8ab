/// The backend and location of a store, in a form to show to people.
///
/// It contains no secrets.
public struct StoreInfo: Sendable, Hashable, Codable {
    /// The plugin's scheme, such as `sqlite`.
    public let backend: String
    /// A path, or a host and a database; never a password.
    public let location: String
    /// The backend's own version, such as `3.40.1`; empty if it has none.
    public let version: String

    /// Describes a store.
    public init(backend: String, location: String, version: String = "") {
        self.backend = backend
        self.location = location
        self.version = version
    }
}
