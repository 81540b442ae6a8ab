/// Collects the columns of one row, in order, in one buffer that is used again for the next row.
///
/// `@Model` generates the writes. Text and bytes are copied into the buffer once; `withCells` lends the
/// finished row to a driver.
public struct RowWriter: ~Copyable {
    @usableFromInline var cells: [Cell] = []
    /// The bytes of all text and blob cells, end to end; the cells hold offsets until the row is lent.
    @usableFromInline var bytes: [UInt8] = []
    /// What the rows are, for errors.
    public let context: RowContext

    /// Makes an empty row.
    public init(context: RowContext) { self.context = context }

    /// Forgets the row and keeps the memory.
    @inlinable
    public mutating func reset() {
        cells.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The number of columns written.
    @inlinable
    public var count: Int { cells.count }

    /// The number of bytes of all texts and blobs written, decimals and UUIDs among them.
    var byteCount: Int { bytes.count }

    /// Writes no value.
    @inlinable
    public mutating func writeNull() { cells.append(Cell()) }

    /// Writes an integer.
    @inlinable
    public mutating func write(integer: Int64) { cells.append(Cell(integer: integer)) }

    /// Writes a double as it is; `Double`'s own conformance refuses NaN and normalises −0.
    @inlinable
    public mutating func write(double: Double) { cells.append(Cell(double: double)) }

    /// Writes bytes as text or blob.
    @inlinable
    public mutating func write(_ kind: Cell.Kind, bytes source: UnsafeRawBufferPointer) {
        var cell = Cell(kind, start: nil, count: source.count)
        cell.word = Int64(bytes.count)
        bytes.append(contentsOf: source)
        cells.append(cell)
    }

    /// Lends the finished row; the cells are valid inside the closure only.
    @inlinable
    public mutating func withCells<Result>(
        _ body: (UnsafeBufferPointer<Cell>) throws -> Result
    ) rethrows -> Result {
        let cellCount = cells.count
        return try bytes.withUnsafeBytes { bytes in
            try cells.withUnsafeMutableBufferPointer { cells in
                for index in 0..<cellCount where cells[index].kind == .text || cells[index].kind == .blob {
                    cells[index].start = bytes.baseAddress.map { $0 + Int(cells[index].word) }
                }
                return try body(UnsafeBufferPointer(cells))
            }
        }
    }

    /// Lends the finished row to what reads rows; the reader is of no use after the closure.
    mutating func withReader<Result>(_ body: (inout RowReader) throws -> Result) throws -> Result {
        let context = context
        return try withCells { cells in
            guard let start = cells.baseAddress else { throw context.tooFewColumns(0) }
            var reader = RowReader(cells: start, count: cells.count, context: context)
            return try body(&reader)
        }
    }

    /// Writes an attribute of a type that Switchyard knows.
    @inlinable
    public mutating func write<Value: AttributeValue>(_ value: Value) throws {
        try value.write(into: &self)
    }

    /// The error for a value that cannot be stored, naming the attribute whose turn it is.
    public func notRepresentable(_ reason: String) -> StoreError {
        StoreError(
            .valueNotRepresentable, reason, entity: context.entity,
            attribute: context.attributes.indices.contains(cells.count)
                ? context.attributes[cells.count] : nil)
    }
}
