internal import SwitchyardCore

/// PostgreSQL's binary format of `numeric`: a sign, a weight and digits in base 10,000.
///
/// The value is the sum of `digit[i] × 10000^(weight − i)`. Source: `numeric_send` and `numeric_recv` in
/// PostgreSQL's `src/backend/utils/adt/numeric.c`.
enum WireNumeric {
    /// The maximum number of bytes that `text` writes.
    static let maximumTextBytes = 96
    private static let negative: UInt16 = 0x4000
    /// More base-10,000 digits than any number of 38 digits needs, however it is aligned.
    private static let maximumGroups = 11

    /// Appends plain decimal text (`-12.5`) in binary format, without its length.
    ///
    /// - Returns: False if the text is not such a number; the buffer then contains a part of it.
    static func append(_ text: UnsafeRawBufferPointer, to buffer: inout WireBuffer) -> Bool {
        var position = 0
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative { position = 1 }
        let wholeStart = position
        while position < text.count, isDigit(text[position]) { position += 1 }
        let wholeCount = position - wholeStart
        var fractionStart = position
        if position < text.count, text[position] == UInt8(ascii: ".") {
            fractionStart = position + 1
            position += 1
            while position < text.count, isDigit(text[position]) { position += 1 }
            guard position > fractionStart else { return false }
        }
        let fractionCount = position - fractionStart
        guard position == text.count, wholeCount > 0, wholeCount <= 4_096, fractionCount <= 4_096 else {
            return false
        }

        let wholeGroups = (wholeCount + 3) / 4
        let groups = wholeGroups + (fractionCount + 3) / 4
        /// The four decimal digits of a group, counted from the left; the text is padded with zeros on both sides.
        func group(_ index: Int) -> Int16 {
            var value: Int16 = 0
            for offset in 0..<4 {
                var digit: UInt8 = 48
                if index < wholeGroups {
                    let place = index * 4 + offset - (wholeGroups * 4 - wholeCount)
                    if place >= 0 { digit = text[wholeStart + place] }
                } else {
                    let place = (index - wholeGroups) * 4 + offset
                    if place < fractionCount { digit = text[fractionStart + place] }
                }
                value = value * 10 + Int16(digit - 48)
            }
            return value
        }
        var first = 0
        while first < groups, group(first) == 0 { first += 1 }
        var end = groups
        while end > first, group(end - 1) == 0 { end -= 1 }

        buffer.append(Int16(end - first))
        buffer.append(first == groups ? Int16(0) : Int16(wholeGroups - 1 - first))
        buffer.append(isNegative && first < groups ? negative : 0)
        buffer.append(Int16(fractionCount))
        for index in first..<end { buffer.append(group(index)) }
        return true
    }

    /// Writes the canonical text of a binary number: without an exponent or redundant zeros.
    ///
    /// - Parameters:
    ///   - bytes: The number as the server sends it.
    ///   - target: Memory of at least `maximumTextBytes`.
    /// - Returns: The number of bytes written; nil if the bytes are not a finite number of at most 38 digits.
    static func text(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Int? {
        guard bytes.count >= 8 else { return nil }
        func word(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        }
        let groups = Int(word(0))
        let weight = Int(Int16(bitPattern: word(1)))
        let sign = word(2)
        guard bytes.count == 8 + groups * 2, sign == 0 || sign == negative else { return nil }
        guard groups > 0 else {
            target.storeBytes(of: UInt8(ascii: "0"), as: UInt8.self)
            return 1
        }
        guard (-maximumGroups..<maximumGroups).contains(weight), groups <= maximumGroups else { return nil }

        var count = 0
        var digits = 0
        func put(_ byte: UInt8) {
            target.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
            count += 1
        }
        /// The base-10,000 digit at `10000^power`; leading and trailing zeros are not on the wire.
        func group(_ power: Int) -> UInt16 {
            let index = weight - power
            return index >= 0 && index < groups ? word(4 + index) : 0
        }
        for index in 0..<groups where word(4 + index) > 9_999 { return nil }

        if sign == negative { put(UInt8(ascii: "-")) }
        let wholeStart = count
        for power in stride(from: max(weight, 0), through: 0, by: -1) {
            let value = group(power)
            for divisor: UInt16 in [1_000, 100, 10, 1] {
                let digit = UInt8(value / divisor % 10)
                if digit != 0 || count > wholeStart || (power == 0 && divisor == 1) { put(48 + digit) }
            }
        }
        digits = count - wholeStart
        let lowest = weight - groups + 1
        if lowest < 0 {
            let point = count
            put(UInt8(ascii: "."))
            for power in stride(from: -1, through: lowest, by: -1) {
                let value = group(power)
                for divisor: UInt16 in [1_000, 100, 10, 1] { put(48 + UInt8(value / divisor % 10)) }
            }
            while target.load(fromByteOffset: count - 1, as: UInt8.self) == 48 { count -= 1 }
            if count == point + 1 { count = point }
            digits += max(0, count - point - 1)
        }
        return digits <= CanonicalDecimal.maximumDigits ? count : nil
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
}
