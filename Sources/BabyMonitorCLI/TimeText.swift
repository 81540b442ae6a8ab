import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard
import SwitchyardCSV

/// A moment on the command line: a time in ISO 8601, or a day, which begins when the history's day begins.
struct TimeText: ExpressibleByArgument {
    private enum Form {
        case moment(Date)
        case day(CalendarDay)
    }

    private let form: Form

    init?(argument: String) {
        if let day = CalendarDay(argument) {
            form = .day(day)
        } else if let microseconds = ISO8601.microseconds(argument) {
            form = .moment(Timestamp.date(microseconds: microseconds))
        } else {
            return nil
        }
    }

    /// The moment itself, or the first of the day, which the app's settings tell.
    func start(_ settings: @autoclosure () throws -> AppSettings) throws -> Date {
        switch form {
        case .moment(let date): date
        case .day(let day): try settings().historyDay(timeZone: .current).start(of: day)
        }
    }

    /// Times as people read them at a glance, in the system's zone.
    static func short(_ date: Date) -> String {
        date.formatted(Date.VerbatimFormatStyle.short)
    }

    /// A span as people read it at a glance.
    static func span(_ seconds: TimeInterval) -> String {
        let minutes = Int((max(0, seconds) / 60).rounded(.down))
        if minutes < 60 { return "\(minutes) min" }
        if minutes < 48 * 60 { return "\(minutes / 60) h \(minutes % 60) min" }
        return "\(minutes / (24 * 60)) days"
    }
}

extension Date.VerbatimFormatStyle {
    /// `2026-03-07 20:24`.
    fileprivate static var short: Self {
        Self(
            format:
                "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
            timeZone: .current, calendar: Calendar(identifier: .gregorian))
    }
}
