public import Foundation

extension UUID: AttributeValue {
    public static var attributeType: AttributeType { .uuid }

    @inlinable
    public init(from row: inout RowReader) throws {
        let cell = try row.next()
        guard cell.kind == .blob, cell.count == 16 else {
            throw row.mismatch(expected: "a UUID of 16 bytes", found: cell)
        }
        self.init(uuid: cell.bytes.loadUnaligned(as: uuid_t.self))
    }

    @inlinable
    public func write(into row: inout RowWriter) {
        withUnsafeBytes(of: uuid) { row.write(.blob, bytes: $0) }
    }

    public func storedValue() -> StoredValue { .uuid(self) }

    public init?(_ value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
}

extension Identifier: AttributeValue {
    public static var attributeType: AttributeType { .uuid }

    @inlinable
    public init(from row: inout RowReader) throws { self.init(try UUID(from: &row)) }

    @inlinable
    public func write(into row: inout RowWriter) { uuid.write(into: &row) }

    public func storedValue() -> StoredValue { .uuid(uuid) }

    public init?(_ value: StoredValue) {
        guard case .uuid(let uuid) = value else { return nil }
        self.init(uuid)
    }
}
