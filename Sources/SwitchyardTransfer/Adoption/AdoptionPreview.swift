public import SwitchyardCore

/// The preview of an adoption.
public struct AdoptionPreview: Sendable, Hashable {
    /// The tables whose rows are taken over.
    public let tables: [Table]
    /// The tables and views that are left out.
    public let ignoredTables: [String]
    /// The faults that prevent it.
    public let faults: [AdoptionFault]
    /// What the database tells besides tables and values.
    public let findings: [ForeignFinding]

    /// Whether nothing stands against it.
    public var isPossible: Bool { faults.isEmpty }

    /// The adoption of a table.
    public struct Table: Sendable, Hashable {
        /// The table's name.
        public let name: String
        /// The entity that the rows become.
        public let entity: String
        /// The number of rows.
        public let rows: Int
        /// The number of rows whose ids are derived, because their keys, or the columns named for the ids, are not UUIDs.
        public let derivedIDs: Int
        /// The number of rows whose ids are derived from their keys, because the columns named for the ids have no usable
        /// value.
        public let idsFromKeys: Int
        /// The number of references that become nil, because they lead nowhere.
        public let removedReferences: Int
        /// The columns that each attribute gets its values from; none for a constant value.
        public let sources: [String: [String]]
        /// The columns that are left out.
        public let ignoredColumns: [String]
    }
}

/// A fault that prevents an adoption: a missing part of the plan, or values that cannot be converted.
public struct AdoptionFault: Sendable, Hashable, CustomStringConvertible {
    /// The table.
    public let table: String
    /// The column, if it is about one.
    public let column: String?
    /// The fault in words.
    public let reason: String
    /// The number of rows; 0 if it is about the table's structure.
    public internal(set) var rows = 0
    /// The first of these rows, counted from 1 in the order of the key.
    public internal(set) var firstRow: Int?
    /// The key of the first of these rows; it can be personal, so that the description shows only numbers and UUIDs.
    public internal(set) var firstKey: [ForeignValue] = []

    /// What a change of the plan can resolve.
    let kind: Kind?

    enum Kind: Sendable, Hashable {
        case danglingReference, needsValue, unusableID, sharedID
        case notUnique([String])
    }

    init(table: String, column: String?, _ fault: Unconvertible) {
        self.init(table: table, column: column, reason: fault.reason, kind: fault.kind)
    }

    init(table: String, column: String?, reason: String, kind: Kind? = nil) {
        (self.table, self.column, self.reason, self.kind) = (table, column, reason, kind)
    }

    /// The table, the column and what is wrong, without values.
    public var description: String {
        let place = column.map { "\(table).\($0)" } ?? table
        guard let firstRow else { return "\(place): \(reason)" }
        let key = firstKey.allSatisfy(\.isImpersonal) ? firstKey.compactMap(\.keyText) : []
        let first = key.isEmpty ? "row \(firstRow)" : "the row with the key \(key.joined(separator: ", "))"
        return "\(place): \(reason); in \(rows) rows, the first of them \(first)"
    }
}

extension ForeignValue {
    fileprivate var isImpersonal: Bool {
        switch self {
        case .integer, .uuid: true
        default: false
        }
    }
}

/// The result of an adoption.
public struct AdoptionReport: Sendable, Hashable {
    /// The adopted tables.
    public let tables: [AdoptionPreview.Table]
    /// The tables and views that were left out.
    public let ignoredTables: [String]
    /// What the database told besides tables and values.
    public let findings: [ForeignFinding]
    /// The digest of the rows of each entity, equal before conversion to the store and as the new store
    /// returned them.
    public let digests: [String: RowsDigest]
}
