import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import SwitchyardIntents
import SwitchyardJSON

/// The command's exit status.
enum ExitStatus: Int32 {
    case done = 0
    /// The work failed because of the state of the store, the files or the server.
    case failed = 1
    /// The command was called incorrectly, whatever the store holds.
    case usage = 2
}

/// An error as the command reports it.
struct Failure {
    let paragraph: String
    let status: ExitStatus

    init(_ error: any Error) {
        if let sentence = Self.sentence(error) {
            (paragraph, status) = (Self.paragraph(sentence), Self.isUsage(error) ? .usage : .failed)
            return
        }
        // Help and version are thrown as errors too, with an exit code of success.
        switch BabyMonitorCommand.exitCode(for: error) {
        case .success: (paragraph, status) = ("", .done)
        case .validationFailure: (paragraph, status) = (Self.paragraph(Self.usage(error)), .usage)
        default: (paragraph, status) = (Self.paragraph("\(error)"), .failed)
        }
    }

    private static func paragraph(_ message: String) -> String {
        // A name from a file or a store may contain line breaks, which would end the paragraph.
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Errors quote arguments of the command line, and one may be a URL with a password.
        return "babymonitor: " + VisibleText.escaping(Redaction.redact(wordsOf: line))
    }

    /// The argument parser's message in one paragraph: what is wrong, what was expected, and where to read more.
    ///
    /// The parser writes them as labelled lines, followed by the whole usage.
    private static func usage(_ error: any Error) -> String {
        let words = CommandLine.arguments.dropFirst()
        if let misspelling = BabyMonitorCommand.misspelling(in: words, after: [BabyMonitorCommand.name]) {
            return misspelling
        }
        let lines = BabyMonitorCommand.fullMessage(for: error).split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let message = BabyMonitorCommand.message(for: error)
        let help = lines.first { $0.hasPrefix("Help:") }?.dropFirst(5).trimmingCharacters(in: .whitespaces)
        let pointer = lines.last { $0.hasPrefix("See '") }
        return [message, help?.replacing("  ", with: ": "), pointer].compactMap(\.self)
            .map { $0.hasSuffix(".") || $0.hasSuffix("?") ? $0 : $0 + "." }.joined(separator: " ")
    }

    /// An error's message for people, without its code, which is for programs; nil for an unknown type of error.
    private static func sentence(_ error: any Error) -> String? {
        switch error {
        case let error as UsageError: error.message
        case let error as StoreError: error.sentence
        case let error as StoreUnavailable: error.reason.sentence
        case let error as IntentError: error.sentence
        case let error as CSVError: error.sentence
        case let error as JSONError:
            error.place.isEmpty ? error.message : "\(error.place): \(error.message)"
        case let error as NothingImported: "\(error.reason.sentence) Nothing was imported."
        case let error as BabyMonitorError: error.message
        case let error as ImportRefusal:
            ([error.summary] + error.report.advice.map(\.sentence)
                + ["Correct the file, or give --skip-invalid to import the other rows."])
                .joined(separator: " ")
        case let error as StoreReactionFailure:
            "The change was saved, but could not \(error.reaction): \(sentence(error.underlying) ?? "\(error.underlying)")"
        case let error as CocoaError: error.sentence
        case let error as POSIXError:
            "A file cannot be written: \(String(cString: strerror(error.code.rawValue)))."
        default: nil
        }
    }

    private static func isUsage(_ error: any Error) -> Bool {
        switch error {
        case is UsageError: true
        case let error as StoreError: error.code == .configuration
        case let error as BabyMonitorError: error.code == .invalidName || error.code == .invalidFeedTerm
        // Whether something is found or unique depends on the store; everything else is wrong usage.
        case let error as IntentError: error.code != .notFound && error.code != .needsDisambiguation
        default: false
        }
    }
}

/// A call that is wrong whatever the store holds: what is wrong with it, and what to do.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// A store that is configured correctly but unavailable, such as a database that does not exist.
struct StoreUnavailable: Error {
    let reason: StoreError
}

/// A file that could not be read completely; nothing of it was imported.
struct NothingImported: Error {
    let reason: CSVError
}

extension StoreError {
    /// The message, followed by the entity and attribute it concerns.
    fileprivate var sentence: String {
        let place = [entity, attribute].compactMap(\.self).joined(separator: ".")
        return place.isEmpty ? message : "\(message) (\(place))"
    }
}

extension IntentError {
    /// The explanation, and how to add the first entity if the store has none to choose from.
    fileprivate var sentence: String {
        guard code == .notFound, choices.isEmpty else { return explanation }
        return switch parameter {
        case "eventType":
            "\(explanation) There are no event types yet; add one with: babymonitor event-type add NAME --emoji EMOJI"
        case "baby": "\(explanation) There are no babies yet; add one with: babymonitor baby add NAME"
        default: explanation
        }
    }
}

extension CSVError {
    /// The message, preceded by its place in the file.
    var sentence: String {
        // If the system cannot read the file, there is no place in it to correct.
        guard systemError == nil, let line else { return message }
        return "Line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)"
    }
}

extension CocoaError {
    /// The system's message about a file.
    fileprivate var sentence: String {
        let path = filePath ?? url?.path ?? "A file"
        let reason = (underlying as NSError?).flatMap { error in
            error.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(error.code))) : nil
        }
        return
            "\(path) cannot be read or written: \(reason ?? localizedDescription). Check what is there, and its permissions."
    }
}
