internal import SwitchyardCore

/// A value in a file, and its place there.
struct JSONElement {
    let bytes: [UInt8]
    let path: String
    let line: Int
    let column: Int

    /// A reader of the value.
    ///
    /// - Throws: `JSONError` with code `invalidUTF8`.
    func reader() throws -> JSONReader {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONError(
                .invalidUTF8, "The text is not UTF-8. Convert the file, and read it again.", file: path,
                line: line, column: column)
        }
        return JSONReader(text, depthLimit: JSONScanner.mostLevels)
    }

    /// Checks the value, also for what Foundation's decoder accepts in silence: a name that comes twice.
    ///
    /// - Throws: `JSONError`.
    func requireValid() throws {
        var reader = try reader()
        try placing { () throws(JSONReader.SyntaxError) in
            try Self.skip(&reader)
            guard reader.isAtEnd() else { throw reader.error("expected `,`") }
        }
    }

    private static func skip(_ reader: inout JSONReader) throws(JSONReader.SyntaxError) {
        switch try reader.nextKind() {
        case .object:
            try reader.enterObject()
            var names: Set<[UInt8]> = []
            while let (name, _) = try reader.nextName() {
                guard names.insert(name).inserted else { throw reader.duplicateName }
                try skip(&reader)
            }
        case .array:
            try reader.enterArray()
            while try reader.nextElement() { try skip(&reader) }
        case .string: _ = try reader.readString()
        case .number: _ = try reader.readNumber()
        case .word: _ = try reader.readWord()
        }
    }

    /// Runs work on a reader of the element; its errors get their place in the file.
    func placing<Value>(_ work: () throws(JSONReader.SyntaxError) -> Value) throws -> Value {
        do { return try work() } catch { throw self.error(error) }
    }

    /// The error of a reader of the element, with its place in the file.
    func error(_ fault: JSONReader.SyntaxError, key: String? = nil) -> JSONError {
        // The reader quotes names, and a value may stand where a name belongs.
        let problem = fault.kind == .missingColon ? "expected `:` after a name" : fault.problem
        let code: JSONError.Code =
            switch fault.kind {
            case .duplicateName: .duplicateName
            case .tooDeep: .tooDeep
            case .missingColon, .other: .syntax
            }
        return JSONError(
            code, "The text is not valid: \(problem).", file: path,
            line: line + fault.line - 1, column: fault.line == 1 ? column + fault.column - 1 : fault.column,
            key: key)
    }

    /// An error at the current position of a reader of the element.
    func error(_ code: JSONError.Code, _ message: String, at reader: JSONReader, key: String? = nil)
        -> JSONError
    {
        let place = error(reader.error(""))
        return JSONError(code, message, file: path, line: place.line, column: place.column, key: key)
    }

    /// An error at the beginning of the element.
    func error(_ code: JSONError.Code, _ message: String, key: String? = nil) -> JSONError {
        JSONError(code, message, file: path, line: line, column: column, key: key)
    }

    /// The element as a text; nil if it is something else.
    func string() throws -> String? {
        var reader = try reader()
        return try placing { () throws(JSONReader.SyntaxError) in
            guard try reader.nextKind() == .string else { return nil }
            return String(decoding: try reader.readString(), as: UTF8.self)
        }
    }
}
