/// Collects the columns of a row, in order, in a buffer that is reused for the next row.
///
/// `@Model` generates the writes. Text and bytes are copied into the buffer once; `withCells` gives a driver access to
/// the finished row.
public struct RowWriter: ~Copyable {
    @usableFromInline var cells: [Cell] = []
    /// The bytes of all text and blob cells, end to end; the cells hold offsets until `withCells`.
    @usableFromInline var bytes: [UInt8] = []
    /// The entity of the rows, for errors.
    public let context: ErrorContext

    /// Creates an empty row, with room for what most rows have.
    public init(context: ErrorContext) {
        self.context = context
        cells.reserveCapacity(16)
        bytes.reserveCapacity(128)
    }

    /// Removes the row's columns and keeps the memory.
    @inlinable
    public mutating func reset() {
        cells.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The number of columns written.
    @inlinable
    public var count: Int { cells.count }

    /// The number of bytes of all texts and blobs written, including decimals and UUIDs.
    @inlinable
    package var byteCount: Int { bytes.count }

    /// Writes null.
    @inlinable
    public mutating func writeNull() { cells.append(Cell()) }

    /// Writes an integer.
    @inlinable
    public mutating func write(integer: Int64) { cells.append(Cell(integer: integer)) }

    /// Writes a double unchanged; `Double.write(into:)` refuses NaN and normalizes −0.
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

    /// Calls the body with the finished row; the cells are only valid inside the closure.
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

    /// Gives the finished row away, with offsets in its cells of text and blobs, for other memory.
    @inlinable
    package mutating func exchange(_ cells: inout [Cell], _ bytes: inout [UInt8]) {
        swap(&self.cells, &cells)
        swap(&self.bytes, &bytes)
    }

    /// Calls the body with a reader of the finished row; the reader is only valid inside the closure.
    @inlinable
    package mutating func withReader<Result>(_ body: (inout RowReader) throws -> Result) throws -> Result {
        let context = context
        return try withCells { cells in
            guard let start = cells.baseAddress else { throw context.tooFewColumns(0) }
            var reader = RowReader(cells: start, count: cells.count, context: context)
            return try body(&reader)
        }
    }

    /// Writes an attribute of a type that Switchyard supports directly.
    @inlinable
    public mutating func write<Value: AttributeValue>(_ value: Value) throws {
        try value.write(into: &self)
    }

    /// The error for a value that cannot be stored; it names the attribute to be written next.
    public func notRepresentable(_ reason: String) -> StoreError {
        StoreError(
            .valueNotRepresentable, reason, entity: context.entity,
            attribute: context.attributes.indices.contains(cells.count)
                ? context.attributes[cells.count] : nil)
    }
}
