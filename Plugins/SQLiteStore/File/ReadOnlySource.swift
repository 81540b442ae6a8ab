internal import Dispatch
internal import Foundation
internal import GRDB
internal import SwitchyardCore

/// Reads a store without changing its file or making another beside it: one connection for each read.
struct ReadOnlySource: Sendable {
    let file: StoreFile
    let busyTimeout: Double

    /// Runs work in one snapshot.
    ///
    /// Without a log the file is read without locks, so it is compared afterwards: if somebody wrote
    /// meanwhile, the result is thrown away with `serialization`, and the retry finds the log and reads with
    /// locks.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ConnectionRegistry.State) throws -> Result
    ) async throws -> Result {
        let mode = try file.readMode()
        let before = try signature()
        let queue = try await DispatchQueue.global().run { try open(mode) }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(
                try await queue.read { database in
                    let registry = ConnectionRegistry()
                    defer { registry.removeAllStatements() }
                    return try body(database, try registry.state(of: database))
                })
        } catch {
            result = .failure(error)
        }
        if case .immutable = mode, try signature() != before {
            throw StoreError(.serialization, "The store was written while it was read.")
        }
        return try result.get()
    }

    private func open(_ mode: StoreFile.ReadMode?) throws -> DatabaseQueue {
        guard let mode else {
            throw StoreError(
                .readOnly,
                "The store at \(file.path) has a log without an index, which reading alone cannot make. Open it for writing "
                    + "once.")
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "Switchyard"
        return try DatabaseQueue(path: file.readOnlyURI(mode), configuration: configuration)
    }

    private func signature() throws -> [Int] {
        guard let status = try StoreFile.status(file.path) else { return [] }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return [Int(status.st_ino), Int(status.st_size), time.tv_sec, time.tv_nsec, try file.walSize()]
    }
}
