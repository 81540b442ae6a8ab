import Foundation
import SwitchyardCSV
import SwitchyardConformance
import SwitchyardCore
import Testing

@Suite("Times as text")
struct ISO8601Tests {
    @Test(
        "times are read to the microsecond",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2025-11-06T18:34:39.946Z", 1_762_454_079_946_000),
            ("2025-11-06T18:34:39Z", 1_762_454_079_000_000),
            ("2025-11-06t18:34:39.9z", 1_762_454_079_900_000),
            ("2025-11-06 18:34:39.946123Z", 1_762_454_079_946_123),
            ("2025-11-07T03:34:39.946+09:00", 1_762_454_079_946_000),
            ("2025-11-07T03:34:39.946+0900", 1_762_454_079_946_000),
            ("2025-11-06T13:04:39-05:30", 1_762_454_079_000_000), ("1970-01-01T00:00:00-00:00", 0),
            ("1970-01-01T23:59:00+23:59", 0), ("1969-12-31T23:59:59.999999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000), ("1900-03-01T00:00:00Z", -2_203_891_200_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
            ("0001-01-01T01:00:00+01:00", -62_135_596_800_000_000),
        ] as [(String, Int64)])
    func reading(_ text: String, _ expected: Int64) {
        #expect(ISO8601.microseconds(text) == expected)
    }

    @Test(
        "digits beyond the microsecond are rounded to the nearest one",
        arguments: [
            (".0000004Z", 0), (".0000005Z", 1), (".0000014999Z", nil), (".000001499Z", 1), (".000001500Z", 2),
            (".9999994Z", 999_999), (".9999995Z", 1_000_000), (".999999999Z", 1_000_000), (".12Z", 120_000),
            (".1234567Z", 123_457), (".12345678Z", 123_457),
        ] as [(String, Int64?)])
    func rounding(_ fraction: String, _ expected: Int64?) {
        #expect(ISO8601.microseconds("1970-01-01T00:00:00" + fraction) == expected)
    }

    @Test(
        "text that is not an ISO 8601 time is refused",
        arguments: [
            "", "x", "2025-11-06", "2025-11-06T18:34Z", "2025-11-06T18:34:39", "2025-13-06T18:34:39Z",
            "2025-00-06T18:34:39Z",
            "2025-02-30T18:34:39Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-11-00T18:34:39Z",
            "2025-11-31T18:34:39Z",
            "2025-11-06T24:00:00Z", "2025-11-06T18:60:39Z", "2016-12-31T23:59:60Z", "2025-11-06T18:34:39.Z",
            "2025-11-06T18:34:39,946Z", "2025-11-06T18:34:39.1234567890Z", "2025-11-06T18:34:39.946ZZ",
            "2025-11-06T18:34:39.946 Z", " 2025-11-06T18:34:39Z", "2025-11-06T18:34:39Z ",
            "2025-11-06T18:34:39+09",
            "2025-11-06T18:34:39+9:00", "2025-11-06T18:34:39+24:00", "2025-11-06T18:34:39+09:60",
            "2025-11-06T18:34:39+09-00",
            "2025-11-06T18:34:39+09:000", "2025-11-06T18:34:39~09:00", "2025/11/06T18:34:39Z",
            "2025-11-06_18:34:39Z",
            "2025-11-06T18.34.39Z", "+025-11-06T18:34:39Z", "2025-1a-06T18:34:39Z", "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.9999995Z", "9999-12-31T23:59:59-00:01",
            "12025-11-06T18:34:39Z",
            "２025-11-06T18:34:39Z", "2025-11-06T18:34:39\u{0}", "20251106T183439Z0000",
            "2025-11-06T18:34:3\u{2F}Z",
            "2025-11-06T18:34:3:Z",
        ])
    func refused(_ text: String) {
        #expect(ISO8601.microseconds(text) == nil)
    }

