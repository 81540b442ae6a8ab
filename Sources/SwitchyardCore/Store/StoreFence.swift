/// What a store's marker must say for a write to go on: that the store still has the role in which it was opened, and
/// the schema.
///
/// A process can have a store open for a week. Meanwhile another one may have moved it elsewhere or migrated it, and
/// what is written here afterwards would be lost. So each write begins by asking.
public struct StoreFence: Sendable, Hashable {
    /// The role in which the store was opened.
    public let role: StoreRole
    /// The fingerprint of the schema with which it was opened.
    public let fingerprint: String

    /// The fence of a store that was opened with a schema.
    public init(schema: Schema, role: StoreRole) {
        self.role = role
        fingerprint = schema.fingerprint
    }

    /// Refuses a write if the store has another role or another schema by now.
    ///
    /// - Throws: `outOfService`, naming the successor; `schemaMismatch`.
    public func require(_ marker: StoreMarker) throws {
        try require(
            role: marker.role.rawValue, successor: marker.successor, fingerprint: marker.schema.fingerprint)
    }

    /// Refuses a write by what a store keeps beside the JSON of its marker.
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
