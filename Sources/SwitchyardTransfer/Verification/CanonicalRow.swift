internal import Foundation
internal import SwitchyardCore

/// The bytes of a row that are the same on every backend, and for no other row.
///
/// Each value is its type's tag, followed by its content: eight bytes for a number, with the least significant first;
/// sixteen for a UUID; the length in eight bytes and then the bytes for text, JSON, a decimal and a blob. Nil is a tag
/// of its own.
struct CanonicalRow {
    private static let nilTag: UInt8 = 0

    private let types: [AttributeType]
    /// The scope as a value before those of the row; empty if it does not count.
    private let scope: [UInt8]
    private(set) var bytes: [UInt8] = []

    /// Prepares for rows of an entity.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - scope: The scope of the rows, if the same row in another scope is another one; nil if it is the same.
    init(_ entity: Entity, in scope: StoreScope? = nil) {
        types = entity.attributes.map(\.type)
        self.scope =
            scope.map { scope in
                [AttributeType.uuid.canonicalTag] + withUnsafeBytes(of: scope.uuid.uuid) { Array($0) }
            } ?? []
    }

    /// Replaces the bytes by those of a whole row.
    ///
    /// - Throws: `corrupted` for a cell that its attribute cannot hold.
    mutating func read(_ row: inout RowReader) throws {
        bytes.removeAll(keepingCapacity: true)
        bytes += scope
        for type in types { try append(type, from: &row) }
    }

    private mutating func append(_ type: AttributeType, from row: inout RowReader) throws {
        let cell = try row.next()
        if cell.kind == .null {
            bytes.append(Self.nilTag)
            return
        }
        bytes.append(type.canonicalTag)
        switch (type, cell.kind) {
        case (.int, .integer), (.day, .integer), (.double, .double): append(word: cell.word)
        case (.timestamp, .integer) where Timestamp.range.contains(cell.word): append(word: cell.word)
        case (.text, .text), (.json, .text), (.blob, .blob):
            append(word: Int64(cell.count))
            bytes.append(contentsOf: cell.bytes)
        case (.uuid, .blob) where cell.count == 16: bytes.append(contentsOf: cell.bytes)
        default:
            // The rest is read as the type says, which also refuses what it cannot hold.
            switch try row.readAgain(as: type) {
            case .bool(let bool): append(word: bool ? 1 : 0)
            case .decimal(let decimal):
                let text = CanonicalDecimal.text(decimal) ?? decimal.description
                append(word: Int64(text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            default: throw row.mismatch(expected: type.rawValue, found: cell)
            }
        }
    }

    private mutating func append(word: Int64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension AttributeType {
    /// The first byte of a value, which stays what it is: digests are kept and compared later.
    fileprivate var canonicalTag: UInt8 {
        switch self {
        case .bool: 1
        case .int: 2
        case .double: 3
        case .decimal: 4
        case .text: 5
        case .blob: 6
        case .uuid: 7
        case .timestamp: 8
        case .day: 9
        case .json: 10
        }
    }
}
