public import Foundation
public import SwitchyardAppGroup

/// The user's settings, in the app group's defaults, under the app's keys.
public struct AppSettings: Sendable {
    private let defaults: AppGroupDefaults

    /// The keys of the settings, shared with the app.
    public enum Key {
        /// The hour at which a day of the history begins.
        public static let startOfDayHour = "startOfDayHour"
        /// The minute at which a day of the history begins.
        public static let startOfDayMinute = "startOfDayMinute"
    }

    /// Creates settings stored in an app group's defaults.
    public init(_ defaults: AppGroupDefaults) { self.defaults = defaults }

    /// How the history is divided into days; they begin at seven unless the user has chosen another time.
    ///
    /// - Throws: `StoreError` if the defaults cannot be read, `BabyMonitorError` with code `invalidTimeOfDay`
    ///   if they hold an invalid time.
    public func historyDay(timeZone: TimeZone) throws -> HistoryDay {
        let standard = HistoryDay(timeZone: timeZone)
        return try HistoryDay(
            startHour: try defaults.integer(Key.startOfDayHour) ?? standard.startHour,
            startMinute: try defaults.integer(Key.startOfDayMinute) ?? standard.startMinute,
            timeZone: timeZone)
    }

    /// Sets when the days of the history begin.
    ///
    /// - Throws: `StoreError` if the defaults cannot be written.
    public func setHistoryDay(_ day: HistoryDay) throws {
        try defaults.set(day.startHour, for: Key.startOfDayHour)
        try defaults.set(day.startMinute, for: Key.startOfDayMinute)
    }
}
