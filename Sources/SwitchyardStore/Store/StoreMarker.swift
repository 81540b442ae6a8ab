public import Foundation

/// A store's own record of its identity, role and schema.
///
/// It is kept inside the store and takes precedence over the configuration.
public struct StoreMarker: Sendable, Hashable, Codable {
    /// The layout of the store's own bookkeeping; 1 today.
    public var format: Int
    /// The identity of the store, kept when it is copied or moved.
    public var storeID: UUID
    /// 1 in a new store, and one more after each switch and each relocation, so that the newer of two copies can be told.
    public var generation: Int64
    /// What the store is for at present.
    public var role: StoreRole
    /// The location of the store that has replaced this one, such as a URL without its password, if any.
    public var successor: String?
    /// The column that holds the scope of each row; nil if the rows are not divided into scopes.
    public var scopeColumn: String?
    /// The store's history; nil if it never kept one.
    public var history: HistorySettings?
    /// The switch to or from another store that this one is part of, or was; nil if there was none.
    public var switching: SwitchRecord?
    /// The store's part in a mirror; nil if it is not mirrored.
    package var mirror: MirrorRole?
    /// The schema of the store's rows.
    public var schema: Schema
    /// The stages of a migration plan that the store has gone through, the first one first; nil if it never has.
    public package(set) var stages: [AppliedStage]?
    /// What the last of them has left to be filled; nil if it has left nothing.
    package var backfill: BackfillRecord?

    /// The era of the history in which writes must record their changes; 0 if none is kept.
    package var recordingEra: Int64 { history?.currentEra ?? 0 }

    /// Any scope, for an opening on behalf of all scopes; nil if the store's rows are not divided into scopes.
    package var anyScope: StoreScope? { scopeColumn.map { _ in StoreScope.unused } }

    /// The newest layout that this code can read.
    public static let newestFormat = 1

    /// Creates the marker of a new store.
    ///
    /// - Parameters:
    ///   - schema: The schema of the rows.
    ///   - options: How the store is opened for the first time.
    public init(schema: Schema, options: OpenOptions = OpenOptions()) {
        format = Self.newestFormat
        storeID = UUIDv7.next()
        generation = 1
        role = options.role
        scopeColumn = options.scope.map { _ in StoreScope.attribute.column }
        history =
            options.keepsHistory
            ? HistorySettings(isKept: true, era: 1, retention: options.historyRetention) : nil
        self.schema = schema
    }
}

extension StoreMarker {
    /// What can be read of a marker in any format.
    package struct Format: Decodable {
        package let format: Int
    }

    /// Decodes and checks the JSON in which a store keeps its marker, which `JSONEncoder` has written; nil stands for a
    /// missing marker.
    ///
    /// A newer format that can still be decoded is left to `admit(_:options:)`.
    ///
    /// - Parameters:
    ///   - json: The JSON.
    ///   - place: Where the store is, for the message.
    /// - Returns: The marker.
    /// - Throws: `schemaTooNew` for a newer format that cannot be decoded; `corrupted` for any other JSON that cannot,
    ///   and for a missing marker.
    public static func decode(_ json: String?, at place: String? = nil) throws -> StoreMarker {
        guard let json else { throw missing(at: place) }
        let decoder = JSONDecoder()
        do {
            let marker = try decoder.decode(StoreMarker.self, from: Data(json.utf8))
            try marker.requirePossible()
            return marker
        } catch {
            if let found = try? decoder.decode(Format.self, from: Data(json.utf8)) {
                try requireKnown(found.format)
            }
            throw StoreError(
                .corrupted,
                "The marker of the store\(place.map { " at \($0)" } ?? "") cannot be read. Restore the store from a "
                    + "backup.", underlying: error)
        }
    }

