import SwitchyardCore
import Testing

@Suite("A time as ISO 8601 writes it")
struct ISO8601TimeTests {
    @Test(
        "an ISO 8601 time is read in parts, whatever is left out",
        arguments: [
            ("1970-01-02", 0, nil, false), ("1970-01-02T08:30", 30_600_000_000, nil, false),
            ("1970-01-02 08:30:01", 30_601_000_000, nil, false),
            ("1970-01-02t08:30:01,25", 30_601_250_000, nil, false),
            ("1970-01-02T08:30Z", 30_600_000_000, 0, false),
            ("1970-01-02T08:30:01z", 30_601_000_000, 0, true),
            ("1970-01-02T08:30:01.25+01:30", 30_601_250_000, 5400, true),
            ("1970-01-02T08:30:01-0130", 30_601_000_000, -5400, true),
            ("1970-01-02T08:30:01+01", 30_601_000_000, 3600, false),
            ("1970-01-02T08:30:01,25Z", 30_601_250_000, 0, false),
            ("1970-01-02T08:30:01.1234567890Z", 30_601_123_457, 0, false),
            ("1970-01-02T23:59:59.9999999Z", 86_400_000_000, 0, true),
        ] as [(String, Int, Int?, Bool)])
    func parts(text: String, microseconds: Int, offset: Int?, isFull: Bool) throws {
        let time = try #require(ISO8601Time(text))
        #expect(time.day.daysSince1970 == 1)
        #expect(time.microseconds == microseconds)
        #expect(time.offset == offset)
        #expect(time.isFull == isFull)
    }

    @Test(
        "text in other forms is not an ISO 8601 time",
        arguments: [
            "", "1970-01-0", "1970-02-30", "1970-01-02T", "1970-01-02T08", "1970-01-02T08:3",
            "1970-01-02T08:30:",
            "1970-01-02T08:30:0", "1970-01-02T08:30:61", "1970-01-02T24:00", "1970-01-02T08:30:01.",
            "1970-01-02T08:30:01.Z", "1970-01-02T08:30.5Z", "1970-01-02T08:30+", "1970-01-02T08:30+01:",
            "1970-01-02T08:30+01:0", "1970-01-02T08:30+24", "1970-01-02T08:30+01-30", "1970-01-02T08:30ZZ",
            "1970-01-02Z", "1970-01-02+01:00",
        ])
    func refused(text: String) {
        #expect(ISO8601Time(text) == nil)
    }

    @Test("an ISO 8601 time is read or refused without a trap, cut anywhere and with any byte changed")
    func damaged() {
        let text = Array("2025-11-07T03:34:39.946+09:00".utf8)
        var latest: Int64 = 0
        for count in 0...text.count {
            let start = Array(text[..<count])
            // What is cut before the time, after the minutes, after the seconds and in the fraction is a time.
            let isTime = [10, 16, 19, 21, 22, 23, 26, 29].contains(count)
            #expect((start.withUnsafeBytes { ISO8601Time($0) } != nil) == isTime)
            for index in start.indices {
                for byte in UInt8.min...UInt8.max {
                    var damaged = start
                    damaged[index] = byte
                    let time = damaged.withUnsafeBytes { ISO8601Time($0) }
                    latest = max(latest, time?.microseconds ?? 0)
                }
            }
        }
        #expect(latest == 84_879_946_000)
    }
}
