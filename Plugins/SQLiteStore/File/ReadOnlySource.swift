internal import Dispatch
internal import GRDB
internal import SwitchyardCore

/// Reads a store without changing its file or making another beside it: one connection for each read.
struct ReadOnlySource: Sendable {
    let file: StoreFile
    let schema: Schema
    let busyTimeout: Double
    /// How many reads there may be at a time, at least 1.
    let readers: Int

    /// Runs work in one snapshot.
    ///
    /// Without a log the file is read without locks, so it is compared afterwards: if somebody wrote
    /// meanwhile, the result is thrown away with `serialization`, and the retry finds the log and reads with
    /// locks. Writers that come and go leave no log behind, so that the last attempt reads from a copy, which
    /// is made in a moment.
    ///
    /// - Throws: `readOnly` for files that SQLite must put in order first.
    func read<Result: Sendable>(
        isLastAttempt: Bool,
        _ body: @escaping @Sendable (Database, ConnectionRegistry.State) throws -> Result
    ) async throws -> Result {
        if isLastAttempt, let copy = try await DispatchQueue.global().run({ try copied() }) {
            return try await read(from: copy, body)
        }
        let before = try file.appearance()
        let outcome: Swift.Result<Result, any Error>
        do {
            let queue = try await DispatchQueue.global().run { try open(before.readMode) }
            outcome = .success(try await read(from: queue, body))
        } catch let error as DatabaseError {
            let isUnfinished =
                error.resultCode == .SQLITE_READONLY
                || before.readMode == .copied && error.resultCode == .SQLITE_CANTOPEN
            outcome = .failure(
                isUnfinished ? file.needsWriting : StoreError.translating(error, in: schema, at: file.path))
        } catch {
            outcome = .failure(error)
        }
        guard let result = try file.settled(outcome, since: before) else {
            throw StoreError(
                .serialization,
                "Others kept writing the store while it was read. Try again, or open it for writing, where reads and writes "
                    + "do not disturb each other.")
        }
        return result
    }

    private func read<Result: Sendable>(
        from queue: DatabaseQueue,
        _ body: @escaping @Sendable (Database, ConnectionRegistry.State) throws -> Result
    ) async throws -> Result {
        try await queue.read { database in
            let registry = ConnectionRegistry()
            defer { registry.removeAllStatements() }
            return try body(database, try registry.state(of: database))
        }
    }

    /// A copy in a file of SQLite's own, which goes with its connection; nil where there is a log, and with it
    /// locks.
    private func copied() throws -> DatabaseQueue? {
        try file.whileUnchanged { mode in
            guard mode == .immutable else { return nil }
            let copy = try DatabaseQueue(path: "")
            try open(mode).backup(to: copy)
            return copy
        }
    }

    private func open(_ mode: StoreFile.ReadMode) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = BusyWait.atMost(busyTimeout)
        configuration.label = "Switchyard"
        return try DatabaseQueue(path: file.readOnlyURI(mode), configuration: configuration)
    }
}
