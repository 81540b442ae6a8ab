package import SwitchyardCore

internal import struct Foundation.Data

/// The versions that a server's schema has had, by which it serves devices that are not updated yet.
package struct ServerVersions: Sendable {
    /// The server's version.
    let schema: SchemaIdentity
    private let plan: MigrationPlan?

    /// Creates a list of versions.
    ///
    /// - Parameters:
    ///   - schema: The server's schema.
    ///   - plan: The plan that ends with it; without one, only devices with the same version are served.
    package init(_ schema: Schema, _ plan: MigrationPlan? = nil) {
        let identity = SchemaIdentity(schema)
        self.schema = identity
        self.plan = plan.flatMap { SchemaIdentity($0.schema) == identity ? $0 : nil }
    }

    /// What a device sees of the server; nil if it has the same version.
    ///
    /// - Throws: `schemaTooNew` for a device that has to be updated first, and `schemaMismatch` if the server has to be migrated
    ///   first, or has another schema with the same version.
    package func view(of device: SchemaIdentity) throws -> VersionProjection? {
        guard device != schema else { return nil }
        guard device.version <= schema.version else {
            throw StoreError(
                .schemaMismatch,
                "The server has schema version \(schema.version), and this store \(device.version). Migrate the server; until "
                    + "then the app works offline, and what it writes is kept.")
        }
        guard device.version < schema.version else {
            throw StoreError(
                .schemaMismatch,
                "The server and this store both have schema version \(schema.version), but not the same schema. Give the "
                    + "changed schema a new version; nothing was changed.")
        }
        let found = projection(from: device)
        guard let found, found.obstacle == nil else {
            throw StoreError(
                .schemaTooNew,
                "The server has schema version \(schema.version), and cannot serve \(device.version)"
                    + (found?.obstacle.map { ": \($0) " } ?? ". ")
                    + "Update the app; until then it works offline, and what it writes is kept.")
        }
        return found
    }

    /// The way from a version to the server's; nil if nothing is known of it.
    func projection(from earlier: SchemaIdentity) -> VersionProjection? {
        plan?.projection { SchemaIdentity($0) == earlier }
    }

    /// How what a transaction of the history has changed is said now.
    ///
    /// - Parameter fingerprint: That of the transaction.
    /// - Returns: Nil if it is said in the same words, or if nothing is known of its version.
    func words(of fingerprint: Data) -> VersionProjection? {
        plan?.projection { HistoryTransaction.fingerprint(from: $0.fingerprint) == fingerprint }
    }
}
