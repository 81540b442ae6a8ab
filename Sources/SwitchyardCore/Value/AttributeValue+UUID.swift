public import Foundation

extension UUID: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .uuid }

    /// Reads the next column.
    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .blob, cell.count == 16 else {
            throw row.mismatch(expected: "a UUID of 16 bytes", found: cell)
        }
        self.init(uuid: cell.bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Writes the next column.
    @inlinable
    public func write(into row: inout RowWriter) {
        withUnsafeBytes(of: uuid) { row.write(.blob, bytes: $0) }
    }

    /// The value as a condition or a transfer carries it.
    public func storedValue() -> StoredValue { .uuid(self) }

    /// Takes a stored value; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
}

extension Identifier: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .uuid }

    /// Reads the next column.
    @inlinable
    public init(from row: inout RowReader) throws { self.init(try UUID(from: &row)) }

    /// Writes the next column.
    @inlinable
    public func write(into row: inout RowWriter) { uuid.write(into: &row) }

    /// The value as a condition or a transfer carries it.
    public func storedValue() -> StoredValue { .uuid(uuid) }

    /// Takes a stored value; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self.init(uuid)
    }
}
