/// Numbers as text, read and written without a `String` where possible.
public enum NumberText {
    /// Reads an integer: an optional sign and decimal digits.
    ///
    /// - Returns: The integer; nil for any other text, or if it does not fit in 64 bits.
    public static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let first = text.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        let hasSign = isNegative || first == UInt8(ascii: "+")
        let digits = text.dropFirst(hasSign ? 1 : 0)
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            let digit = byte &- 48
            guard digit < 10 else { return nil }
            // Accumulates negative values, because the least integer has no positive counterpart.
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, underflow) = product.subtractingReportingOverflow(Int64(digit))
            guard !overflow, !underflow else { return nil }
            value = difference
        }
        guard !isNegative else { return value }
        return value == .min ? nil : -value
    }

    /// Reads a decimal double: `80`, `80.0`, `-.5` or `1e-7`, and also `inf` and `-inf` in exactly this form.
    ///
    /// The result is the double nearest to the number.
    ///
    /// - Returns: The double; nil for any other text, such as `nan`, `0x1p3` or a number with spaces around it,
    ///   and for a number too large for a double.
    public static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        var scanner = DecimalScanner(text)
        guard scanner.scan() else {
            if text.elementsEqual("inf".utf8) { return .infinity }
            if text.elementsEqual("-inf".utf8) { return -.infinity }
            return nil
        }
        if let exact = scanner.exactDouble { return exact }
        guard let double = Double(String(decoding: text, as: UTF8.self)), double.isFinite else { return nil }
        return double
    }

    /// The shortest text that reads back as the same double.
    ///
    /// - Returns: What Swift prints: `80.0`, `1e-07`, `inf`.
    public static func text(_ double: Double) -> String { double.description }

    /// Writes an integer to memory with room for 20 bytes.
    ///
    /// - Returns: How many bytes were written.
    static func write(_ integer: Int64, to start: UnsafeMutableRawPointer) -> Int {
        let isNegative = integer < 0
        if isNegative { start.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
        return (isNegative ? 1 : 0) + write(integer.magnitude, to: start + (isNegative ? 1 : 0))
    }

    private static func write(_ magnitude: UInt64, to start: UnsafeMutableRawPointer) -> Int {
        var count = 1
        var rest = magnitude / 10
        while rest > 0 {
            count += 1
            rest /= 10
        }
        rest = magnitude
        for offset in stride(from: count - 1, through: 0, by: -1) {
            start.storeBytes(
                of: UInt8(truncatingIfNeeded: 48 + rest % 10), toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
        return count
    }

    /// Writes the shortest text of a double to memory with room for 32 bytes.
    ///
    /// Whole numbers and tenths, which most amounts are, take a fast path: with at most one digit after the
    /// point, no text is shorter.
    ///
    /// - Returns: How many bytes were written.
    static func write(_ double: Double, to start: UnsafeMutableRawPointer) -> Int {
        let tenths = double * 10
        if tenths.magnitude < 1e15, tenths.rounded(.towardZero) == tenths, double != 0, tenths / 10 == double
        {
            let (whole, digit) = UInt64(tenths.magnitude).quotientAndRemainder(dividingBy: 10)
            var count = 0
            if double < 0 {
                start.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
                count = 1
            }
            count += write(whole, to: start + count)
            start.storeBytes(of: UInt8(ascii: "."), toByteOffset: count, as: UInt8.self)
            start.storeBytes(
                of: UInt8(truncatingIfNeeded: 48 + digit), toByteOffset: count + 1, as: UInt8.self)
            return count + 2
        }
        var text = double.description
        return text.withUTF8 { bytes in
            UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
            return bytes.count
        }
    }
}

/// Scans a decimal floating-point number, and converts it if it is short enough to be exact.
private struct DecimalScanner {
    private let text: UnsafeRawBufferPointer
    private var position = 0
    private var isNegative = false
    /// The digits without point and sign, as far as they fit.
    private var significand: UInt64 = 0
    private var isExact = true
    private var exponent = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// Whether the whole text is a decimal number.
    mutating func scan() -> Bool {
        isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        var count = scanDigits()
        if take(UInt8(ascii: ".")) {
            let fraction = scanDigits()
            count += fraction
            exponent = -fraction
        }
        guard count > 0 else { return false }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            // Exponents are rare, so the standard library converts them.
            isExact = false
            if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
            guard scanDigits() > 0 else { return false }
        }
        return position == text.count
    }

    /// The double, if a single operation yields it exactly.
    ///
    /// If both the digits and the power of ten are exact doubles, one division rounds correctly
    /// (W. D. Clinger, "How to read floating point numbers accurately").
    var exactDouble: Double? {
        guard isExact, significand <= UInt64(1) << 53, exponent >= -22 else { return nil }
        let double = Double(significand) / Self.powersOfTen[-exponent]
        return isNegative ? -double : double
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func scanDigits() -> Int {
        let start = position
        while position < text.count, case let digit = text[position] &- 48, digit < 10 {
            if significand < UInt64(1) << 56 {
                significand = significand * 10 + UInt64(digit)
            } else {
                isExact = false
            }
            position += 1
        }
        return position - start
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
        1e19, 1e20, 1e21, 1e22,
    ]
}
