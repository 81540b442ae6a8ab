/// Something in the SQLite file that PostgreSQL cannot take unchanged.
public struct TableCopyFinding: Sendable, Hashable {
    /// Its consequence for the copy.
    public let kind: Kind
    /// The table, if it is about one.
    public let table: String?
    /// The column, if it is about one.
    public let column: String?
    /// The number of values or rows concerned, if it is about some.
    public let count: Int?
    /// What was found and how it is copied, without stored values.
    public let message: String

    /// The consequence of a finding for the copy.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Something would be lost, so that nothing is created.
        case refused
        /// Whether PostgreSQL takes it only shows when the copy is made; if it does not, nothing is created.
        case uncertain
        /// It is carried in another way.
        case changed
        /// It is not carried; the only rows that stay behind are those of a virtual table, whose parts are counted.
        case omitted
    }
}

extension TableCopyFinding {
    static func refused(
        _ message: String, table: String?, column: String? = nil, count: Int? = nil
    ) -> TableCopyFinding {
        TableCopyFinding(kind: .refused, table: table, column: column, count: count, message: message)
    }

    static func uncertain(_ message: String, table: String, count: Int) -> TableCopyFinding {
        TableCopyFinding(kind: .uncertain, table: table, column: nil, count: count, message: message)
    }

    static func changed(
        _ message: String, table: String, column: String? = nil, count: Int? = nil
    ) -> TableCopyFinding {
        TableCopyFinding(kind: .changed, table: table, column: column, count: count, message: message)
    }

    static func omitted(
        _ message: String, table: String?, column: String? = nil, count: Int? = nil
    ) -> TableCopyFinding {
        TableCopyFinding(kind: .omitted, table: table, column: column, count: count, message: message)
    }
}
