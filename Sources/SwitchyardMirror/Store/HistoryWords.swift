internal import SwitchyardCore

internal import struct Foundation.Data

/// What the server's history has changed, in the words of the present schema: it keeps those of the version that a change was
/// made with.
struct HistoryWords {
    /// A row that a transaction has changed.
    struct Changed {
        let key: RowKey
        /// The positions of the changed attributes; nil for all of them, by an insert or a delete, and if they are not known.
        let attributes: [Int]?
        /// The values before, as far as they have changed; nil where one is not known.
        let before: [StoredValue?]
    }

    private let schema: Schema
    private let versions: ServerVersions
    /// The fingerprint of the present schema, as the history has it.
    let fingerprint: Data
    private var known: [Data: VersionProjection?] = [:]

    init(_ schema: Schema, _ versions: ServerVersions) {
        (self.schema, self.versions) = (schema, versions)
        fingerprint = HistoryTransaction.fingerprint(from: versions.schema.fingerprint)
    }

    /// The changed row; nil if the present schema has dropped its entity.
    mutating func changed(_ change: HistoryChange, by made: HistoryTransaction) -> Changed? {
        guard let earlier = earlier(made.fingerprintBytes) else {
            guard let entity = schema.entity(change.entity) else { return nil }
            let positions = change.attributes.compactMap { name in
                entity.attributes.firstIndex { $0.name == name }
            }
            let isKnown = change.kind == .update && positions.count == change.attributes.count
            return Changed(
                key: RowKey(entity.name, change.id), attributes: isKnown ? positions : nil,
                before: [.uuid(change.id)] + entity.attributes.dropFirst().map { change.before($0.name) })
        }
        guard let entity = earlier.entity(older: change.entity) else { return nil }
        let names = Set(change.attributes)
        let sources = entity.sources.map { $0.position.map { entity.older.attributes[$0].name } }
        let values = sources.enumerated().dropFirst().map { position, name in
            // What the version lacked, an update has not changed.
            change.kind == .update && name == nil
                ? nil : entity.value(at: position, from: name.flatMap { change.before($0) })
        }
        return Changed(
            key: RowKey(entity.newer.name, change.id),
            attributes: change.kind == .update
                ? sources.indices.filter { sources[$0].map { names.contains($0) } ?? false } : nil,
            before: [.uuid(change.id)] + values)
    }

    /// The version with a fingerprint, and the way from there; nil if it is the present one or is not known.
    mutating func earlier(_ fingerprint: Data) -> VersionProjection? {
        guard fingerprint != self.fingerprint else { return nil }
        if let found = known[fingerprint] { return found }
        let found = versions.words(of: fingerprint)
        known[fingerprint] = .some(found)
        return found
    }
}
