internal import CLibPQ
internal import Foundation
internal import SwitchyardCore

/// Decodes the rows of results into cells, in memory that is reused for each row.
///
/// Text and bytes stay in libpq's memory; a cell is valid until the next row is decoded or the result is freed. The
/// text of decimals is kept beside the cells.
struct RowDecoder: ~Copyable {
    /// How a column's bytes become a cell.
    private enum Form: UInt8 {
        case bool, int2, int4, int8, oid, float4, float8, numeric, text, bytes, uuid, timestamptz, date
        /// An unexpected type: any value but null is an error.
        case foreign
    }

    /// The number of columns.
    let count: Int
    private let types: [WireType]?
    private let forms: UnsafeMutablePointer<Form>
    private let cells: UnsafeMutablePointer<Cell>
    private let scratch: UnsafeMutableRawPointer

    /// Creates a decoder of rows with the columns of `result`.
    ///
    /// - Parameters:
    ///   - result: A result with columns.
    ///   - types: The types that the columns must have; nil for any type that can store an attribute.
    ///   - isBinary: Whether the rows are binary even if the result says otherwise, as those of a COPY are.
    init(_ result: OpaquePointer, expecting types: [WireType]? = nil, isBinary: Bool = false) {
        count = Int(pq_nfields(result))
        self.types = types
        forms = .allocate(capacity: count)
        cells = .allocate(capacity: count)
        scratch = .allocate(byteCount: count * WireNumeric.maximumTextBytes, alignment: 8)
        cells.initialize(repeating: Cell(), count: count)
        forms.initialize(repeating: .foreign, count: count)
        for column in 0..<count {
            let found = pq_ftype(result, Int32(column))
            let isExpected = types.map { $0.indices.contains(column) && $0[column].oid == found } ?? true
            guard isExpected else { continue }
            let isText = !isBinary && pq_fformat(result, Int32(column)) != 1
            forms[column] = isText ? .text : Self.form(of: found)
        }
    }

    deinit {
        forms.deallocate()
        cells.deallocate()
        scratch.deallocate()
    }

    private static func form(of type: Oid) -> Form {
        switch type {
        case 16: .bool
        case 21: .int2
        case 23: .int4
        case 20: .int8
        case 26: .oid
        case 700: .float4
        case 701: .float8
        case 1700: .numeric
        // text, name, varchar, character, "char" and the untyped literals of a hand-written query.
        case 25, 19, 1043, 1042, 18, 705: .text
        // bytea and void.
        case 17, 2278: .bytes
        case 2950: .uuid
        case 1184: .timestamptz
        case 1082: .date
        default: .foreign
        }
    }

    /// Decodes one row.
    ///
    /// - Throws: `corrupted` for a value of another type than expected, or one that no attribute can have: a number
    ///   that is not finite or has more than 38 digits, an infinite time.
    /// - Complexity: O(columns); allocates nothing.
    @inline(__always)
    borrowing func decode(_ result: OpaquePointer, row: Int32) throws -> UnsafeBufferPointer<Cell> {
        for column in 0..<count {
            let index = Int32(truncatingIfNeeded: column)
            let length = Int(pq_getlength(result, row, index))
            if length == 0, pq_getisnull(result, row, index) != 0 {
                cells[column] = Cell()
                continue
            }
            guard let start = UnsafeRawPointer(pq_getvalue(result, row, index)),
                let cell = cell(forms[column], start, length, column)
            else { throw unreadable(result, index) }
            cells[column] = cell
        }
        return UnsafeBufferPointer(start: cells, count: count)
    }

