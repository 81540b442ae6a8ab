internal import Foundation
internal import SwitchyardCSV

/// A file that yields the same text each time it is read, or fails.
struct JSONFile: Sendable {
    let path: String
    private let input: CSVInput

    /// Opens a file, and copies what can be read only once.
    ///
    /// This blocks: call it off the cooperative pool.
    ///
    /// - Throws: `JSONError` with code `inputOutput`, `full` or `tooLarge`.
    init(_ path: String) throws {
        self.path = path
        input = try Self.naming(path) { try CSVInput.file(path) }
    }

    /// Reads the file from its start.
    ///
    /// - Throws: `JSONError`, as reading itself does.
    func scanner() throws -> JSONScanner { try JSONScanner(input, path: path) }

    /// Runs work on a file, whose errors get its name.
    static func naming<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as CSVError { throw JSONError(error, file: path) }
    }
}
