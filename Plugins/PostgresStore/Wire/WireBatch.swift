internal import CLibPQ
internal import SwitchyardCore
internal import SwitchyardSQL

/// Rows with the same columns, encoded in one buffer, to be sent one by one or as an array for each column.
struct WireBatch: ~Copyable {
    /// The type of each column.
    let types: [WireType]
    /// The number of rows.
    private(set) var count = 0
    private var buffer = WireBuffer()
    /// Where each field begins in the buffer, row after row.
    private var offsets: [Int] = []

    /// Creates an empty batch, with room for one row.
    init(types: [WireType]) {
        self.types = types
        offsets.reserveCapacity(types.count)
    }

    var byteCount: Int { buffer.count }

    /// Removes the rows and keeps the memory.
    mutating func removeAll() {
        buffer.truncate()
        offsets.removeAll(keepingCapacity: true)
        count = 0
    }

    /// - Throws: `invalidArgument` for a row of another width, or a cell of another kind than its column.
    mutating func append(_ cells: UnsafeBufferPointer<Cell>) throws {
        guard cells.count == types.count else {
            throw StoreError(
                .invalidArgument, "A row has \(cells.count) columns where \(types.count) were announced.")
        }
        for index in 0..<cells.count {
            offsets.append(buffer.count)
            try buffer.appendField(cells[index], as: types[index])
        }
        count += 1
    }

    /// Appends a row of the values of parameters.
    ///
    /// - Throws: As `append(_:)` for cells.
    mutating func append(_ parameters: [SQLParameter]) throws {
        for (parameter, type) in zip(parameters, types) {
            guard case .value(let value, _) = parameter else {
                throw StoreError(.invalidArgument, "A row holds no list.")
            }
            offsets.append(buffer.count)
            try value.withCell { try buffer.appendField($0, as: type) }
        }
        count += 1
    }

    /// Calls the body with a field, preceded by its length, as in COPY and arrays.
    borrowing func withField(
        row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        let index = row * types.count + column
        let end = index + 1 < offsets.count ? offsets[index + 1] : buffer.count
        try body(UnsafeRawBufferPointer(rebasing: buffer.bytes[offsets[index]..<end]))
    }

    /// Calls the body with the fields of each row as in COPY, without their number.
    borrowing func forEachTuple(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        var start = 0
        for _ in 0..<count {
            var end = start
            for _ in types {
                let length = Int32(bigEndian: (buffer.start + end).loadUnaligned(as: Int32.self))
                end += 4 + Int(max(0, length))
            }
            try body(UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<end]))
            start = end
        }
    }

    /// Calls the body with each row as the arrays that libpq takes; they are only valid inside the closure.
    borrowing func forEachRow(_ body: (Parameters.Arrays) throws -> Void) rethrows {
        var position = UnsafeRawPointer(buffer.start)
        for _ in 0..<count {
            try Parameters.Arrays.with(types.count) { column in
                let (start, length) = (position + 4, Int32(bigEndian: position.loadUnaligned(as: Int32.self)))
                position = start + Int(max(0, length))
                return Parameters.Arrays.Value(
                    type: types[column].oid, start: length < 0 ? nil : start, length: max(0, length))
            } _: {
                try body($0)
            }
        }
    }
}
