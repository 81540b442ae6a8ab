internal import SwitchyardCore

/// A configuration file: its settings as text, each with the line it stands on.
///
/// swift-configuration's `FileProvider` (1.4) would not do. Its snapshots say neither which keys they hold, so that
/// a misspelt one would go unnoticed, nor on which line; of two equal names in JSON one is lost, and so is the text
/// of a number; and it reads whatever the path names to its end, be that a pipe or a file of any size.
struct ConfigurationFile: Sendable {
    /// Where the file is.
    let path: String
    /// What it holds, in the file's order.
    let entries: [Entry]

    /// One leaf of the file.
    struct Entry: Sendable, Equatable {
        /// The names of the objects around it and its own, joined by points.
        let key: String
        /// What stands there.
        let value: Value
        /// The line of its name, from 1.
        let line: Int
    }

    /// What a leaf can be.
    enum Value: Sendable, Equatable {
        /// A text, or a number or truth value as it was written.
        case text(String)
        /// `null`, or nothing.
        case null
        /// A list.
        case list
        /// An object without names.
        case emptyObject
    }

    /// The most bytes of a file that is read.
    static let sizeLimit = 1 << 20
    /// The most leaves of a file that is read.
    static let entryLimit = 10_000
    /// The most objects inside each other.
    static let depthLimit = 32

    /// Reads a file; nil if there is none and there need not be one.
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

    /// Takes the bytes of a file; its name says in which format they are.
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

/// What is wrong with the text of a configuration file.
///
/// It quotes names, never values.
struct SettingsSyntaxError: Error, Equatable {
    /// What is wrong, without a full stop.
    let problem: String
    /// The line, from 1.
    let line: Int
    /// The column, from 1 and in bytes; nil if only the line is known.
    let column: Int?

    /// Describes an error.
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
