internal import PostgresStore
internal import SwitchyardCore

/// Makes PostgreSQL's values of SQLite's, in memory that is reused for each row.
struct RowConversion: ~Copyable {
    /// Enough for a decimal of 38 digits, and for the text of any number.
    private static let bytesPerCell = 64

    private let types: [TargetType]
    private let cells: UnsafeMutableBufferPointer<Cell>
    private let scratch: UnsafeMutableRawBufferPointer

    init(_ types: [TargetType]) {
        self.types = types
        cells = .allocate(capacity: types.count)
        cells.initialize(repeating: Cell())
        scratch = .allocate(byteCount: types.count * Self.bytesPerCell, alignment: 8)
    }

    deinit {
        cells.deallocate()
        scratch.deallocate()
    }

    /// The row for the server, valid until the next one and as long as the given row.
    ///
    /// - Throws: `corrupted` for a value that the census did not find.
    borrowing func convert(_ row: UnsafeBufferPointer<Cell>) throws -> UnsafeBufferPointer<Cell> {
        for index in row.indices {
            let cell = row[index]
            switch (types[index], cell.kind) {
            case (_, .null), (.bigint, .integer), (.boolean, .integer), (.double, .double), (.text, .text),
                (.bytea, .blob):
                cells[index] = cell
            case (.double, .integer): cells[index] = Cell(double: Double(cell.word))
            case (.numeric, .integer), (.text, .integer): put(String(cell.word), at: index)
            case (.numeric, .double):
                guard let decimal = PlainDecimal(cell.double) else { throw Self.unexpected }
                put(decimal.text, at: index)
            case (.text, .double): put(cell.double.description, at: index)
            case (.date, .text):
                guard let time = TextForm.day.microseconds(of: cell.bytes) else { throw Self.unexpected }
                cells[index] = Cell(integer: time / Timestamp.microsecondsPerDay)
            case (.timestamp(let form), .text):
                guard let time = form.microseconds(of: cell.bytes) else { throw Self.unexpected }
                cells[index] = Cell(integer: time)
            default: throw Self.unexpected
            }
        }
        return UnsafeBufferPointer(cells)
    }

    private borrowing func put(_ text: String, at index: Int) {
        var text = text
        let target = UnsafeMutableRawBufferPointer(
            rebasing: scratch[(index * Self.bytesPerCell)..<((index + 1) * Self.bytesPerCell)])
        text.withUTF8 { bytes in
            target.copyBytes(from: bytes.prefix(Self.bytesPerCell))
            cells[index] = Cell(.text, start: target.baseAddress, count: bytes.count)
        }
    }

    private static var unexpected: StoreError {
        StoreError(
            .corrupted,
            "The file holds a value that it did not hold when its values were counted. Run this again.")
    }
}
