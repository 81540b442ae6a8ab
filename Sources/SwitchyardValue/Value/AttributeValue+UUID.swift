public import Foundation

extension UUID: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .uuid }

    /// Reads a blob column of 16 bytes.
    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .blob, cell.count == 16 else {
            throw row.mismatch(expected: "a UUID of 16 bytes", found: cell)
        }
        self.init(uuid: cell.bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Writes a blob column of 16 bytes.
    @inlinable
    public func write(into row: inout RowWriter) {
        withUnsafeBytes(of: uuid) { row.write(.blob, bytes: $0) }
    }

    /// The value as a `StoredValue`.
    public func storedValue() -> StoredValue { .uuid(self) }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
}

extension Identifier: AttributeValue {
    /// The type of the column.
    public static var attributeType: AttributeType { .uuid }

    /// Reads a blob column of 16 bytes.
    @inlinable
    public init(from row: inout RowReader) throws { self.init(try UUID(from: &row)) }

    /// Writes a blob column of 16 bytes.
    @inlinable
    public func write(into row: inout RowWriter) { uuid.write(into: &row) }

    /// The value as a `StoredValue`.
    public func storedValue() -> StoredValue { .uuid(uuid) }

    /// Creates a value from a stored one; nil if it does not fit.
    public init?(_ value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self.init(uuid)
    }
}
