internal import Foundation

/// The entire content of a store as a value: its header and its rows.
///
/// A copy shares its rows with the original until either one changes, so copies are cheap to keep.
public struct Snapshot: Sendable {
    /// The schema of the rows.
    public let schema: Schema
    /// The store's marker, and the operation ids that it remembers.
    public internal(set) var header: Header
    /// One for each table of the schema, in its order.
    var tables: [SnapshotTable]
    /// The positions of the tables, by name.
    let positions: [String: Int]

    /// Creates a snapshot with empty tables.
    ///
    /// - Throws: `schemaTooNew` or `schemaMismatch` if the header belongs to another schema.
    public init(schema: Schema, header: Header) throws {
        try header.marker.requireSchema(schema)
        self.init(schema: schema, empty: header)
    }

    /// Creates the snapshot of a new store.
    package init(schema: Schema, options: OpenOptions) {
        self.init(schema: schema, empty: Header(schema: schema, options: options))
    }

    /// Creates a snapshot with empty tables, some of them hidden.
    init(schema: Schema, empty header: Header, without hidden: Set<String> = []) {
        self.schema = schema
        self.header = header
        tables = schema.tables.map { SnapshotTable($0) }
        positions = Dictionary(
            schema.tables.enumerated().filter { !hidden.contains($1.table) }.map { ($1.table, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The position of a table.
    ///
    /// - Throws: `schemaMismatch` if the schema has no table of that name.
    func position(ofTable table: String) throws -> Int {
        guard let position = positions[table] else {
            throw StoreError(.schemaMismatch, "The store has no table \(table).", entity: table)
        }
        return position
    }
}

extension Snapshot {
    /// What a store holds besides its rows.
    ///
    /// Its JSON is an object with two members, `marker` and `operations`. The form is stable, so a file can hold it.
    public struct Header: Sendable, Codable {
        /// The store's marker.
        public internal(set) var marker: StoreMarker
        /// The operation ids that the store remembers.
        var operations = OperationLog()

        /// Creates the header of a new store.
        public init(schema: Schema, options: OpenOptions) {
            marker = StoreMarker(schema: schema, options: options)
        }

        /// Decodes a header.
        ///
        /// - Throws: `schemaTooNew` for a marker of a newer format that cannot be read; a `DecodingError`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            do {
                marker = try container.decode(StoreMarker.self, forKey: .marker)
                try marker.requirePossible()
            } catch {
                if let found = try? container.decode(StoreMarker.Format.self, forKey: .marker) {
                    try StoreMarker.requireKnown(found.format)
                }
                throw error
            }
            operations = try container.decode(OperationLog.self, forKey: .operations)
        }
    }
}
