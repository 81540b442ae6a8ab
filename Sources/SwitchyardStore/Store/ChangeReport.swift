/// What a driver reports about the rows that an update or a delete changes, while it changes them.
public struct ChangeReport {
    /// What is reported about each row.
    public let content: Content
    /// Receives one row; its cells are only valid during the call.
    public let body: (inout RowReader) throws -> Void

    /// What can be reported about a row.
    public enum Content: Sendable, Hashable {
        /// Its id: one cell.
        case id
        /// The whole row as it was before the change, with its attributes in the entity's order.
        case rowBefore
    }

    /// Asks for a report of each row.
    public init(_ content: Content, _ body: @escaping (inout RowReader) throws -> Void) {
        self.content = content
        self.body = body
    }
}
