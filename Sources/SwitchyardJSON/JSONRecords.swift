public import Foundation

/// A JSON file with an array of values, as written by an app that kept its data in such files.
///
/// The app declares the content of the file as a `Decodable` type, and writes its models from it:
///
/// ```swift
/// struct OldEntry: Decodable {
///     let id: UUID
///     let date: Date
///     let amount: Double
/// }
///
/// if let file = try JSONRecords.ifPresent("entrystore.json") {
///     let count = try file.forEach(OldEntry.self) { try tx.insert(Entry($0)) }
/// }
/// ```
///
/// The file is never written, and read as strictly as a backup: a file that is not JSON from its first byte
/// to its last is an error, and never a shorter list. An empty file, or one of white space, is an empty list.
/// Only one element is in memory at a time.
///
/// Reading blocks. Do it in a transaction's body or the code of a custom stage; they may run again, and get
/// the same elements again.
public struct JSONRecords: Sendable {
    private let file: JSONFile

    /// Opens a file.
    ///
    /// - Throws: `JSONError` with code `inputOutput` if it is missing or cannot be read.
    public init(_ path: String) throws { file = try JSONFile(path) }

    /// Opens a file that may be missing.
    ///
    /// - Returns: The file; nil if its directory has no such file.
    /// - Throws: `JSONError` with code `inputOutput` if it cannot be read, if it is a dangling link, or if
    ///   even its directory is missing, in which case its content is unknown.
    public static func ifPresent(_ path: String) throws -> JSONRecords? {
        var status = stat()
        guard lstat(path, &status) != 0, errno == ENOENT else { return try JSONRecords(path) }
        let directory = URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent().path
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw JSONError(
                .inputOutput, "The directory \(directory) is missing or unreadable.", file: path)
        }
        return nil
    }

    /// Decodes each element of the array, in order.
    ///
    /// - Parameters:
    ///   - type: The type of an element. What it does not decode is ignored.
    ///   - dates: How times are written; unless another strategy is given, as seconds since 2001-01-01 00:00 UTC, as
    ///     Foundation's encoder writes them.
    ///   - body: Gets each element.
    /// - Returns: The number of elements.
    /// - Throws: `JSONError`, naming the element and its key; what the body throws.
    /// - Complexity: The memory of one element.
    @discardableResult
    public func forEach<Record: Decodable>(
        _ type: Record.Type = Record.self, dates: JSONDecoder.DateDecodingStrategy = .deferredToDate,
        _ body: (Record) throws -> Void
    ) throws -> Int {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dates
        let scanner = try file.scanner()
        if try scanner.isAtEnd() { return 0 }
        try scanner.require("[", "Expected an array.")
        var count = 0
        while try scanner.goesOn(to: "]", isFirst: count == 0) {
            let element = try scanner.element()
            let record: Record
            do {
                try element.requireValid()
                record = try decoder.decode(Record.self, from: Data(element.bytes))
            } catch let error as JSONError {
                throw error.at(count)
            } catch {
                throw JSONError(undecodable: element, error).at(count)
            }
            try body(record)
            count += 1
        }
        try scanner.requireEnd()
        return count
    }

    /// Decodes all elements of the array.
    ///
    /// - Throws: As `forEach`.
    /// - Complexity: All elements are held in memory.
    public func all<Record: Decodable>(
        _ type: Record.Type = Record.self, dates: JSONDecoder.DateDecodingStrategy = .deferredToDate
    ) throws -> [Record] {
        var records: [Record] = []
        try forEach(type, dates: dates) { records.append($0) }
        return records
    }
}

extension JSONError {
    /// The same error of an element.
    func at(_ index: Int, of array: String? = nil) -> JSONError {
        var error = self
        (error.index, error.array) = (index, array)
        return error
    }

    /// The error of an element that its type cannot be decoded from.
    fileprivate init(undecodable element: JSONElement, _ error: any Error) {
        // Foundation's own descriptions may quote values.
        let (code, message, path): (Code, String, [any CodingKey]) =
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                (.missing, "The element lacks a value that it needs.", context.codingPath + [key])
            case DecodingError.valueNotFound(_, let context):
                (.missing, "The element has no value where it needs one.", context.codingPath)
            case DecodingError.typeMismatch(let type, let context):
                (.invalidValue, "The value is of another kind than \(type).", context.codingPath)
            case DecodingError.dataCorrupted(let context):
                (.invalidValue, "The value is not allowed here.", context.codingPath)
            default: (.invalidValue, "The element cannot be decoded.", [])
            }
        self.init(
            code, message, file: element.path, line: element.line, column: element.column,
            detail: String(reflecting: error))
        // An index is an element's place. A name of a dictionary may be anything, but is the file's own.
        let keys = path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
        key = keys.isEmpty ? nil : keys.joined(separator: ".")
    }
}
