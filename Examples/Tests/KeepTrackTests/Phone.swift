import Foundation
import KeepTrack
import MemoryStore
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import TestBackends

/// The directories of an app and of its group, removed when the test lets go of them.
final class Phone: Sendable {
    let directory: URL
    let files: LegacyFiles
    /// Where the store is kept.
    ///
    /// One in memory has no first stage, because each opening makes a new one.
    let backend: TestBackend

    init(_ backend: TestBackend = .sqlite) throws {
        self.backend = backend
        directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keeptrack é \(UUID().uuidString)")
        for name in ["group", "Documents"] {
            try FileManager.default.createDirectory(
                at: directory.appending(path: name), withIntermediateDirectories: true)
        }
        files = LegacyFiles(
            appGroup: directory.appending(path: "group"), documents: directory.appending(path: "Documents"))
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    static func registry() throws -> PluginRegistry {
        try PluginRegistry([SQLitePlugin.self, MemoryPlugin.self, PostgresPlugin.self])
    }

    var url: String {
        get throws {
            // The server is thrown away after the tests, and what is in it.
            let schema =
                "keeptrack_" + directory.lastPathComponent.suffix(36).replacing("-", with: "_").lowercased()
            return switch backend {
            case .postgres: try PostgresServer.url(schema: schema)
            default: "sqlite:" + directory.appending(path: "group/keeptrack.sqlite").path
            }
        }
    }

    var store: KeepTrackStore {
        get throws { KeepTrackStore(url: try url, registry: try Self.registry(), files: files) }
    }

    /// Opens the store, and closes it after the body.
    func with<Value>(_ body: (any Store, KeepTrackStatus) async throws -> Value) async throws -> Value {
        let (store, status) = try await store.open()
        let result: Result<Value, any Error>
        do { result = .success(try await body(store, status)) } catch { result = .failure(error) }
        try await store.close()
        return try result.get()
    }

    /// The files' bytes, and when they were last written.
    var fileStates: [String] {
        get throws {
            try [files.entries, files.intakeTypes, files.goals].map { path in
                let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
                return "\(try Data(contentsOf: URL(filePath: path)).base64EncodedString()) \(date ?? "")"
            }
        }
    }
}

func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}

/// Three files with two entries, one of them with an amount that is an integer, a type and a goal.
enum Files {
    static let tea = "3E0B1F6C-1111-4222-8333-000000000001"
    static let aspirin = "3E0B1F6C-1111-4222-8333-000000000002"

    static let entries = """
        [{"id":"\(aspirin)","date":700000000.25,"units":"mg","amount":500,"name":"Aspirin","goalMet":false},
         {"id":"\(tea)","date":690000000,"units":"cups","amount":1.5,"name":"Tea","goalMet":true}]
        """
    static let types = """
        [{"id":"\(tea)","name":"Tea","unit":"cups","amount":1,"descrip":"","frequency":"twiceADay"}]
        """
    static let goals = """
        [{"id":"\(tea)","name":"Tea","description":"less","dates":[700000000,700043200.5],"isActive":true,
          "isCompleted":false,"dosage":2,"units":"cups","frequency":"none"}]
        """

    static func write(to files: LegacyFiles) throws {
        try KeepTrackTests.write(entries, to: files.entries)
        try KeepTrackTests.write(types, to: files.intakeTypes)
        try KeepTrackTests.write(goals, to: files.goals)
    }
}
