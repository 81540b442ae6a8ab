public import SwitchyardCore

/// Rows waiting to be inserted, end to end in one buffer that is reused.
public struct RowBatch {
    private var cells: [Cell] = []
    /// The bytes of all text and blob cells; the cells hold offsets until they are lent.
    private var bytes: [UInt8] = []
    /// The number of rows.
    public private(set) var count = 0

    init() {}

    /// The bytes of text and blobs so far.
    public var byteCount: Int { bytes.count }

    /// Adds a row, which is empty afterwards: the first one's memory is taken over instead of copied.
    mutating func append(_ row: inout RowWriter) {
        guard count == 0 else { return row.withCells { append($0) } }
        row.exchange(&cells, &bytes)
        count = 1
    }

    mutating func append(_ row: UnsafeBufferPointer<Cell>) {
        if count == 0 {
            cells.reserveCapacity(row.count)
            bytes.reserveCapacity(128)
        }
        for var cell in row {
            if cell.kind == .text || cell.kind == .blob {
                cell.word = Int64(bytes.count)
                bytes.append(contentsOf: cell.bytes)
            }
            cells.append(cell)
        }
        count += 1
    }

    mutating func removeAll() {
        cells.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Calls the body with the cells of all rows, row by row; they are only valid inside the closure.
    public mutating func withCells<Result>(
        _ body: (UnsafeBufferPointer<Cell>) throws -> Result
    ) rethrows -> Result {
        try bytes.withUnsafeBytes { bytes in
            try cells.withUnsafeMutableBufferPointer { cells in
                for index in cells.indices where cells[index].kind == .text || cells[index].kind == .blob {
                    cells[index].start = bytes.baseAddress.map { $0 + Int(cells[index].word) }
                }
                return try body(UnsafeBufferPointer(cells))
            }
        }
    }
}