    /// Decodes one row of a COPY.
    ///
    /// - Parameters:
    ///   - rows: The rows, positioned at the fields of the next one.
    ///   - width: The number of columns of that row.
    ///   - result: The result that the decoder was created for.
    /// - Returns: The cells, valid until the next row.
    /// - Throws: As `decode(_:row:)`; `corrupted` for a row of another width.
    /// - Complexity: O(columns); allocates nothing.
    @inline(__always)
    borrowing func decode(
        _ rows: inout WireRows, columns width: Int, of result: OpaquePointer
    ) throws -> UnsafeBufferPointer<Cell> {
        guard width == count else {
            throw StoreError(.corrupted, "The server sent a row of \(width) columns instead of \(count).")
        }
        for column in 0..<count {
            guard let field = try rows.field() else {
                cells[column] = Cell()
                continue
            }
            guard let start = field.baseAddress,
                let cell = cell(forms[column], start, field.count, column)
            else { throw unreadable(result, Int32(truncatingIfNeeded: column)) }
            cells[column] = cell
        }
        return UnsafeBufferPointer(start: cells, count: count)
    }

    @inline(__always)
    private borrowing func cell(_ form: Form, _ start: UnsafeRawPointer, _ length: Int, _ column: Int)
        -> Cell?
    {
        switch form {
        case .text:
            return Cell(.text, start: start, count: length)
        case .bytes, .uuid:
            return Cell(.blob, start: start, count: length)
        case .int8:
            guard length == 8 else { return nil }
            return Cell(integer: Int64(bigEndian: start.loadUnaligned(as: Int64.self)))
        case .timestamptz:
            guard length == 8 else { return nil }
            let word = Int64(bigEndian: start.loadUnaligned(as: Int64.self))
            // The extremes are PostgreSQL's infinity and −infinity.
            let (microseconds, overflow) = word.addingReportingOverflow(WireEpoch.microseconds)
            guard !overflow, word != .min else { return nil }
            return Cell(integer: microseconds)
        case .date:
            guard length == 4 else { return nil }
            let days = Int32(bigEndian: start.loadUnaligned(as: Int32.self))
            guard days != .min, days != .max else { return nil }
            return Cell(integer: Int64(days) + WireEpoch.days)
        case .float8:
            guard length == 8 else { return nil }
            let bits = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
            return Cell(double: Double(bitPattern: bits))
        case .float4:
            guard length == 4 else { return nil }
            let bits = UInt32(bigEndian: start.loadUnaligned(as: UInt32.self))
            return Cell(double: Double(Float(bitPattern: bits)))
        case .bool:
            guard length == 1 else { return nil }
            return Cell(integer: Int64(start.load(as: UInt8.self)))
        case .int2:
            guard length == 2 else { return nil }
            return Cell(integer: Int64(Int16(bigEndian: start.loadUnaligned(as: Int16.self))))
        case .int4:
            guard length == 4 else { return nil }
            return Cell(integer: Int64(Int32(bigEndian: start.loadUnaligned(as: Int32.self))))
        case .oid:
            guard length == 4 else { return nil }
            return Cell(integer: Int64(UInt32(bigEndian: start.loadUnaligned(as: UInt32.self))))
        case .foreign:
            return nil
        case .numeric:
            let target = scratch + column * WireNumeric.maximumTextBytes
            let bytes = UnsafeRawBufferPointer(start: start, count: length)
            guard let count = WireNumeric.text(bytes, into: target) else { return nil }
            return Cell(.text, start: target, count: count)
        }
    }

    @inline(never)
    private borrowing func unreadable(_ result: OpaquePointer, _ column: Int32) -> StoreError {
        let name = pq_fname(result, column).map { String(cString: $0) } ?? "?"
        var row = ""
        // The columns are decoded in order, and the first column of a whole row is its id.
        if column > 0, cells[0].kind == .blob, cells[0].count == 16 {
            let id = UUID(uuid: cells[0].bytes.loadUnaligned(as: uuid_t.self))
            row = " in the row \(id.uuidString.lowercased())"
        }
        let index = Int(column)
        let fault: String
        if forms[index] == .foreign {
            let expected = types.flatMap { $0.indices.contains(index) ? "\($0[index])" : nil }
            fault =
                "a value of a type (object id \(pq_ftype(result, column))) where \(expected ?? "one of an attribute") belongs"
        } else {
            fault =
                "a value that no attribute can: an infinite time, or a number that is not finite or has more than 38 digits"
        }
        return StoreError(.corrupted, "The store holds\(row) \(fault).", attribute: name)
    }
}
