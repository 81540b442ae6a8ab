internal import GRDBSQLite

/// The collation of decimals that are stored as text: numeric, not by character.
enum DecimalCollation {
    static let name = "switchyard_decimal"

    static func register(on connection: OpaquePointer) -> CInt {
        sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                CInt(
                    DecimalCollation.compare(
                        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                        UnsafeRawBufferPointer(start: right, count: Int(rightCount))))
            }, nil)
    }

    /// Compares two texts: −1, 0 or 1.
    ///
    /// Other text, which only another program can have written, sorts after all decimals, by its bytes, so that the
    /// order is always total.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        guard let lhs = Digits(left) else { return Digits(right) == nil ? bytes(left, right) : 1 }
        guard let rhs = Digits(right) else { return -1 }
        guard lhs.isNegative == rhs.isNegative else { return lhs.isNegative ? -1 : 1 }
        let magnitude = lhs.magnitude(comparedTo: rhs)
        return lhs.isNegative ? -magnitude : magnitude
    }

    fileprivate static func bytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        for (lhs, rhs) in zip(left, right) where lhs != rhs { return lhs < rhs ? -1 : 1 }
        return (left.count - right.count).signum()
    }
}

/// The significant digits of a decimal before and after the point.
private struct Digits {
    let isNegative: Bool
    let whole: UnsafeRawBufferPointer
    let fraction: UnsafeRawBufferPointer

    /// Parses a decimal such as `-12.50`; nil for any other text.
    init?(_ text: UnsafeRawBufferPointer) {
        let hasSign = text.first == UInt8(ascii: "-")
        let body = text.dropFirst(hasSign ? 1 : 0)
        let point = body.firstIndex(of: UInt8(ascii: ".")) ?? body.endIndex
        let before = body[..<point]
        let after = body[point...].dropFirst()
        guard !before.isEmpty, point == body.endIndex || !after.isEmpty,
            before.allSatisfy(Self.isDigit), after.allSatisfy(Self.isDigit)
        else { return nil }
        whole = UnsafeRawBufferPointer(rebasing: before.drop { $0 == UInt8(ascii: "0") })
        let last = after.lastIndex { $0 != UInt8(ascii: "0") }
        fraction = UnsafeRawBufferPointer(rebasing: last.map { after[...$0] } ?? after.prefix(0))
        // -0 equals 0.
        isNegative = hasSign && !(whole.isEmpty && fraction.isEmpty)
    }

    func magnitude(comparedTo other: Digits) -> Int {
        guard whole.count == other.whole.count else { return (whole.count - other.whole.count).signum() }
        let order = DecimalCollation.bytes(whole, other.whole)
        return order != 0 ? order : DecimalCollation.bytes(fraction, other.fraction)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
