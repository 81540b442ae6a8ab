public import Foundation
public import SwitchyardAppGroup

/// What people have chosen, in the app group's defaults, under the keys of the app.
public struct AppSettings: Sendable {
    private let defaults: AppGroupDefaults

    /// The keys, by which the app knows the settings too.
    public enum Key {
        /// The hour at which a day of the history begins.
        public static let startOfDayHour = "startOfDayHour"
        /// The minute at which a day of the history begins.
        public static let startOfDayMinute = "startOfDayMinute"
    }

    /// Reads and writes an app group's defaults.
    public init(_ defaults: AppGroupDefaults) { self.defaults = defaults }

    /// The days of the history; they begin at seven unless somebody has chosen another time.
    ///
    /// - Throws: `StoreError` if the defaults cannot be read, `BabyMonitorError` with code `invalidTimeOfDay`
    ///   if they hold what no clock shows.
    public func historyDay(timeZone: TimeZone) throws -> HistoryDay {
        let standard = HistoryDay(timeZone: timeZone)
        return try HistoryDay(
            startHour: try defaults.integer(Key.startOfDayHour) ?? standard.startHour,
            startMinute: try defaults.integer(Key.startOfDayMinute) ?? standard.startMinute,
            timeZone: timeZone)
    }

    /// Chooses when the days of the history begin.
    ///
    /// - Throws: `StoreError` if the defaults cannot be written.
    public func setHistoryDay(_ day: HistoryDay) throws {
        try defaults.set(day.startHour, for: Key.startOfDayHour)
        try defaults.set(day.startMinute, for: Key.startOfDayMinute)
    }
}
