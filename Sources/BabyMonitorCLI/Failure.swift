import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import SwitchyardIntents

/// How the command ends.
enum ExitStatus: Int32 {
    case done = 0
    /// The work could not be done, as things are with the store, the files or the server.
    case failed = 1
    /// The call itself is wrong, whatever the store holds.
    case usage = 2
}

/// An error as the command shows it.
struct Failure {
    let paragraph: String
    let status: ExitStatus

    init(_ error: any Error) {
        if let sentence = Self.sentence(error) {
            (paragraph, status) = (Self.paragraph(sentence), Self.isUsage(error) ? .usage : .failed)
            return
        }
        // Help and version come as errors too, with an exit code of success.
        switch BabyMonitorCommand.exitCode(for: error) {
        case .success: (paragraph, status) = ("", .done)
        case .validationFailure: (paragraph, status) = (Self.paragraph(Self.usage(error)), .usage)
        default: (paragraph, status) = (Self.paragraph("\(error)"), .failed)
        }
    }

    private static func paragraph(_ message: String) -> String {
        // A name from a file or a store can hold line breaks, which would end the paragraph.
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Words of the command line are shown where they are wrong, and one may be a URL with a password.
        return "babymonitor: " + VisibleText.escaping(Redaction.redact(wordsOf: line))
    }

    /// What the parser of the command line says: what is wrong, what was wanted there, and where to read on.
    ///
    /// It writes them as lines with labels, the whole usage among them.
    private static func usage(_ error: any Error) -> String {
        let lines = BabyMonitorCommand.fullMessage(for: error).split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let message = BabyMonitorCommand.message(for: error)
        let help = lines.first { $0.hasPrefix("Help:") }?.dropFirst(5).trimmingCharacters(in: .whitespaces)
        let pointer = lines.last { $0.hasPrefix("See '") }
        return [message, help?.replacing("  ", with: ": "), pointer].compactMap(\.self)
            .map { $0.hasSuffix(".") || $0.hasSuffix("?") ? $0 : $0 + "." }.joined(separator: " ")
    }

    /// What an error says to people, without the codes, which are for programs; nil for one that is not known
    /// here.
    private static func sentence(_ error: any Error) -> String? {
        switch error {
        case let error as UsageError: error.message
        case let error as StoreError: error.sentence
        case let error as StoreUnavailable: error.reason.sentence
        case let error as IntentError: error.sentence
        case let error as CSVError: error.sentence
        case let error as NothingImported: "\(error.reason.sentence) Nothing was imported."
        case let error as BabyMonitorError: error.message
        case let error as ImportRefusal:
            "\(error.summary) Correct the file, or give --skip-invalid to import the other rows."
        case let error as AfterWriteFailure:
            "The change was saved, but could not \(error.hook): \(sentence(error.underlying) ?? "\(error.underlying)")"
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
        // What is not found or not unique depends on the store; what no store could answer is wrong usage.
        case let error as IntentError: error.code != .notFound && error.code != .needsDisambiguation
        default: false
        }
    }
}

/// A call that no store could answer: what was wrong with it, and what to do.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// A store that the configuration names rightly and that is not to be had, as a database that nobody has
/// made.
struct StoreUnavailable: Error {
    let reason: StoreError
}

/// A file that could not be read to its end, of which nothing was kept.
struct NothingImported: Error {
    let reason: CSVError
}

extension StoreError {
    /// The message with the place that it is about.
    fileprivate var sentence: String {
        let place = [entity, attribute].compactMap(\.self).joined(separator: ".")
        return place.isEmpty ? message : "\(message) (\(place))"
    }
}

extension IntentError {
    /// The explanation, and where the store has nothing to choose from, how that is changed.
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
    /// The message behind the place in the file that it is about.
    var sentence: String {
        // A file that the system does not let be read has no place that anyone could correct.
        guard systemError == nil, let line else { return message }
        return "Line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)"
    }
}

extension CocoaError {
    /// What the system says of a file.
    fileprivate var sentence: String {
        let path = filePath ?? url?.path ?? "A file"
        let reason = (underlying as NSError?).flatMap { error in
            error.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(error.code))) : nil
        }
        return
            "\(path) cannot be read or written: \(reason ?? localizedDescription). See what is there, and its permissions."
    }
}
