internal import ArgumentParser
internal import Foundation
internal import SwitchyardCSV

/// The machine's time zone, by whose clocks people write and read times.
///
/// Foundation knows the variable TZ by the names of zones alone: for anything else that the system takes there, such as
/// the rule `EST5EDT,M3.2.0,M11.1.0`, it takes another zone in silence, and it reads `GMT+2` the other way round.
enum MachineZone {
    /// The zone of times that are given.
    ///
    /// - Throws: `ValidationError` if TZ cannot be read as the system reads it.
    static func required() throws -> TimeZone { try reading.get() }

    /// The zone of times that are shown: UTC, with a warning, if TZ cannot be read as the system reads it.
    static var shown: TimeZone {
        if case .success(let zone) = reading { return zone }
        _ = warning
        return .gmt
    }

    private static let reading = Result { () throws(ValidationError) in
        try zone(of: ProcessInfo.processInfo.environment["TZ"])
    }

    /// Warns when it is first read.
    private static let warning: Void = {
        if case .failure(let error) = reading {
            Terminal.writeError(
                "\(ProcessInfo.processInfo.processName): \(error.message) Until then, times are shown in UTC.\n"
            )
        }
    }()

    /// The zone that the variable stands for.
    private static func zone(of variable: String?) throws(ValidationError) -> TimeZone {
        guard let variable else { return .current }
        if variable.isEmpty { return .gmt }
        // A fixed zone, such as `JST-9` or `<+03>-3`: hours west of Greenwich (POSIX.1-2017, 8.3).
        let fixed = /(?:<[A-Za-z0-9+\-]{3,}>|[A-Za-z]{3,})([+\-]?)([0-9]{1,2})(?::([0-9]{2}))?/
        if let match = variable.wholeMatch(of: fixed), let hours = Int(match.2) {
            let seconds = hours * 3600 + (match.3.flatMap { Int($0) } ?? 0) * 60
            if let zone = TimeZone(secondsFromGMT: match.1 == "-" ? seconds : -seconds) { return zone }
        }
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        guard let zone = TimeZone(identifier: name), isTheSystems(zone) else {
            throw ValidationError(
                "The variable TZ holds '\(Excerpt.of(variable))', which is not read as the name of a time zone. Set it to "
                    + "one, such as America/New_York, or unset it.")
        }
        return zone
    }

    /// Whether the C library, which knows all forms of TZ, has the same clocks all through this year.
    private static func isTheSystems(_ zone: TimeZone) -> Bool {
        tzset()
        let now = Date.now.timeIntervalSince1970
        return (0..<12).allSatisfy { month in
            let moment = Date(timeIntervalSince1970: now + Double(month) * 30 * 86_400)
            var (seconds, parts) = (time_t(moment.timeIntervalSince1970), tm())
            return localtime_r(&seconds, &parts) != nil && parts.tm_gmtoff == zone.secondsFromGMT(for: moment)
        }
    }
}
