internal import ArgumentParser
internal import Foundation
internal import SwitchyardCore

/// A place in the store's history on the command line: a time, a day, or a token, as `store history --json` prints one
/// with each change.
enum HistoryPlace: Sendable {
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

    /// The time, as the app divides days; nil for a token.
    func time<App>(_ session: StoreSession<App>) throws -> Date? {
        if case .time(let time) = self { try time.start(session) } else { nil }
    }
}
