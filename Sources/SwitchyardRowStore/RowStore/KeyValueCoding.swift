internal import Crypto
internal import Foundation

/// What a key leads to: its first byte.
enum KeyKind: UInt8 {
    case header = 0
    case row = 1
    case unique = 2
    case reference = 3

    static let ofTables: [KeyKind] = [.row, .unique, .reference]
}

/// The keys of a store.
extension [UInt8] {
    static let marker: [UInt8] = [KeyKind.header.rawValue, 0]
    static let lastOperation: [UInt8] = [KeyKind.header.rawValue, 1]

    static func operation(_ id: OperationID) -> [UInt8] { operation(RowID(id.uuid)) }

    fileprivate static func operation(_ id: RowID) -> [UInt8] { [KeyKind.header.rawValue, 2] + id.bytes }

    static func row(_ id: RowID, in entity: Entity) -> [UInt8] { table(.row, entity) + id.bytes }

    /// The key of a unique constraint's values: their digest, because they may be longer than a key can be.
    static func unique(_ key: [StoredValue], _ constraint: Int, in entity: Entity) -> [UInt8] {
        var hash = SHA256()
        for value in key { hash.update(data: value.keyBytes) }
        return table(.unique, entity) + number(constraint) + hash.finalize()
    }

    static func reference(
        to target: RowID, by column: Int, from id: RowID, in entity: Entity
    ) -> [UInt8] { table(.reference, entity) + number(column) + target.bytes + id.bytes }

    /// What the keys of a table begin with.
    ///
    /// No name has the byte 0, so that none begins another.
    fileprivate static func table(_ kind: KeyKind, _ entity: Entity) -> [UInt8] {
        [kind.rawValue] + entity.table.utf8 + [0]
    }

    private static func number(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

extension ClosedKeyRange {
    static let operations = ClosedKeyRange(.operation(RowID.least), .operation(RowID.greatest))

    /// All keys of a kind that a table has.
    static func all(_ kind: KeyKind, of entity: Entity) -> ClosedKeyRange {
        let start = [UInt8].table(kind, entity)
        return ClosedKeyRange(start, start + Array(repeating: 0xFF, count: 50))
    }
}

extension StoredValue {
    /// Bytes that equal values have in common, and no others of the same type.
    fileprivate var keyBytes: Data {
        var writer = RowWriter(context: ErrorContext(entity: "", attributes: []))
        // A stored value has passed this before.
        try? writer.write(self)
        return Data(writer.cellBytes)
    }
}

extension RowWriter {
    /// The cells, end to end: the kind of each, and its word, or its length and its bytes.
    fileprivate var cellBytes: [UInt8] {
        mutating get {
            withCells { cells in
                var bytes: [UInt8] = []
                for cell in cells {
                    bytes.append(cell.kind.rawValue)
                    switch cell.kind {
                    case .null: break
                    case .integer, .double: append(cell.word)
                    case .text, .blob:
                        append(Int64(cell.count))
                        bytes.append(contentsOf: cell.bytes)
                    }
                }
                return bytes

                func append(_ word: Int64) {
                    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
                }
            }
        }
    }
}

extension Entity {
    /// A row in the layout that drivers receive, as bytes.
    func bytes(of row: [StoredValue]) throws -> [UInt8] {
        var writer = RowWriter(context: errorContext)
        for value in row { try writer.write(value) }
        return writer.cellBytes
    }

    /// The values of all attributes, of an entity that is a layout.
    ///
    /// - Throws: `corrupted`.
    func values(fromBytes bytes: [UInt8]) throws -> [StoredValue] {
        var cells: [Cell] = []
        cells.reserveCapacity(attributes.count)
        return try bytes.withUnsafeBytes { bytes in
            var place = 0
            func take(_ count: Int) throws -> Int {
                guard count >= 0, count <= bytes.count - place else {
                    throw StoreError.damagedBytes("a row", of: self)
                }
                place += count
                return place - count
            }
            func word() throws -> Int64 {
                Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: try take(8), as: Int64.self))
            }
            while place < bytes.count {
                guard let kind = Cell.Kind(rawValue: bytes[try take(1)]) else {
                    throw StoreError.damagedBytes("a row", of: self)
                }
                switch kind {
                case .null: cells.append(Cell())
                case .integer: cells.append(Cell(integer: try word()))
                case .double: cells.append(Cell(double: Double(bitPattern: UInt64(bitPattern: try word()))))
                case .text, .blob:
                    let count = Int(clamping: try word())
                    let start = try take(count)
                    cells.append(Cell(kind, start: bytes.baseAddress?.advanced(by: start), count: count))
                }
            }
            // Rows of the history that were written before transactions had an origin lack it, which is last.
            if name == Self.historyTransaction.name, cells.count == attributes.count - 1 {
                cells.append(Cell())
            }
            return try cells.withUnsafeBufferPointer { cells in
                guard let start = cells.baseAddress else { throw errorContext.tooFewColumns(0) }
                var reader = RowReader(cells: start, count: cells.count, context: errorContext)
                return try attributes.map { try reader.read($0.type) }
            }
        }
    }

    /// The columns of a row's references, with the rows that they point to.
    func targets(of row: [StoredValue]) -> [(column: Int, target: RowID)] {
        attributes.enumerated().compactMap { column, attribute in
            guard attribute.reference != nil, let target = RowID(row[column]) else { return nil }
            return (column, target)
        }
    }
}

extension StoreError {
    /// The error of bytes that are not what this library has written.
    static func damagedBytes(_ what: String, of entity: Entity? = nil) -> StoreError {
        StoreError(
            .corrupted,
            "The store holds \(what) that cannot be read. Restore it from a backup; nothing was changed.",
            entity: entity?.name)
    }
}
