import Foundation
import SwitchyardCore
import Testing

@Suite("Times by the clocks of a zone")
struct LocalClockTests {
    private func moment(_ text: String, _ zone: String, _ repeated: RepeatedTime = .refused) throws -> Int64 {
        let clock = LocalClock(try #require(TimeZone(identifier: zone)), repeated: repeated)
        return try clock.microseconds(try #require(ISO8601Time(text)))
    }

    @Test(
        "local times map to moments around each clock change, to the microsecond",
        arguments: [
            ("2026-07-01T12:00:00", "Europe/Berlin", 1_782_900_000_000_000),
            ("2026-03-29T01:59:59.999999", "Europe/Berlin", 1_774_745_999_999_999),
            ("2026-03-29T03:00:00", "Europe/Berlin", 1_774_746_000_000_000),
            ("2026-10-25T01:59:59", "Europe/Berlin", 1_792_886_399_000_000),
            ("2026-10-25T03:00:00", "Europe/Berlin", 1_792_893_600_000_000),
            ("2026-11-01T00:59:59", "America/New_York", 1_793_509_199_000_000),
            ("2026-11-01T02:00:00", "America/New_York", 1_793_516_400_000_000),
            // A zone that went over to the other side of the date line.
            ("2011-12-29T12:00:00", "Pacific/Apia", 1_325_196_000_000_000),
            ("2011-12-31T12:00:00", "Pacific/Apia", 1_325_282_400_000_000),
            ("1969-12-31T23:59:59.5", "GMT", -500_000),
        ] as [(String, String, Int64)])
    func moments(text: String, zone: String, microseconds: Int64) throws {
        #expect(try moment(text, zone) == microseconds)
    }

    @Test(
        "local times shown twice are refused, or the first or the second by choice, east and west of Greenwich",
        arguments: [
            ("2026-10-25T02:30:00", "Europe/Berlin", 1_792_888_200_000_000),
            ("2026-10-25T02:00:00", "Europe/Berlin", 1_792_886_400_000_000),
            ("2026-11-01T01:30:00", "America/New_York", 1_793_511_000_000_000),
            ("2026-11-01T01:59:59", "America/New_York", 1_793_512_799_000_000),
            ("2026-10-25T01:30:00", "Europe/London", 1_792_888_200_000_000),
        ] as [(String, String, Int64)])
    func repeated(text: String, zone: String, first: Int64) throws {
        #expect(throws: LocalClock.Fault.repeated) { try moment(text, zone) }
        #expect(try moment(text, zone, .first) == first)
        #expect(try moment(text, zone, .second) == first + 3_600_000_000)
    }

    @Test(
        "skipped local times are refused, whatever is chosen",
        arguments: [
            ("2026-03-29T02:30:00", "Europe/Berlin"), ("2026-03-08T02:00:00", "America/New_York"),
            ("2011-12-30T12:00:00", "Pacific/Apia"),
        ])
    func skipped(text: String, zone: String) {
        for repeated in RepeatedTime.allCases {
            #expect(throws: LocalClock.Fault.skipped) { try moment(text, zone, repeated) }
        }
    }
}
