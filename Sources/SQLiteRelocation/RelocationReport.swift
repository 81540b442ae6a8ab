/// The result of a move.
public struct RelocationReport: Sendable, Hashable, Codable {
    /// The path of the old file.
    public let source: String
    /// The path of the new file.
    public let target: String
    /// The path at which the old file is kept as a backup.
    public let backup: String
    /// The tables, by name, equal in both files.
    public let tables: [TableDigest]
    /// The size of the new file.
    public let bytes: Int
    /// How long it took.
    public let duration: Duration

    /// The number of rows in all tables.
    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
}

/// The preview of a move.
public struct RelocationPlan: Sendable, Hashable, Codable {
    /// The path of the old file.
    public let source: String
    /// The path of the new file.
    public let target: String
    /// The path at which the old file would be kept as a backup.
    public let backup: String
    /// Whether the file is a store of Switchyard, which others may have open while it is moved.
    public let isStore: Bool
    /// The tables, by name.
    public let tables: [TableDigest]
    /// The size of the new file.
    public let bytes: Int
    /// The free space at the new place; nil if the system does not report it.
    public let availableBytes: Int?
}

/// The row count of a table, and their digest.
public struct TableDigest: Sendable, Hashable, Codable {
    /// The table's name; `sqlite_schema` is SQLite's own, with the texts of all others.
    public let name: String
    /// The number of rows.
    public let rows: Int
    /// The digest in 32 hexadecimal digits: the first 16 bytes of SHA-256 over all rows.
    ///
    /// It depends on each value's bytes and type and on the row's own id, and not on where in the file a row is: rows are
    /// taken in the order of these ids, or of the table's key.
    public let digest: String
}

/// The progress of a move.
public struct RelocationProgress: Sendable, Hashable {
    /// The current step.
    public let step: Step
    /// How much of the file is copied.
    public let bytes: Int
    /// The size of the file.
    public let total: Int

    /// A step of a move.
    public enum Step: String, Sendable, Hashable, Codable, CaseIterable {
        /// The file is being copied.
        case copying
        /// The copy is being compared with the old file, and checked.
        case verifying
        /// The copy has become the file to use.
        case completed
    }
}
