internal import SwitchyardCore

/// A configuration file: its settings as text, each with its line.
///
/// swift-configuration's `FileProvider` (1.4) is not enough. Its snapshots do not list their keys, so that a
/// misspelt one would go unnoticed, nor give line numbers; of two equal names in JSON it loses one, and it loses
/// the original text of numbers; and it reads to the end of whatever the path names, even a pipe or a huge file.
struct ConfigurationFile: Sendable {
    /// The path of the file.
    let path: String
    /// The settings, in the file's order.
    let entries: [Entry]

    /// One leaf value of the file.
    struct Entry: Sendable, Equatable {
        /// The full key: the names of the enclosing objects and its own, joined by points.
        let key: String
        /// The value in the file.
        let value: Value
        /// The line of the key, counted from 1.
        let line: Int
    }

    /// The value of a leaf.
    enum Value: Sendable, Equatable {
        /// Text, or a number or boolean as it was written.
        case text(String)
        /// `null`, or an empty YAML value.
        case null
        /// A list.
        case list
        /// An object without members.
        case emptyObject
    }

    /// The largest file that is accepted, in bytes.
    static let sizeLimit = 1 << 20
    /// The most settings that a file may contain.
    static let entryLimit = 10_000
    /// The deepest nesting of objects that is accepted.
    static let depthLimit = 32

    /// Reads a file; nil if it does not exist and `mustExist` is false.
    ///
    /// - Throws: `configuration`, naming the file and the line, if it cannot be read or understood.
    init?(path: String, mustExist: Bool) throws {
        let file: SmallFile
        do {
            file = try SmallFile(path: path, limit: Self.sizeLimit)
        } catch {
            if case .missing = error, !mustExist { return nil }
            throw StoreError(
                .configuration,
                "The configuration file \(path) \(error.words). Give the path of a file that you may read, or leave it out."
            )
        }
        try self.init(path: path, bytes: file.bytes)
    }

    /// Parses the bytes of a file; the extension of its name determines the format.
    init(path: String, bytes: [UInt8]) throws {
        self.path = path
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            throw StoreError(
                .configuration, "The configuration file \(path) is not UTF-8 text. Save it as UTF-8.")
        }
        let name = path.lowercased()
        if name.hasSuffix(".json") {
            do { entries = try JSONSettingsReader.entries(text) } catch { throw error.inFile(path) }
        } else if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
            #if YAML
                do { entries = try YAMLSettingsReader.entries(text) } catch { throw error.inFile(path) }
            #else
                throw StoreError(
                    .configuration,
                    "The configuration file \(path) is YAML, and this program was built without the package trait YAML. "
                        + "Write the file as JSON, or build with the trait.")
            #endif
        } else {
            throw StoreError(
                .configuration,
                "The configuration file \(path) has no known format. Its name must end in .json, .yaml or .yml."
            )
        }
        var lines: [String: Int] = [:]
        for entry in entries {
            if let first = lines.updateValue(entry.line, forKey: entry.key) {
                throw SettingsSyntaxError(
                    "`\(entry.key)` is given twice, also in line \(first)", line: entry.line
                )
                .inFile(path)
            }
        }
    }
}

/// A syntax error in a configuration file.
///
/// It quotes names but never values.
struct SettingsSyntaxError: Error, Equatable {
    /// What is wrong, without a full stop.
    let problem: String
    /// The line, counted from 1.
    let line: Int
    /// The column in bytes, counted from 1; nil if only the line is known.
    let column: Int?

    /// Creates an error.
    init(_ problem: String, line: Int, column: Int? = nil) {
        self.problem = problem
        self.line = line
        self.column = column
    }

    /// The error as callers see it.
    func inFile(_ path: String) -> StoreError {
        let place = column.map { "line \(line), column \($0)" } ?? "line \(line)"
        return StoreError(
            .configuration,
            "The configuration file \(path) cannot be used: \(problem) (\(place)). Correct the file.")
    }
}
