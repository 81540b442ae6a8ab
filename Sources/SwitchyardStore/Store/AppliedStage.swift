public import Foundation

/// A stage of a migration plan that a store has gone through, as its marker keeps it.
public struct AppliedStage: Sendable, Hashable, Codable {
    /// The version before.
    public let from: SchemaVersion
    /// The version afterwards.
    public let to: SchemaVersion
    /// The fingerprint of the schema afterwards.
    public let fingerprint: String
    /// When it was done, by the clock of the device that did it.
    public let time: Date

    package init(from: SchemaVersion, to: SchemaVersion, fingerprint: String, time: Date) {
        self.from = from
        self.to = to
        self.fingerprint = fingerprint
        self.time = time
    }
}

/// The schema of a store is no longer the one that it was opened with.
package struct ChangedSchema: Error {}

extension StoreError {
    /// The error of a store whose schema was changed by another process, or by another opening in this one.
    package static var schemaChanged: StoreError {
        StoreError(
            .schemaMismatch,
            "The store's schema was changed elsewhere since it was opened. Open it again; nothing was written.",
            underlying: ChangedSchema())
    }
}

/// The schema of a store that is older than the app's: what a migration begins with.
package struct OlderSchema: Error {
    package let schema: Schema
}

extension StoreError {
    /// The version of a store that would have to be migrated before it can be opened; nil if the error has another reason.
    package var olderVersion: SchemaVersion? { (underlying as? OlderSchema)?.schema.version }
}
