internal import Foundation

/// The process's arguments and environment as text.
///
/// The system passes bytes. Swift replaces those that are not UTF-8 with U+FFFD, so that a path or a name would
/// silently become a different one.
enum ProcessText {
    /// The arguments after the command's own name.
    ///
    /// - Throws: `UsageError` if one is not UTF-8.
    static func arguments() throws -> [String] {
        try CommandLine.arguments.enumerated().dropFirst().map { index, word in
            guard !isRepaired(word) || isUTF8(CommandLine.unsafeArgv[index]) else {
                throw UsageError("Argument \(index) is not UTF-8: `\(word)`. Write it in UTF-8.")
            }
            return word
        }
    }

    /// The environment.
    ///
    /// - Throws: `UsageError` if a variable that selects a store or a directory is not UTF-8.
    static func environment() throws -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        let places = ["HOME", "XDG_DATA_HOME"]
        for (name, value) in environment where name.hasPrefix("SWITCHYARD_") || places.contains(name) {
            guard !isRepaired(value) || isUTF8(getenv(name)) else {
                throw UsageError(
                    "The environment variable \(name) is not UTF-8. Set it in UTF-8, or unset it.")
            }
        }
        return environment
    }

    /// The name of this host, which is not looked up in the network.
    static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        let status = gethostname(&bytes, bytes.count - 1)
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return status == 0 && !name.isEmpty ? name : "localhost"
    }

    private static func isRepaired(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }

    private static func isUTF8(_ bytes: UnsafePointer<CChar>?) -> Bool {
        bytes.map { String(validatingCString: $0) != nil } ?? true
    }
}
