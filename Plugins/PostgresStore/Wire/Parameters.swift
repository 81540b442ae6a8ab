internal import CLibPQ
internal import SwitchyardCore

/// The parameters of one execution, in binary format, in one buffer.
struct Parameters: ~Copyable {
    /// The most bytes of one execution's parameters: the server allocates at most 1 GiB for a message.
    private static let maximumBytes = 1_000_000_000

    /// The object id of each parameter's type.
    private(set) var types: [Oid] = []
    private var buffer: WireBuffer
    /// Where each value begins in the buffer; −1 for null.
    private var offsets: [Int] = []
    private var lengths: [Int32] = []

    init() { buffer = WireBuffer(capacity: 512) }

    /// The number of parameters.
    var count: Int { types.count }

    /// Removes the parameters and keeps the memory.
    mutating func removeAll() {
        buffer.truncate()
        types.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
    }

    /// - Throws: As `WireBuffer.appendField`.
    mutating func append(_ cell: Cell, as type: WireType) throws {
        let start = buffer.count
        try buffer.appendField(cell, as: type)
        try finish(type.oid, start: start, isNull: cell.kind == .null)
    }

    mutating func append(_ value: StoredValue, as type: WireType) throws {
        let start = buffer.count
        try value.withCell { cell in try buffer.appendField(cell, as: type) }
        try finish(type.oid, start: start, isNull: value.isNull)
    }

    /// Appends an array of values, which may include nulls, as one parameter.
    mutating func append(_ values: some Collection<StoredValue>, arrayOf type: WireType) throws {
        var array = try beginArray(of: type, count: values.count)
        for value in values { try value.withCell { try appendElement($0, to: &array) } }
        try endArray(array)
    }

    struct OpenArray {
        fileprivate let type: WireType
        fileprivate let start: Int
        fileprivate var missing: Int
        fileprivate var hasNull = false
    }

    /// Starts an array parameter of `count` elements.
    mutating func beginArray(of type: WireType, count: Int) throws -> OpenArray {
        guard let size = Int32(exactly: count) else { throw Self.tooLarge }
        let start = buffer.count
        // PostgreSQL's array_recv: the number of dimensions, a flag for nulls, the element type, then the size and
        // lower bound of each dimension. An empty array has no dimension.
        buffer.append(Int32(0))
        buffer.append(Int32(count == 0 ? 0 : 1))
        buffer.append(Int32(0))
        buffer.append(type.oid)
        if count > 0 {
            buffer.append(size)
            buffer.append(Int32(1))
        }
        return OpenArray(type: type, start: start, missing: count)
    }

    /// Appends an element to the array that was begun last.
    mutating func appendElement(_ cell: Cell, to array: inout OpenArray) throws {
        try buffer.appendField(cell, as: array.type)
        array.missing -= 1
        if cell.kind == .null { array.hasNull = true }
    }

    /// Makes an array parameter of each column of a batch, with its values in all rows.
    init(columnsOf batch: borrowing WireBatch) throws {
        self.init()
        for (column, type) in batch.types.enumerated() {
            var array = try beginArray(of: type, count: batch.count)
            for row in 0..<batch.count {
                batch.withField(row: row, column: column) { appendField($0, to: &array) }
            }
            try endArray(array)
        }
    }

    /// Appends an encoded element, including its length, to the array that was begun last.
    private mutating func appendField(_ field: UnsafeRawBufferPointer, to array: inout OpenArray) {
        buffer.append(field)
        array.missing -= 1
        if field.loadUnaligned(as: Int32.self) == -1 { array.hasNull = true }
    }

    /// Ends the array that was begun last.
    mutating func endArray(_ array: OpenArray) throws {
        guard array.missing == 0 else {
            throw StoreError(.invalidArgument, "An array has \(array.missing) elements fewer than announced.")
        }
        if array.hasNull { buffer.replace(1, at: array.start + 8) }
        try finish(array.type.arrayOID, start: array.start, isNull: false)
        buffer.replace(lengths[lengths.count - 1], at: array.start)
    }

    private mutating func finish(_ oid: Oid, start: Int, isNull: Bool) throws {
        guard buffer.count <= Self.maximumBytes else { throw Self.tooLarge }
        types.append(oid)
        offsets.append(isNull ? -1 : start + 4)
        lengths.append(isNull ? 0 : Int32(buffer.count - start - 4))
    }

    private static var tooLarge: StoreError {
        StoreError(
            .valueNotRepresentable,
            "The values of one statement have more than \(maximumBytes) bytes; send them in smaller batches.")
    }

    /// Calls the body with the arrays that libpq takes; they are only valid inside the closure.
    borrowing func withArrays<Result>(_ body: (Arrays) throws -> Result) rethrows -> Result {
        let start = UnsafeRawPointer(buffer.start).assumingMemoryBound(to: CChar.self)
        let values = offsets.map { $0 < 0 ? nil : Optional(start + $0) }
        let formats = [Int32](repeating: 1, count: types.count)
        return try types.withUnsafeBufferPointer { types in
            try values.withUnsafeBufferPointer { values in
                try lengths.withUnsafeBufferPointer { lengths in
                    try formats.withUnsafeBufferPointer { formats in
                        try body(
                            Arrays(
                                count: Int32(types.count), types: types.baseAddress,
                                values: values.baseAddress,
                                lengths: lengths.baseAddress, formats: formats.baseAddress))
                    }
                }
            }
        }
    }

    /// The arguments of `PQsendQueryParams` and its relatives.
    struct Arrays {
        let count: Int32
        let types: UnsafePointer<Oid>?
        let values: UnsafePointer<UnsafePointer<CChar>?>?
        let lengths: UnsafePointer<Int32>?
        let formats: UnsafePointer<Int32>?

        static var none: Arrays { Arrays(count: 0, types: nil, values: nil, lengths: nil, formats: nil) }
    }
}
