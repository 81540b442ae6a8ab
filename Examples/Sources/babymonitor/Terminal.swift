import BabyMonitorKit
import Dispatch
import SwitchyardCommands
import SwitchyardCore
import SwitchyardIntents

extension Terminal {
    /// What answers an intent's questions: a person, if both standard input and standard error are a terminal.
    ///
    /// Questions go to standard error, so that standard output holds only the command's answer.
    static var interaction: any IntentInteraction {
        guard isInteractive else { return NoInteraction() }
        return TextInteraction(
            readLine: {
                await withCheckedContinuation { continuation in
                    // The read may block for long, so it gets a thread of its own.
                    DispatchQueue(label: "babymonitor.answer").async {
                        continuation.resume(returning: Swift.readLine())
                    }
                }
            },
            write: { writeError($0) })
    }

    /// A number of events of the history.
    static func count(_ number: Int, of kind: HistoryCSVKind) -> String {
        switch kind {
        case .feeds: count(number, "feed", "feeds")
        case .diapers: count(number, "diaper change", "diaper changes")
        }
    }
}