    /// Checks what decoding does not: that the schema is one, and that no number is one that no store can have.
    ///
    /// - Throws: `schemaInvalid`; a `DecodingError`.
    package func requirePossible() throws {
        try schema.validate()
        let copied = switching?.copied
        let isPossible =
            (0..<Int64.max).contains(generation)
            && history.map { (0...HistorySettings.greatest.era).contains($0.era) } ?? true
            && copied.map {
                (0...schema.entities.count).contains($0.entities) && (0...Int.max / 2).contains($0.rows)
                    && $0.token.isPossible
            } ?? true && switching?.findings?.isPossible ?? true
        guard isPossible else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "A number is out of range."))
        }
    }

    /// The error of a store without a marker.
    package static func missing(at place: String? = nil) -> StoreError {
        StoreError(
            .corrupted,
            "The store\(place.map { " at \($0)" } ?? "") has no marker. Restore it from a backup.")
    }

    /// A summary that a store keeps beside the JSON of its marker.
    ///
    /// The JSON is as large as the schema, and with the summary it need not be decoded each time the store is opened.
    package struct Summary: Sendable, Hashable {
        package let format: String
        package let role: String
        package let version: String
        package let fingerprint: String
        /// SHA-256 over the marker's JSON, in hexadecimal.
        package let digest: String

        package init(format: String, role: String, version: String, fingerprint: String, digest: String) {
            self.format = format
            self.role = role
            self.version = version
            self.fingerprint = fingerprint
            self.digest = digest
        }

        /// Creates the summary of a marker and its JSON.
        package init(_ marker: StoreMarker, json: String) {
            self.init(
                format: String(marker.format), role: marker.role.rawValue,
                version: marker.schema.version.description, fingerprint: marker.schema.fingerprint,
                digest: json.sha256)
        }

        /// Whether the summary alone shows that an app with the declared schema may use the store.
        ///
        /// If it does not, decode the JSON and let the marker decide.
        package func admits(_ declared: Schema, json: String) -> Bool {
            digest == json.sha256 && format == String(newestFormat)
                && role == StoreRole.active.rawValue && version == declared.version.description
                && fingerprint == declared.fingerprint
        }
    }

    package static func requireKnown(_ format: Int) throws {
        guard format <= newestFormat else {
            throw StoreError(
                .schemaTooNew,
                "The store has format \(format), but this version of Switchyard reads formats up to \(newestFormat). "
                    + "Update the app; nothing was changed.")
        }
    }

    /// Checks that an app with the declared schema may open a store with this marker.
    ///
    /// A store that is out of service can still be read, unless it is an incomplete copy or is being migrated.
    ///
    /// - Throws: `schemaTooNew`, `schemaMismatch`, `scopeMismatch`, `outOfService`, `incompleteCopy` or
    ///   `migrationUnfinished`, saying what was found and what to do. The store is not touched.
    public func admit(_ declared: Schema, options: OpenOptions = OpenOptions()) throws {
        try Self.requireKnown(format)
        if options.isAsFound { return try options.requireScopes(scopeColumn != nil) }
        guard role == options.role || options.access == .readOnly && ![.copying, .migrating].contains(role)
        else {
            var error = StoreError.outOfService(role.rawValue, successor: successor)
            if role == .migrating {
                if schema.version > declared.version { try requireSchema(declared) }
                error.underlying = UnfinishedBackfill(schema: schema, record: backfill)
            }
            throw error
        }
        try options.requireScopes(scopeColumn != nil)
        try requireSchema(declared)
    }

    /// Checks that an app with the declared schema can read the rows.
    ///
    /// - Throws: `schemaTooNew`, `schemaMismatch`.
    package func requireSchema(_ declared: Schema) throws {
        try Self.requireKnown(format)
        if schema.version > declared.version {
            throw StoreError(
                .schemaTooNew,
                "The store has schema version \(schema.version), but the app knows only \(declared.version). Update "
                    + "the app; nothing was changed.")
        }
        if schema.version < declared.version {
            throw StoreError(
                .schemaMismatch,
                "The store has schema version \(schema.version), but the app declares \(declared.version) and gave "
                    + "no migration plan. Nothing was changed.", underlying: OlderSchema(schema: schema))
        }
        // The schemas are usually equal, which is cheaper to find out than their fingerprints.
        if schema != declared, schema.fingerprint != declared.fingerprint {
            let differences = schema.differences(from: declared).joined(separator: "; ")
            throw StoreError(
                .schemaMismatch,
                "The store and the app both have schema version \(schema.version), but not the same schema: "
                    + "\(differences). Give the changed schema a new version; nothing was changed.")
        }
    }
}

extension OpenOptions {
    /// Throws if a scope is given for a store without scopes, or none for one with scopes.
    ///
    /// - Throws: `scopeMismatch`.
    package func requireScopes(_ isScoped: Bool) throws {
        guard isScoped == (scope != nil) else {
            throw isScoped ? StoreError.scopeMissing : StoreError.scopesUnknown
        }
    }
}
