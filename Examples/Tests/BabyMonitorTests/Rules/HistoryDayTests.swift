import BabyMonitorKit
import Foundation
import SwitchyardCore
import Testing

@Suite("A day of the history")
struct HistoryDayTests {
    private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    @Test(
        "a day of the history begins at seven",
        arguments: [
            ("2025-11-06T06:59:59Z", "2025-11-05"), ("2025-11-06T06:59:59.999Z", "2025-11-05"),
            ("2025-11-06T07:00:00Z", "2025-11-06"), ("2025-11-06T23:59:59Z", "2025-11-06"),
            ("2025-11-07T00:00:00Z", "2025-11-06"), ("2025-03-01T03:00:00Z", "2025-02-28"),
            ("2024-03-01T03:00:00Z", "2024-02-29"), ("2025-01-01T06:00:00Z", "2024-12-31"),
        ])
    func seven(text: String, day: String) {
        #expect(HistoryDay(timeZone: .gmt).day(containing: time(text)) == CalendarDay(day))
    }

    @Test(
        "a day of the history is nil for a time that no store can hold",
        arguments: [
            -Double.infinity, -1e300, -1e15, -62_135_596_801, 253_402_300_800, 1e15, 1e300, .infinity, .nan,
        ])
    func outside(seconds: Double) throws {
        for zone in [TimeZone.gmt, try zone("Asia/Seoul")] {
            #expect(HistoryDay(timeZone: zone).day(containing: Date(timeIntervalSince1970: seconds)) == nil)
        }
    }

    @Test("a day of the history is found up to both ends of the calendar")
    func ends() {
        let day = HistoryDay(timeZone: .gmt)
        #expect(day.day(containing: Date(timeIntervalSince1970: -62_135_596_800)) == nil)
        #expect(
            day.day(containing: Date(timeIntervalSince1970: -62_135_571_600)) == CalendarDay("0001-01-01"))
        #expect(
            day.day(containing: Date(timeIntervalSince1970: 253_402_300_799)) == CalendarDay("9999-12-31"))
    }

    @Test("a day of the history follows the clocks of the zone")
    func zones() throws {
        let seoul = HistoryDay(timeZone: try zone("Asia/Seoul"))
        #expect(seoul.day(containing: time("2025-11-05T21:59:59Z")) == CalendarDay("2025-11-05"))
        #expect(seoul.day(containing: time("2025-11-05T22:00:00Z")) == CalendarDay("2025-11-06"))
        #expect(seoul.start(of: try #require(CalendarDay("2025-11-06"))) == time("2025-11-05T22:00:00Z"))
    }

    @Test("a day of the history can begin at any time of day")
    func chosen() throws {
        let midnight = try HistoryDay(startHour: 0, startMinute: 0, timeZone: .gmt)
        #expect(midnight.day(containing: time("2025-11-06T00:00:00Z")) == CalendarDay("2025-11-06"))
        let late = try HistoryDay(startHour: 23, startMinute: 59, timeZone: .gmt)
        #expect(late.day(containing: time("2025-11-06T23:58:59Z")) == CalendarDay("2025-11-05"))
        #expect(late.day(containing: time("2025-11-06T23:59:00Z")) == CalendarDay("2025-11-06"))
    }

    @Test(
        "a day of the history cannot begin at a time that no clock shows",
        arguments: [(24, 0), (-1, 0), (7, 60), (7, -1)])
    func impossible(hour: Int, minute: Int) {
        #expect { try HistoryDay(startHour: hour, startMinute: minute, timeZone: .gmt) } throws: { error in
            (error as? BabyMonitorError)?.code == .invalidTimeOfDay
        }
    }

    @Test("a day of the history is an hour shorter or longer when clocks change")
    func daylightSaving() throws {
        let berlin = HistoryDay(timeZone: try zone("Europe/Berlin"))
        let spring = try #require(CalendarDay("2025-03-29"))
        #expect(berlin.start(of: spring) == time("2025-03-29T06:00:00Z"))
        #expect(berlin.start(of: try #require(CalendarDay("2025-03-30"))) == time("2025-03-30T05:00:00Z"))
        #expect(berlin.start(of: try #require(CalendarDay("2025-10-26"))) == time("2025-10-26T06:00:00Z"))
    }

    @Test("a day of the history begins at the clock change that skips its start")
    func gap() throws {
        let berlin = try HistoryDay(startHour: 2, startMinute: 30, timeZone: zone("Europe/Berlin"))
        let day = try #require(CalendarDay("2025-03-30"))
        #expect(berlin.start(of: day) == time("2025-03-30T01:00:00Z"))
        #expect(berlin.day(containing: time("2025-03-30T00:59:59Z")) == CalendarDay("2025-03-29"))
        #expect(berlin.day(containing: time("2025-03-30T01:00:00Z")) == CalendarDay("2025-03-30"))
    }

    @Test("a day of the history begins once when clocks show its start twice")
    func overlap() throws {
        let berlin = try HistoryDay(startHour: 2, startMinute: 30, timeZone: zone("Europe/Berlin"))
        let day = try #require(CalendarDay("2025-10-26"))
        #expect(berlin.start(of: day) == time("2025-10-26T00:30:00Z"))
        #expect(berlin.day(containing: time("2025-10-26T00:29:59Z")) == CalendarDay("2025-10-25"))
        #expect(berlin.day(containing: time("2025-10-26T00:30:00Z")) == CalendarDay("2025-10-26"))
        // 02:10 again, after the clocks were set back: the day that has begun does not end.
        #expect(berlin.day(containing: time("2025-10-26T01:10:00Z")) == CalendarDay("2025-10-26"))
    }
}
