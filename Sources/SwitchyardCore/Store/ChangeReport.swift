/// What a driver is to tell of the rows that an update or a delete changes, while it changes them.
public struct ChangeReport {
    /// What is told of each row.
    public let content: Content
    /// Takes one row; its cells are valid during the call only.
    public let body: (inout RowReader) throws -> Void

    /// What can be told of a row.
    public enum Content: Sendable, Hashable {
        /// Its id: one cell.
        case id
        /// The whole row as it was before the change, its attributes in the entity's order.
        case rowBefore
    }

    /// Asks for rows.
    public init(_ content: Content, _ body: @escaping (inout RowReader) throws -> Void) {
        self.content = content
        self.body = body
    }
}
