internal import Foundation
internal import SwitchyardCSV
internal import SwitchyardCore
internal import SwitchyardIntents

/// Standard input, output and error.
public enum Terminal {
    /// Whether a person is at the terminal and can answer questions.
    public static var isInteractive: Bool { isatty(0) == 1 && isatty(2) == 1 }

    /// Whether standard error goes to a terminal.
    public static var showsErrors: Bool { isatty(2) == 1 }

    /// Flushes standard output.
    ///
    /// - Throws: `inputOutput` if it cannot be written, which `print` does not report.
    public static func flush() throws {
        guard fflush(nil) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw StoreError(
            .inputOutput,
            "Standard output cannot be written: \(reason). The command has done its work, but its output is incomplete."
        )
    }

    /// Writes to standard error.
    public static func writeError(_ text: String) {
        // If standard error itself is closed or full, this cannot be reported anywhere; the exit status remains.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Prints a line of text for people, with control characters escaped, since names may contain them.
    public static func print(_ line: String) { Swift.print(VisibleText.escaping(line)) }

    /// Prints lines of text for people.
    public static func print(lines: some Sequence<String>) {
        for line in lines { print(line) }
    }

    /// Prints a text, such as a link, as a QR code.
    ///
    /// A text of more than 213 bytes is none, which standard error says.
    public static func print(qrCodeOf text: String) {
        guard let code = QRCode(text) else {
            return writeError("The link is too long for a QR code; send it as text.\n")
        }
        for line in code.lines(isColoured: isatty(1) == 1) { Swift.print(line) }
    }

    /// A number of things: `1 baby`, `2 babies`.
    public static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// Prints a value as JSON, sorted by key, times in ISO 8601 with milliseconds.
    public static func print(json value: some Encodable, onOneLine: Bool = false) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(
                Timestamp.microseconds(date).flatMap { ISO8601.text($0, precision: .milliseconds) })
        }
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
