import Foundation
import SQLiteStore
import SwitchyardCore
import Testing

/// What a killed process leaves of a store: Mia is in the file, and Leo in the log alone.
struct KilledProcessFiles {
    let file: Data
    let log: Data
    /// The shared memory.
    let index: Data

    init() async throws {
        let directory = try TemporaryDirectory()
        try await directory.makeStore()
        let store = try await openStore(directory.file(), settings: ["readers": "0"])
        try await store.write { _ = try $0.insert(Person("Leo")) }
        file = try Data(contentsOf: URL(fileURLWithPath: directory.file()))
        log = try Data(contentsOf: URL(fileURLWithPath: directory.file("store.sqlite-wal")))
        index = try Data(contentsOf: URL(fileURLWithPath: directory.file("store.sqlite-shm")))
        try await store.close()
    }

    /// Writes the file, and beside it what is given.
    func write(to path: String, log: Data?, index: Data?) throws {
        for (suffix, data) in [("", file), ("-wal", log), ("-shm", index)] {
            try data?.write(to: URL(fileURLWithPath: path + suffix))
        }
    }
}

extension TemporaryDirectory {
    /// The names of all files below, in order.
    func names() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }

    /// The bytes of a file in it; nil if there is none.
    func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: file(name)) }
}
