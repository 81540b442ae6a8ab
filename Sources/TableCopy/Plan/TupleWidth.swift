internal import SwitchyardCore

/// The bytes that a row needs in a page of PostgreSQL when all its long values are stored out of line.
///
/// Only values longer than a reference of 18 bytes, with its alignment, are moved out of a row that is too
/// wide (postgresql.org/docs/current/storage-toast.html).
struct TupleWidth {
    private let types: [TargetType]

    init(_ types: [TargetType]) { self.types = types }

    /// No row needs more.
    var bound: Int { 24 + types.count / 8 + 1 + types.count * Self.longestInline }

    /// The bytes of a header without nulls, and of a reference to a value that is stored elsewhere.
    private static let (header, reference) = (23, 18)
    /// The bytes of the longest value that stays, with its length.
    private static let longestInline = 21

    /// The bytes of a row of the file.
    func bytes(of row: UnsafeBufferPointer<Cell>) -> Int {
        let hasNull = row.contains { $0.kind == .null }
        var bytes = Self.header + (hasNull ? (types.count + 7) / 8 : 0)
        func align(to unit: Int) { bytes = (bytes + unit - 1) / unit * unit }
        func add(text count: Int) { bytes += count < Self.longestInline ? 1 + count : Self.reference }
        align(to: 8)
        for (type, cell) in zip(types, row) where cell.kind != .null {
            switch type {
            case .bigint, .double, .timestamp:
                align(to: 8)
                bytes += 8
            case .date:
                align(to: 4)
                bytes += 4
            case .boolean: bytes += 1
            case .numeric: add(text: 2 + 2 * Self.groups(cell))
            case .text where cell.kind == .integer: add(text: String(cell.word).utf8.count)
            case .text where cell.kind == .double: add(text: cell.double.description.utf8.count)
            case .text, .bytea: add(text: cell.count)
            }
        }
        align(to: 8)
        return bytes
    }

    /// The groups of four digits that PostgreSQL stores for a number, without those of zeros at both ends.
    private static func groups(_ cell: Cell) -> Int {
        let text = cell.kind == .integer ? String(cell.word) : PlainDecimal(cell.double)?.text ?? ""
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        guard let whole = parts.first else { return 0 }
        let fraction = parts.count > 1 ? parts[1] : ""
        let digits =
            String(repeating: "0", count: (4 - whole.count % 4) % 4) + whole + fraction
            + String(repeating: "0", count: (4 - fraction.count % 4) % 4)
        let isUsed = stride(from: 0, to: digits.count, by: 4).map { start in
            digits.dropFirst(start).prefix(4).contains { $0 != "0" }
        }
        guard let first = isUsed.firstIndex(of: true), let last = isUsed.lastIndex(of: true) else { return 0 }
        return last - first + 1
    }
}
