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
