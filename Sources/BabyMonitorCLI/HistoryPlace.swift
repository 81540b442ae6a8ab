import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard

/// A place in the store's history on the command line: a time, a day, or a token, as `store history --json` prints one
/// with each change.
enum HistoryPlace {
    case time(TimeText)
    case token(HistoryToken)

    /// Reads one of the forms.
    ///
    /// - Throws: `ValidationError`, to which the parser adds the option's help.
    init(_ text: String) throws {
        guard text.hasPrefix("{") else {
            self = .time(try TimeText(text))
            return
        }
        guard let token = try? JSONDecoder().decode(HistoryToken.self, from: Data(text.utf8)) else {
            throw ValidationError("That is no token of a history.")
        }
        self = .token(token)
    }

    /// The token; nil for a time.
    var token: HistoryToken? { if case .token(let token) = self { token } else { nil } }

    /// The time, according to the app's settings; nil for a token.
    func time(_ settings: @autoclosure () throws -> AppSettings) throws -> Date? {
        if case .time(let time) = self { try time.start(try settings()) } else { nil }
    }
}
