public import BabyMonitorKit
public import SwitchyardCommands
public import SwitchyardIntents

extension BabyMonitorError: @retroactive CommandError {
    /// The message.
    public var sentence: String { message }
    /// Whether the input is invalid, regardless of the store.
    public var isUsage: Bool { code == .invalidName || code == .invalidFeedTerm }
}

extension ImportRefusal: @retroactive CommandError {
    /// The invalid rows, and what to do.
    public var sentence: String {
        ([summary] + report.advice.map(\.sentence)
            + ["Correct the file, or give --skip-invalid to import the other rows."]).joined(separator: " ")
    }
}

extension StoreReactionFailure: @retroactive CommandError {
    /// The reaction that failed, and why.
    public var sentence: String {
        "The change was saved, but the command could not \(reaction): \(CommandProgram.sentence(of: underlying))"
    }
}

extension IntentError: @retroactive CommandError {
    /// The explanation, and how to add the first entity to a store without any.
    public var sentence: String {
        guard code == .notFound, choices.isEmpty else { return explanation }
        return switch parameter {
        case "eventType":
            "\(explanation) There are no event types yet; add one with: babymonitor event-type add NAME --emoji EMOJI"
        case "baby": "\(explanation) There are no babies yet; add one with: babymonitor baby add NAME"
        default: explanation
        }
    }

    /// Whether something is found or unique depends on the store, and a confirmation on a person; everything else is wrong usage.
    public var isUsage: Bool {
        ![.notFound, .needsDisambiguation, .needsConfirmation, .declined].contains(code)
    }
}
