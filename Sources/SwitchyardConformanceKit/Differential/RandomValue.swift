internal import Foundation
internal import Switchyard
package import SwitchyardCore

/// Draws values for rows and conditions: few of each type, so that equal ones occur, including those that backends are
/// known to treat differently.
package enum RandomValue {
    static func make(_ type: AttributeType, using generator: inout SeededGenerator) -> StoredValue {
        switch type {
        case .bool: .bool(generator.oneIn(2))
        case .int: .int(generator.pick([.min, -3, -1, 0, 1, 2, 3, 7, .max]))
        case .double: .double(generator.pick(doubles))
        case .decimal: .decimal(generator.pick(decimals))
        case .text: .text(generator.pick(texts))
        case .blob: .blob(generator.pick(blobs))
        case .uuid: .uuid(generator.pick(uuids))
        case .timestamp: .timestamp(generator.pick(timestamps))
        case .day: .day(generator.pick(days))
        case .json:
            .json(
                generator.pick([
                    "{}", "[1,2]", "[ 1.0,\t2e0 ]", "\"é\"", "\"\\u00e9\"", "null", "{\"a\":[true]}",
                ]))
        }
    }

    /// A value for an attribute, rarely one outside its domain.
    package static func make(for attribute: Attribute, using generator: inout SeededGenerator) -> StoredValue
    {
        var value = make(attribute.type, using: &generator)
        guard let domain = attribute.domain, !generator.oneIn(20) else { return value }
        // Every domain contains some of the values below, so this ends soon.
        while !domain.contains(value) { value = make(attribute.type, using: &generator) }
        return value
    }

    // The last five are at the limits of single precision, and just beyond.
    private static let doubles: [Double] = [
        -.infinity, -1e300, -2.5, -1, 0, .leastNonzeroMagnitude, 0.1, 0.2, 0.3, 1, 2.5,
        9_007_199_254_740_992.0,
        1e300,
        .infinity, 16_777_217, 0x1p-149, 0x1p-150, 0x1.fffffep127, 0x1p128,
    ]

    private static let decimals: [Decimal] = [
        "-99999999999999999999999999999999999999", "-10", "-9.5", "0", "0.1",
        "0.10000000000000000000000000001", "9", "10",
        "123456789.987654321",
    ].compactMap { Decimal(string: $0) }

    static let texts = [
        "", " ", "a", "A", "b", "aa", "ab", "a_b", "a%b", "a\\b", "a'b", "a\"b", "é", "e\u{301}", "É", "ß",
        "ss", "İ", "ı", "i",
        "Ωmega", "日本", "😀", "\u{FFFD}", "\u{10FFFF}", "line\nbreak", "tab\t", "null", "0", "10", "9",
    ]

    private static let blobs: [Data] = [
        Data(), Data([0]), Data([0, 0]), Data([1]), Data([0x7F]), Data([0x80]), Data([0xFF, 0]), Data([0xFF]),
    ]

    static let uuids: [UUID] = (0..<12).compactMap { index in
        UUID(
            uuidString:
                "\(index % 2 == 0 ? "0" : "F")\(String(index, radix: 16))000000-0000-7000-8000-000000000000")
    }

    private static let timestamps: [Int64] = [
        Timestamp.range.lowerBound, -Timestamp.microsecondsPerDay - 1, -1, 0, 1, 999_999,
        1_700_000_000_123_456 as Int64, 1_700_006_400_000_000 as Int64,
        Timestamp.range.upperBound,
    ]

    private static let days: [CalendarDay] = [
        "0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31",
    ]
    .compactMap { CalendarDay($0) }
}
