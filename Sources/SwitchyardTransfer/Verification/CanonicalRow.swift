internal import Foundation
internal import SwitchyardCore

/// The canonical bytes of a row: the same on every backend, and different for different rows.
///
/// Each value is its type's tag, followed by its content: eight bytes for a number, with the least significant first;
/// sixteen for a UUID; the length in eight bytes and then the bytes for text, JSON, a decimal and a blob. Nil is a tag
/// of its own.
///
/// It reuses its buffer, because every row of a store is digested.
final class CanonicalRow {
    /// The most bytes that a value takes besides those of a text or a blob.
    private static let mostFixedBytes = 17

    private let types: [AttributeType]
    /// The number of bytes of the scope, which precede each row's; 0 if it does not count.
    private let scopeCount: Int
    private var buffer: UnsafeMutableRawBufferPointer
    private var count: Int

    /// Prepares for rows of an entity.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - scope: The scope of the rows, if the same row in another scope is another one; nil if it is the same.
    init(_ entity: Entity, in scope: StoreScope? = nil) {
        types = entity.attributes.map(\.type)
        let scope = scope.map { scope in
            [AttributeType.uuid.tag] + withUnsafeBytes(of: scope.uuid.uuid) { Array($0) }
        }
        scopeCount = scope?.count ?? 0
        count = scopeCount
        buffer = .allocate(byteCount: 256, alignment: 1)
        if let scope { buffer.copyBytes(from: scope) }
    }

    deinit { buffer.deallocate() }

    /// The bytes of the row that was read last.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    /// Replaces the bytes by those of a whole row.
    ///
    /// - Throws: `corrupted` for a cell that its attribute cannot hold.
    func read(_ row: inout RowReader) throws {
        var end = scopeCount
        for type in types { try append(type, from: &row, at: &end) }
        count = end
    }

    private func append(_ type: AttributeType, from row: inout RowReader, at end: inout Int) throws {
        let cell = try row.next()
        reserve(cell.count, at: end)
        if cell.kind == .null {
            append(tag: AttributeType.nullTag, at: &end)
            return
        }
        append(tag: type.tag, at: &end)
        switch (type, cell.kind) {
        case (.int, .integer), (.day, .integer), (.double, .double): append(word: cell.word, at: &end)
        case (.timestamp, .integer) where Timestamp.range.contains(cell.word):
            append(word: cell.word, at: &end)
        case (.text, .text), (.json, .text), (.blob, .blob):
            append(word: Int64(cell.count), at: &end)
            append(cell.bytes, at: &end)
        case (.uuid, .blob) where cell.count == 16: append(cell.bytes, at: &end)
        default:
            // The rest is read by type, which also refuses impossible values.
            switch try row.readAgain(as: type) {
            case .bool(let bool): append(word: bool ? 1 : 0, at: &end)
            case .decimal(let decimal):
                var text = CanonicalDecimal.text(decimal) ?? decimal.description
                text.withUTF8 { text in
                    reserve(text.count, at: end)
                    append(word: Int64(text.count), at: &end)
                    append(UnsafeRawBufferPointer(text), at: &end)
                }
            default: throw row.mismatch(expected: type.rawValue, found: cell)
            }
        }
    }

    /// Reserves room for a value with a number of bytes of text or blob.
    private func reserve(_ count: Int, at end: Int) {
        let needed = end + Self.mostFixedBytes + count
        guard needed > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: needed * 2, alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<end]))
        buffer.deallocate()
        buffer = larger
    }

    private func append(tag: UInt8, at end: inout Int) {
        buffer[end] = tag
        end += 1
    }

    private func append(word: Int64, at end: inout Int) {
        buffer.storeBytes(of: word.littleEndian, toByteOffset: end, as: Int64.self)
        end += 8
    }

    private func append(_ bytes: UnsafeRawBufferPointer, at end: inout Int) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[end...]).copyMemory(from: bytes)
        end += bytes.count
    }
}