    @Test(
        "a time without a zone is read from the clocks of a zone",
        arguments: [
            ("2025-11-06 18:34", 1_762_450_440_000_000), ("2025-11-06T18:34:00,5", 1_762_450_440_500_000),
            ("2025-11-06T18:34:00Z", nil), ("2025-11-06", nil), ("9999-12-31T23:59", 253_402_297_140_000_000),
            ("0001-01-01T00:00", nil),
        ] as [(String, Int64?)])
    func clocks(_ text: String, _ expected: Int64?) throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let result = try Array(text.utf8).withUnsafeBytes { bytes in
            try ISO8601.microseconds(bytes, in: berlin)
        }
        #expect(result == expected)
    }

    @Test("a time that clocks show twice is read as declared, and one that they skip is refused")
    func changesOfClocks() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        func read(_ text: String, _ repeated: RepeatedTime) throws -> Int64? {
            try Array(text.utf8).withUnsafeBytes { bytes in
                try ISO8601.microseconds(bytes, in: berlin, repeated: repeated)
            }
        }
        #expect(try read("2025-10-26 02:30", .first) == 1_761_438_600_000_000)
        #expect(try read("2025-10-26 02:30", .second) == 1_761_442_200_000_000)
        #expect(throws: ISO8601.ClockFault.repeated) { try read("2025-10-26 02:30", .refused) }
        #expect(throws: ISO8601.ClockFault.skipped) { try read("2025-03-30 02:30", .first) }
    }

    @Test("every prefix and one-byte change of a time is read or refused, without a trap")
    func damaged() {
        let text = Array("2025-11-07T03:34:39.946123456+09:00".utf8)
        for count in 0..<text.count {
            let result = text[..<count].withUnsafeBytes { ISO8601.microseconds($0) }
            // Cut behind the minutes of an offset without a colon there would still be a time; here there is
            // one.
            #expect(result == nil)
        }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var damaged = text
                damaged[index] = byte
                let result = damaged.withUnsafeBytes { ISO8601.microseconds($0) }
                if let result { #expect(Timestamp.range.contains(result)) }
            }
        }
    }

    @Test(
        "ISO 8601 times are written in UTC with milliseconds, rounded down",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_762_454_079_946_000, "2025-11-06T18:34:39.946Z"),
            (1_762_454_079_946_999, "2025-11-06T18:34:39.946Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999Z"),
            (951_782_399_999_999, "2000-02-28T23:59:59.999Z"),
        ] as [(Int64, String)])
    func milliseconds(_ microseconds: Int64, _ expected: String) {
        #expect(ISO8601.text(microseconds, precision: .milliseconds) == expected)
    }

    @Test(
        "exact times have three digits, or six if three do not suffice",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_762_454_079_946_000, "2025-11-06T18:34:39.946Z"),
            (1_762_454_079_946_120, "2025-11-06T18:34:39.946120Z"), (1, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func exact(_ microseconds: Int64, _ expected: String) {
        #expect(ISO8601.text(microseconds, precision: .exact) == expected)
    }

    @Test("a time outside the years 1 to 9999 has no text")
    func outside() {
        for microseconds in [.min, Timestamp.range.lowerBound - 1, Timestamp.range.upperBound + 1, .max] {
            #expect(ISO8601.text(microseconds, precision: .exact) == nil)
        }
    }

    @Test("generated times survive writing and reading, and agree with Foundation")
    func generated() throws {
        var (generator, seed) = SeededGenerator.announced("ISO8601Tests.generated")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        for round in 0..<2000 {
            let microseconds = Int64.random(in: Timestamp.range, using: &generator)
            let text = try #require(ISO8601.text(microseconds, precision: .exact))
            #expect(ISO8601.microseconds(text) == microseconds, "Seed \(seed), round \(round)")
            let seconds = (microseconds - (microseconds % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000
            // Foundation goes over to the Julian calendar before 1582.
            guard seconds >= -12_219_292_800 else { continue }
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(text.prefix(19) + "Z" == date.formatted(style), "Seed \(seed), round \(round)")
        }
    }
}
