import Foundation

/// A directory of a scenario's own, which goes with it.
struct Scratch: Sendable {
    let path: String

    /// Lends a new directory.
    static func with<Result>(_ body: (Scratch) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appending(path: "chaos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(Scratch(path: url.path))
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
    func journal(_ worker: Int) -> String { file("journal-\(worker)") }

    /// The names of what is in the directory, journals left out.
    var leftovers: Set<String> {
        get throws {
            Set(
                try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix("journal-") }
            )
        }
    }
}
