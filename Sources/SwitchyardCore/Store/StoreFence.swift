/// The role and the schema that a store must still have for a write to go on.
///
/// A process can have a store open for a week. Another process may have moved or migrated it in the meantime, and
/// anything written here afterwards would be lost. So each write begins by checking the store's marker.
public struct StoreFence: Sendable, Hashable {
    /// The role in which the store was opened.
    public let role: StoreRole
    /// The fingerprint of the schema with which it was opened.
    public let fingerprint: String

    /// Creates the fence of a store that was opened with a schema, in a role.
    public init(schema: Schema, role: StoreRole) {
        self.role = role
        fingerprint = schema.fingerprint
    }

    /// Refuses a write if the store's role or schema has changed since it was opened.
    ///
    /// - Throws: `outOfService`, naming the successor; `schemaMismatch`.
    public func require(_ marker: StoreMarker) throws {
        try require(
            role: marker.role.rawValue, successor: marker.successor, fingerprint: marker.schema.fingerprint)
    }

    /// Refuses a write by the columns that a store keeps beside the JSON of its marker.
    ///
    /// - Throws: As `require(_:)`.
    package func require(role: String, successor: String?, fingerprint: String) throws {
        guard role == self.role.rawValue else { throw StoreError.outOfService(role, successor: successor) }
        guard fingerprint == self.fingerprint else {
            throw StoreError(
                .schemaMismatch,
                "Another process has changed the store's schema since it was opened. Open it again; nothing was written."
            )
        }
    }
}
