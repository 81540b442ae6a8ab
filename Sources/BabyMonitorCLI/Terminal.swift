import BabyMonitor
import Dispatch
import SwitchyardCommands
import SwitchyardCore
import SwitchyardIntents

extension Terminal {
    /// Answers an intent's questions: the person at the terminal, or nobody if there is none.
    ///
    /// Questions go to standard error, so that standard output holds only the command's answer.
    static var interaction: any IntentInteraction {
        guard isInteractive else { return NoInteraction() }
        return TextInteraction(
            readLine: {
                await withCheckedContinuation { continuation in
                    DispatchQueue.ofOneThread.async { continuation.resume(returning: Swift.readLine()) }
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
