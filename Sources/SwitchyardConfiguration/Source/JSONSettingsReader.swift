internal import SwitchyardCore

/// Reads the leaves of a JSON object as settings.
struct JSONSettingsReader {
    private var reader: JSONReader
    private var found: [ConfigurationFile.Entry] = []

    /// The leaves, in the order of the text.
    static func entries(_ text: String) throws(SettingsSyntaxError) -> [ConfigurationFile.Entry] {
        var settings = Self(reader: JSONReader(text, depthLimit: ConfigurationFile.depthLimit))
        do throws(JSONReader.SyntaxError) {
            try settings.readRoot()
        } catch {
            throw SettingsSyntaxError(error.problem, line: error.line, column: error.column)
        }
        return settings.found
    }

    private init(reader: JSONReader) { self.reader = reader }

    private mutating func readRoot() throws(JSONReader.SyntaxError) {
        guard (try? reader.nextKind()) == .object else {
            throw reader.error("a configuration is a JSON object, in `{` and `}`")
        }
        try readMembers(path: [])
        guard reader.isAtEnd() else { throw reader.error("there is text after the end of the object") }
    }

    /// Reads the members of an object.
    ///
    /// - Returns: Whether it has any.
    @discardableResult
    private mutating func readMembers(path: [String]) throws(JSONReader.SyntaxError) -> Bool {
        var isEmpty = true
        try reader.enterObject()
        while let (name, line) = try reader.nextName() {
            isEmpty = false
            let path = path + [String(decoding: name, as: UTF8.self)]
            guard let value = try readValue(path: path) else { continue }
            guard found.count < ConfigurationFile.entryLimit else {
                throw reader.error("there are too many settings")
            }
            found.append(.init(key: path.joined(separator: "."), value: value, line: line))
        }
        return !isEmpty
    }

    /// Reads a member's value; nil for an object, whose members are read instead.
    private mutating func readValue(
        path: [String]
    ) throws(JSONReader.SyntaxError) -> ConfigurationFile.Value? {
        switch try reader.nextKind() {
        case .object: return try readMembers(path: path) ? nil : .emptyObject
        case .string: return .text(String(decoding: try reader.readString(), as: UTF8.self))
        case .number: return .text(String(decoding: try reader.readNumber().text, as: UTF8.self))
        case .word:
            let word = try reader.readWord()
            return word == .null ? .null : .text(word.rawValue)
        case .array:
            try skipList()
            return .list
        }
    }

    /// Skips a list, which no setting accepts, so that the error can name its key.
    private mutating func skipList() throws(JSONReader.SyntaxError) {
        try reader.enterArray()
        while try reader.nextElement() { try skipValue() }
    }

    private mutating func skipValue() throws(JSONReader.SyntaxError) {
        switch try reader.nextKind() {
        case .array: try skipList()
        case .string: _ = try reader.readString()
        case .number: _ = try reader.readNumber()
        case .word: _ = try reader.readWord()
        case .object:
            try reader.enterObject()
            while try reader.nextName() != nil { try skipValue() }
        }
    }
}
