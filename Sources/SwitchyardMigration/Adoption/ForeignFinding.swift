/// Something about a foreign database that tables and values do not show, such as changes that were never uploaded.
public struct ForeignFinding: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the finding.
    public let code: Code
    /// The table, if it is about one.
    public let table: String?
    /// The number of rows; 0 if it is not about rows.
    public let rows: Int
    /// The keys of the first of these rows; they can be personal, so that the description leaves them out.
    public let firstKeys: [ForeignValue]
    /// What was found, and what can be done about it, without values.
    public let message: String
    /// Whether an adoption is refused until its plan acknowledges the code.
    public let needsAcknowledgement: Bool

    /// Describes a finding.
    public init(
        _ code: Code, table: String? = nil, rows: Int = 0, firstKeys: [ForeignValue] = [],
        needsAcknowledgement: Bool = false, _ message: String
    ) {
        (self.code, self.table, self.rows, self.firstKeys) = (code, table, rows, firstKeys)
        (self.needsAcknowledgement, self.message) = (needsAcknowledgement, message)
    }

    /// The table and what was found.
    public var description: String { table.map { "\($0): \(message)" } ?? message }

    /// The kind of a finding; each backend has its own.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name, as JSON output shows it.
        public let description: String

        /// Makes a code.
        public init(_ name: String) { description = name }
    }
}
