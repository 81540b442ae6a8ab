package import Foundation

/// Rows of one entity, end to end in two buffers: to hand many of them from one store to another without a Swift value for
/// each of their attributes.
package struct RowBlock: Sendable {
    private let types: [AttributeType]
    private let context: ErrorContext
    private var fields: [Field] = []
    /// The bytes of all texts and blobs.
    private var bytes: [UInt8] = []
    /// The number of rows.
    package private(set) var count = 0

    /// A cell; the word of a text or blob is the place of its bytes.
    private struct Field: Sendable {
        let word: Int64
        /// The number of bytes of a text or blob: at most `Limits.valueBytes`.
        let count: Int32
        let kind: Cell.Kind

        init(kind: Cell.Kind, word: Int64, count: Int) {
            (self.word, self.count, self.kind) = (word, Int32(count), kind)
        }
    }

    /// Creates a block without rows.
    package init(_ entity: Entity) {
        types = entity.attributes.map(\.type)
        context = entity.errorContext
    }

    /// The number of bytes that the rows take here.
    package var byteCount: Int { fields.count * MemoryLayout<Field>.stride + bytes.count }

    /// Makes room for more rows, as far as their fields fit in a number of bytes: what grows by and by takes twice as much for
    /// a while.
    package mutating func reserve(rows: Int, withinBytes limit: Int) {
        let most = limit / MemoryLayout<Field>.stride
        fields.reserveCapacity(fields.count + (rows < most / types.count ? rows * types.count : most))
    }

    /// Adds a row whose columns are the entity's attributes.
    ///
    /// - Throws: `corrupted` for a cell that its attribute cannot hold.
    package mutating func append(_ row: inout RowReader) throws {
        for type in types {
            let cell = try row.next()
            switch (cell.kind, type) {
            case (.null, _): fields.append(Field(kind: .null, word: 0, count: 0))
            case (.integer, .int), (.integer, .day), (.double, .double):
                fields.append(Field(kind: cell.kind, word: cell.word, count: 0))
            case (.integer, .timestamp) where Timestamp.range.contains(cell.word):
                fields.append(Field(kind: .integer, word: cell.word, count: 0))
            case (.text, .text) where cell.count <= Limits.valueBytes,
                (.text, .json) where cell.count <= Limits.valueBytes,
                (.blob, .blob) where cell.count <= Limits.valueBytes:
                fields.append(Field(kind: cell.kind, word: Int64(bytes.count), count: cell.count))
                bytes.append(contentsOf: cell.bytes)
            case (.blob, .uuid) where cell.count == 16:
                fields.append(Field(kind: .blob, word: Int64(bytes.count), count: 16))
                bytes.append(contentsOf: cell.bytes)
            default: try append(try row.readAgain(as: type))
            }
        }
        count += 1
    }

    /// Adds a value that has several forms on backends, or that not every cell fits.
    private mutating func append(_ value: StoredValue) throws {
        var writer = RowWriter(context: context)
        try writer.write(value)
        writer.withCells { cells in
            for cell in cells {
                let word = cell.kind == .text || cell.kind == .blob ? Int64(bytes.count) : cell.word
                fields.append(Field(kind: cell.kind, word: word, count: cell.count))
                bytes.append(contentsOf: cell.bytes)
            }
        }
    }

    /// The id of a row.
    ///
    /// - Throws: `corrupted` if it is not 16 bytes.
    package func id(ofRow index: Int) throws -> UUID {
        let field = fields[index * types.count]
        guard field.kind == .blob, field.count == 16 else {
            throw StoreError(.corrupted, "A row has no id.", entity: context.entity, attribute: "id")
        }
        return bytes.withUnsafeBytes {
            UUID(uuid: $0.loadUnaligned(fromByteOffset: Int(field.word), as: uuid_t.self))
        }
    }

    /// Writes the columns of a row.
    package func write(row index: Int, into writer: inout RowWriter) {
        bytes.withUnsafeBytes { bytes in
            for field in fields[(index * types.count)..<((index + 1) * types.count)] {
                switch field.kind {
                case .null: writer.writeNull()
                case .integer: writer.write(integer: field.word)
                case .double: writer.write(double: Double(bitPattern: UInt64(bitPattern: field.word)))
                case .text, .blob:
                    let range = Int(field.word)..<(Int(field.word) + Int(field.count))
                    writer.write(field.kind, bytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
            }
        }
    }
}

extension WriteTransaction {
    /// Inserts the rows of a block, whose values every store takes.
    ///
    /// - Returns: The number of rows.
    /// - Throws: As `insertRows`.
    package func insertRows(_ block: RowBlock, into entity: Entity) throws -> Int {
        try perform {
            let check = RowCheck(entity)
            var index = 0
            return try driver.insert(into: entity, onConflict: .fail) { row in
                guard index < block.count else { return false }
                row.reset()
                block.write(row: index, into: &row)
                index += 1
                try check.complete(&row)
                return true
            }
        }
    }
}
