internal import Foundation
internal import SwitchyardCSV

/// A fault in a JSON file, and its place.
///
/// `description` never contains a value or a name from the file. Unknown names appear in `debugDescription` only.
public struct JSONError: Error, Sendable {
    /// The kind of failure: switch on this.
    public let code: Code
    /// What happened and what to do about it, without content of the file.
    public let message: String
    /// The file.
    public var file: String?
    /// The line, from 1; nil if the error does not concern one line.
    public var line: Int?
    /// The column, from 1 and in bytes.
    public var column: Int?
    /// The name of the array that the error concerns, as the document's format calls it.
    public var array: String?
    /// The position of the element in its array, from 0.
    public var index: Int?
    /// The attribute, or the keys in the element, separated by points.
    public var key: String?
    /// Text that may come from the file: shown by `debugDescription` only.
    public var detail: String?

    init(
        _ code: Code, _ message: String, file: String? = nil, line: Int? = nil, column: Int? = nil,
        key: String? = nil, detail: String? = nil
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.detail = detail
    }

    /// The error of a file that cannot be read or written.
    init(_ error: CSVError, file: String) {
        let code: Code =
            switch error.code {
            case .full: .full
            case .changed: .changed
            case .exists: .exists
            case .inputTooLong: .tooLarge
            default: .inputOutput
            }
        self.init(code, error.message, file: file, detail: error.detail)
    }
}

extension JSONError {
    /// The kind of a failure.
    ///
    /// More kinds may be added, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name, as JSON output and logs show it.
        public let description: String

        private init(_ name: String) { description = name }

        /// The text is not JSON, or something follows its end.
        public static let syntax = Code("syntax")
        /// The file ends before its text does.
        public static let truncated = Code("truncated")
        /// The text is not valid UTF-8.
        public static let invalidUTF8 = Code("invalidUTF8")
        /// An object has the same name twice.
        public static let duplicateName = Code("duplicateName")
        /// Objects and arrays are nested too deeply.
        public static let tooDeep = Code("tooDeep")
        /// An element, or the input, is longer than the limit.
        public static let tooLarge = Code("tooLarge")
        /// An object has a name that its format or entity does not have.
        public static let unknownName = Code("unknownName")
        /// An object lacks something that its format or entity needs.
        public static let missing = Code("missing")
        /// A value is not allowed in its place.
        public static let invalidValue = Code("invalidValue")
        /// Two elements of an array have the same id.
        public static let duplicateID = Code("duplicateID")
        /// An element refers to a row that neither the document nor the store has.
        public static let danglingReference = Code("danglingReference")
        /// The document is of another version of the format, or of another schema than the store.
        public static let wrongVersion = Code("wrongVersion")
        /// The file to write exists already.
        public static let exists = Code("exists")
        /// The file could not be opened, read or written.
        public static let inputOutput = Code("inputOutput")
        /// The disk is full, or a quota is used up.
        public static let full = Code("full")
        /// The file changed while it was being read.
        public static let changed = Code("changed")
    }
}

extension JSONError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Where the error is, such as `backup.json, line 7, column 12, entries[3].amount`; empty if that is unknown.
    public var place: String {
        var parts: [String] = []
        // A message about a file as a whole names it already.
        if let file, line != nil || !message.contains(file) { parts.append(file) }
        if let line { parts.append("line \(line)" + (column.map { ", column \($0)" } ?? "")) }
        let element = (array ?? "") + (index.map { "[\($0)]" } ?? "")
        let path = [element, key ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        if !path.isEmpty { parts.append(path) }
        return parts.joined(separator: ", ")
    }

    /// The code, the place and the message.
    public var description: String {
        place.isEmpty ? "\(code): \(message)" : "\(code): \(place): \(message)"
    }

    /// The description, plus the detail, which may hold user data.
    public var debugDescription: String {
        guard let detail else { return description }
        return "\(description) — \(detail)"
    }
}
