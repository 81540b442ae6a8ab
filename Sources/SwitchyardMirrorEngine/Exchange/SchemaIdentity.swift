package import SwitchyardCore

/// A version of a schema, as a device and a server name it to each other.
package struct SchemaIdentity: Sendable, Hashable, Codable {
    package let version: SchemaVersion
    package let fingerprint: String

    package init(_ schema: Schema) { (version, fingerprint) = (schema.version, schema.fingerprint) }

    package init(version: SchemaVersion, fingerprint: String) {
        (self.version, self.fingerprint) = (version, fingerprint)
    }
}
