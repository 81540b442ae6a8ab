internal import SwitchyardCore

/// Rows that were read ahead and wait in memory.
final class RowSpool {
    private let width: Int
    private let row: UnsafeMutablePointer<Cell>
    private var bytes = WireBuffer(capacity: 4_096)
    private var position = 0

    /// Makes room for rows of `width` columns.
    init(width: Int) {
        self.width = width
        row = .allocate(capacity: width)
        row.initialize(repeating: Cell(), count: width)
    }

    deinit { row.deallocate() }

    /// Keeps a copy of a row.
    func append(_ cells: UnsafeBufferPointer<Cell>) {
        for cell in cells {
            bytes.append(cell.kind.rawValue)
            bytes.append(cell.word)
            bytes.append(Int64(cell.count))
            bytes.append(cell.bytes)
        }
    }

    /// The next row, or nil at the end.
    ///
    /// Its cells are good until the next call.
    func next() -> UnsafeBufferPointer<Cell>? {
        guard position < bytes.count else { return nil }
        for column in 0..<width {
            let kind = Cell.Kind(rawValue: take()) ?? .null
            let word: Int64 = take()
            let length = Int(take() as Int64)
            row[column] = Cell(kind, start: bytes.start + position, count: length)
            row[column].word = word
            position += length
        }
        return UnsafeBufferPointer(start: row, count: width)
    }

    private func take<Integer: FixedWidthInteger & BitwiseCopyable>() -> Integer {
        defer { position += MemoryLayout<Integer>.size }
        return Integer(bigEndian: (bytes.start + position).loadUnaligned(as: Integer.self))
    }
}
