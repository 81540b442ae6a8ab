import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard
import SwitchyardIntents

/// A point in time on the command line: a time with a zone or in the system's zone, or a day, which begins when
/// the history's day begins.
struct TimeText {
    /// The accepted forms, for help.
    static let forms =
        "2026-11-19, '2026-11-19 10:00' or 2026-11-19T10:00:30 by the clock here, or 2026-11-19T10:00:00Z with its zone"

    private enum Form {
        case moment(Date)
        case day(CalendarDay)
    }

    private let form: Form

    /// Reads one of the forms.
    ///
    /// - Throws: `ValidationError`, to which the parser adds the option's help; also for a time without a zone that the
    ///   machine's clocks show twice or never, or whose zone cannot be read.
    init(_ text: String) throws {
        if let day = CalendarDay(text) {
            form = .day(day)
            return
        }
        do {
            guard let date = try DateText.date(text, timeZone: { try MachineZone.required() }) else {
                throw ValidationError("That is neither a time nor a day.")
            }
            form = .moment(date)
        } catch let error as DateText.UnclearTime {
            throw ValidationError(error.description)
        }
    }

    /// The time itself, or the first moment of the day, according to the app's settings.
    func start(_ settings: @autoclosure () throws -> AppSettings) throws -> Date {
        switch form {
        case .moment(let date): date
        case .day(let day): try settings().historyDay(timeZone: MachineZone.required()).start(of: day)
        }
    }

    /// A short form of a time, in the system's zone.
    static func short(_ date: Date) -> String {
        date.formatted(Date.VerbatimFormatStyle.short)
    }

    /// A short form of a time span.
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
            timeZone: MachineZone.shown, calendar: Calendar(identifier: .gregorian))
    }
}
