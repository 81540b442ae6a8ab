internal import ArgumentParser
public import Foundation
internal import SwitchyardCore
internal import SwitchyardIntents

/// A point in time on the command line: a time with a zone or in the system's zone, or a day, which begins when
/// the app's day begins.
public struct TimeText: Sendable {
    /// The accepted forms, for help.
    public static let forms =
        "2026-11-19, '2026-11-19 10:00' or 2026-11-19T10:00:30 by the clock here, or 2026-11-19T10:00:00Z with its zone"

    private enum Form: Sendable {
        case moment(Date)
        case day(CalendarDay)
    }

    private let form: Form

    /// Reads one of the forms.
    ///
    /// - Throws: `ValidationError`, to which the parser adds the option's help; also for a time without a zone that the
    ///   machine's clocks show twice or never, or whose zone cannot be read.
    public init(_ text: String) throws {
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

    /// The time itself, or the first moment of the day, as the app divides days.
    ///
    /// - Throws: `ValidationError` if the machine's time zone is needed and cannot be read; what the app throws.
    public func start<App>(_ session: StoreSession<App>) throws -> Date {
        switch form {
        case .moment(let date): date
        case .day(let day): try App.start(of: day, in: MachineZone.required(), session)
        }
    }

    /// A short form of a time, in the system's zone.
    public static func short(_ date: Date) -> String {
        date.formatted(Date.VerbatimFormatStyle.short)
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
