internal import ArgumentParser
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardIntents

/// The command's exit status.
enum ExitStatus: Int32 {
    case done = 0
    /// The work failed because of the state of the store, the files or the server.
    case failed = 1
    /// The command was called incorrectly, regardless of the store.
    case usage = 2
}

/// An error as the command reports it.
struct Failure {
    let paragraph: String
    let status: ExitStatus

    init(_ error: any Error, of root: any ParsableCommand.Type) {
        let name = root.word
        if let sentence = Self.sentence(error) {
            (paragraph, status) = (Self.paragraph(sentence, by: name), Self.isUsage(error) ? .usage : .failed)
            return
        }
        // Help and version are thrown as errors too, with an exit code of success.
        switch root.exitCode(for: error) {
        case .success: (paragraph, status) = ("", .done)
        case .validationFailure:
            (paragraph, status) = (Self.paragraph(Self.usage(error, of: root), by: name), .usage)
        default: (paragraph, status) = (Self.paragraph("\(error)", by: name), .failed)
        }
    }

    /// An error in one paragraph, for a command that goes on.
    static func note(_ error: any Error, by name: String) -> String {
        paragraph(sentence(error) ?? "\(error)", by: name)
    }

    private static func paragraph(_ message: String, by name: String) -> String {
        // A name from a file or a store may contain line breaks, which would end the paragraph.
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Errors quote arguments of the command line, and one may be a URL with a password.
        return "\(name): " + VisibleText.escaping(Redaction.redact(wordsOf: line))
    }

    /// The argument parser's message in one paragraph: what is wrong, what was expected, and where to read more.
    ///
    /// The parser writes them as labelled lines, followed by the whole usage.
    private static func usage(_ error: any Error, of root: any ParsableCommand.Type) -> String {
        let words = CommandLine.arguments.dropFirst()
        if let misspelling = root.misspelling(in: words, after: [root.word]) {
            return misspelling
        }
        let lines = root.fullMessage(for: error).split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let message = root.message(for: error)
        let help = lines.first { $0.hasPrefix("Help:") }?.dropFirst(5).trimmingCharacters(in: .whitespaces)
        let pointer = lines.last { $0.hasPrefix("See '") }
        return [message, help?.replacing("  ", with: ": "), pointer].compactMap(\.self)
            .map { $0.hasSuffix(".") || $0.hasSuffix("?") ? $0 : $0 + "." }.joined(separator: " ")
    }

    /// An error's message for people, without its code, which is for programs; nil for an unknown type of error.
    static func sentence(_ error: any Error) -> String? {
        switch error {
        case let error as any CommandError: error.sentence
        case let error as CocoaError: error.sentence
        case let error as POSIXError:
            "A file cannot be written: \(String(cString: strerror(error.code.rawValue)))."
        default: nil
        }
    }

    private static func isUsage(_ error: any Error) -> Bool { (error as? any CommandError)?.isUsage ?? false }
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
