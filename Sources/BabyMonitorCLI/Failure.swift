import ArgumentParser
import BabyMonitor
import Switchyard
import SwitchyardCSV
import SwitchyardIntents

/// How the command ends.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
}

/// An error as the command shows it.
struct Failure {
    let paragraph: String
    let status: ExitStatus

    init(_ error: any Error) {
        switch error {
        case let error as StoreError:
            paragraph = "babymonitor: \(error.sentence)"
            status = error.code == .configuration ? .usage : .failed
        case let error as IntentError:
            paragraph = "babymonitor: \(error.explanation)"
            status = .failed
        case let error as CSVError:
            paragraph = "babymonitor: \(error)"
            status = .failed
        case let error as BabyMonitorError:
            paragraph = "babymonitor: \(error.message)"
            status = .failed
        case let error as ImportRefusal:
            paragraph = "babymonitor: \(error)"
            status = .failed
        default:
            // Help and version come as errors too, with an exit code of success.
            switch BabyMonitorCommand.exitCode(for: error) {
            case .success: (paragraph, status) = ("", .done)
            case .validationFailure:
                (paragraph, status) = (BabyMonitorCommand.fullMessage(for: error), .usage)
            default: (paragraph, status) = ("babymonitor: \(error)", .failed)
            }
        }
    }
}

extension StoreError {
    /// The message with the place that it is about, without the code, which is for programs.
    fileprivate var sentence: String {
        let place = [entity, attribute].compactMap(\.self).joined(separator: ".")
        return place.isEmpty ? message : "\(message) (\(place))"
    }
}
