internal import Foundation

/// An error of the CSV codec: what is wrong, on which line and in which column.
///
/// `description` never contains the contents of a field. Those appear in `debugDescription` only.
public struct CSVError: Error, Sendable {
    /// The kind of failure: switch on this.
    public let code: Code
    /// What happened and what to do about it, without field contents.
    public let message: String
    /// The physical line, counted from 1 including the header; nil if the error does not concern one line.
    public var line: Int?
    /// The field's number within its row, counted from 1; nil if the error does not concern one field.
    public var column: Int?
    /// The `errno` of the system call that failed, if one did.
    public var systemError: Int32?
    /// Text that may hold user data: shown by `debugDescription` only.
    public var detail: String?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, line: Int? = nil, column: Int? = nil, systemError: Int32? = nil,
        detail: String? = nil
    ) {
        self.code = code
        self.message = message
        self.line = line
        self.column = column
        self.systemError = systemError
        self.detail = detail
    }
}

extension CSVError {
    /// The kind of a failure.
    ///
    /// More kinds may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name, as JSON output and logs show it.
        public let description: String

        private init(_ name: String) { description = name }

        /// A field is not valid UTF-8.
        public static let invalidUTF8 = Code("invalidUTF8")
        /// A surrogate is unpaired, or the text ends in the middle of a UTF-16 code unit.
        public static let invalidUTF16 = Code("invalidUTF16")
        /// The text is in an encoding that the reader does not support.
        public static let unsupportedEncoding = Code("unsupportedEncoding")
        /// The input is not text at all.
        public static let binary = Code("binary")
        /// A field contains U+0000.
        public static let nulCharacter = Code("nulCharacter")
        /// The input ends inside a quoted field.
        public static let unterminatedQuote = Code("unterminatedQuote")
        /// Something other than a comma or the end of the row follows a closing quote.
        public static let textAfterQuote = Code("textAfterQuote")
        /// An unquoted field contains a quote.
        public static let bareQuote = Code("bareQuote")
        /// A field is longer than the limit.
        public static let fieldTooLong = Code("fieldTooLong")
        /// A row is longer than the limit.
        public static let rowTooLong = Code("rowTooLong")
        /// A row has more fields than the limit.
        public static let tooManyColumns = Code("tooManyColumns")
        /// The header names a column twice.
        public static let duplicateColumn = Code("duplicateColumn")
        /// A field does not hold a valid value of its attribute's type.
        public static let invalidValue = Code("invalidValue")
        /// The header has a column that the entity does not have, or lacks one that it does.
        public static let wrongColumns = Code("wrongColumns")
        /// A value cannot be written as text that reads back as the same value.
        public static let valueNotRepresentable = Code("valueNotRepresentable")
        /// A file could not be opened, read or written.
        public static let inputOutput = Code("inputOutput")
        /// The file to write exists already.
        public static let exists = Code("exists")
        /// The disk is full, or a quota is used up.
        public static let full = Code("full")
        /// The input is longer than the limit.
        public static let inputTooLong = Code("inputTooLong")
        /// A file changed while it was being read.
        public static let changed = Code("changed")
        /// A file in the full format does not have its ending.
        public static let truncated = Code("truncated")
        /// A row does not have as many fields as the header.
        public static let wrongFieldCount = Code("wrongFieldCount")
        /// There is not enough memory for the row.
        public static let outOfMemory = Code("outOfMemory")
        /// A writer was used after it had finished or failed.
        public static let closed = Code("closed")
    }

    /// The error of a file that is not to be replaced.
    static func exists(_ path: String) -> CSVError {
        CSVError(
            .exists, "\(path) already exists, and is unchanged. Give another name.",
            systemError: EEXIST)
    }

    /// The error for a failed system call, with the system's own message.
    ///
    /// - Parameters:
    ///   - action: What failed, as a clause such as "The file cannot be read".
    ///   - path: The file, if it has a name.
    ///   - number: The value of `errno` after the call.
    /// - Returns: An error with code `full` or `inputOutput`.
    static func system(_ action: String, path: String?, number: Int32) -> CSVError {
        let isFull = number == ENOSPC || number == EDQUOT
        let place = path.map { " (\($0))" } ?? ""
        return CSVError(
            isFull ? .full : .inputOutput, "\(action)\(place): \(String(cString: strerror(number))).",
            systemError: number)
    }
}

extension CSVError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code, the place and the message.
    public var description: String {
        let place =
            switch (line, column) {
            case (let line?, let column?): "line \(line), column \(column): "
            case (let line?, nil): "line \(line): "
            default: ""
            }
        return "\(code): \(place)\(message)"
    }

    /// The description, plus the detail, which may hold user data.
    public var debugDescription: String {
        guard let detail else { return description }
        return "\(description) — \(detail)"
    }
}
