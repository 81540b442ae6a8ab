internal import GRDB
internal import SwitchyardCore

/// Reads a store without changing its file, WAL or journal, with one connection for each read.
struct ReadOnlySource: Sendable {
    let file: StoreFile
    let schema: Schema
    let busyTimeout: Double
    /// The maximum number of concurrent reads, at least 1.
    let readers: Int

    /// Runs work in one snapshot, and again if a WAL has appeared in the meantime.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database, ConnectionRegistry.State) throws -> Result
    ) async throws -> Result {
        try await file.whileReadable(busyTimeout: busyTimeout) { source in
            let queue = try await BlockingWork.run { try open(source) }
            return try await queue.read { database in
                let registry = ConnectionRegistry()
                defer { registry.removeAllStatements() }
                return try body(database, try registry.state(of: database))
            }
        }
    }

    private func open(_ source: StoreFile.ReadSource) throws -> DatabaseQueue {
        var configuration = Configuration()
        if case .copy = source {} else { configuration.readonly = true }
        configuration.busyMode = BusyWait.atMost(busyTimeout)
        configuration.label = "Switchyard"
        return try DatabaseQueue(path: file.uri(source), configuration: configuration)
    }
}
