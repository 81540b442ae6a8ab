internal import CLibPQ
internal import SwitchyardCore

/// The parameters of one execution, in binary format, in one buffer.
struct Parameters: ~Copyable {
    /// The most bytes of one execution's parameters: the server allocates at most 1 GiB for a message.
    private static let maximumBytes = 1_000_000_000

    /// The object id of each parameter's type.
    private(set) var types: [Oid] = []
    private var buffer = WireBuffer()
    /// Where each value begins in the buffer, −1 for null, and its length.
    private var places: [(start: Int, length: Int32)] = []

    /// Creates an empty list, with room for a number of parameters.
    init(count: Int = 0) {
        types.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// The number of parameters.
    var count: Int { types.count }

    /// Removes the parameters and keeps the memory.
    mutating func removeAll() {
        buffer.truncate()
        types.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
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
        buffer.replace(places[places.count - 1].length, at: array.start)
    }

    private mutating func finish(_ oid: Oid, start: Int, isNull: Bool) throws {
        guard buffer.count <= Self.maximumBytes else { throw Self.tooLarge }
        types.append(oid)
        places.append(isNull ? (-1, 0) : (start + 4, Int32(buffer.count - start - 4)))
    }

    private static var tooLarge: StoreError {
        StoreError(
            .valueNotRepresentable,
            "The values of one statement have more than \(maximumBytes) bytes; send them in smaller batches.")
    }

    /// Calls the body with the arrays that libpq takes; they are only valid inside the closure.
    borrowing func withArrays<Result>(_ body: (Arrays) throws -> Result) rethrows -> Result {
        try Arrays.with(types.count) { index in
            let (offset, length) = places[index]
            return Arrays.Value(
                type: types[index], start: offset < 0 ? nil : UnsafeRawPointer(buffer.start) + offset,
                length: length)
        } _: {
            try body($0)
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

        /// The value of one parameter, whose bytes are not copied.
        struct Value {
            let type: Oid
            /// The bytes; nil for null.
            let start: UnsafeRawPointer?
            let length: Int32
        }

        /// Calls the body with the arrays of some values, in binary format, which are only valid inside the closure.
        ///
        /// A small transaction has several executions, whose arrays are in the stack's memory for that reason.
        ///
        /// - Parameters:
        ///   - count: The number of values.
        ///   - value: Returns the value of a position; it is called once for each, in order.
        ///   - body: Takes the arrays.
        /// - Returns: What the body returns.
        @inline(__always)
        static func with<Result>(
            _ count: Int, _ value: (Int) -> Value, _ body: (Arrays) throws -> Result
        ) rethrows -> Result {
            try withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                try withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
                    try withUnsafeTemporaryAllocation(of: Oid.self, capacity: count) { types in
                        for index in 0..<count {
                            let value = value(index)
                            values.initializeElement(
                                at: index, to: value.start?.assumingMemoryBound(to: CChar.self))
                            types.initializeElement(at: index, to: value.type)
                            numbers.initializeElement(at: index, to: value.length)
                            numbers.initializeElement(at: count + index, to: 1)
                        }
                        return try body(
                            Arrays(
                                count: Int32(count), types: types.baseAddress, values: values.baseAddress,
                                lengths: numbers.baseAddress, formats: numbers.baseAddress.map { $0 + count })
                        )
                    }
                }
            }
        }
    }
}
