internal import Foundation
internal import GRDBSQLite
internal import Logging
internal import SwitchyardCore

/// When the write-ahead log is copied into the database file, and when it is emptied.
///
/// It takes the place of SQLite's own checkpoints, which are not safe beside those of other processes (see
/// `CheckpointConnections`) and never empty a log that some reader always uses.
final class Checkpoint: Sendable {
    /// How many pages are written to the log before they are copied.
    static let pages = 1000
    /// How many pages the log may hold before it is emptied, for which writers wait.
    static let mostPages = 4 * pages
    /// How long the log's file may be, in bytes: a bit more than that many pages of SQLite's usual size.
    static let mostBytes = 20_000_000

    private let path: String
    private let suspension: Suspension
    private let telemetry: StoreTelemetry
    /// How long writers and readers are waited for.
    private let wait: BusyWait
    // Not a Mutex, on whose lock commits contend here: Thread Sanitizer does not see it.
    private let state = Monitor(State())

    private struct State: Sendable {
        /// The pages in the log after this process's last commit.
        var logged = 0
        /// How many there must be for the next copy.
        var nextCopy = Checkpoint.pages
        /// How many there must be for the log to be emptied.
        var nextTruncation = Checkpoint.mostPages
        /// Whether the log's file is too long for what it holds: a large transaction was rolled back, or its
        /// process was killed.
        var isOversized = false
        var running: Task<Void, Never>?
        var connections: CheckpointConnections?
        var files: OpenFiles?
        var onDue: (@Sendable () -> Void)?

        var isDue: Bool { isOversized || logged >= nextCopy }

        /// Starts again with an empty log.
        mutating func reset() {
            nextCopy = Checkpoint.pages
            nextTruncation = Checkpoint.mostPages
            isOversized = false
        }
    }

    /// Describes the checkpoints of a file, of a store with a busy timeout in seconds.
    init(path: String, busyTimeout: Double, suspension: Suspension, telemetry: StoreTelemetry) {
        self.path = path
        self.suspension = suspension
        self.telemetry = telemetry
        // One after the other, and no other writer fails for it.
        wait = BusyWait(seconds: busyTimeout / 4)
        suspension.onBegin { [weak self] in self?.state.withLock(\.connections)?.interrupt() }
    }

    /// Takes over from SQLite's own checkpoints on a connection.
    ///
    /// The connection must not outlive the checkpoint.
    func register(on connection: OpaquePointer) {
        sqlite3_wal_hook(
            connection,
            { checkpoint, _, _, pages in
                guard let checkpoint else { return SQLITE_OK }
                return Unmanaged<Checkpoint>.fromOpaque(checkpoint).takeUnretainedValue()
                    .didCommit(logged: Int(pages))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sets what commits are checked against and what is done when a checkpoint is due, after any commit on a
    /// registered connection.
    func follow(_ files: OpenFiles?, onDue: @escaping @Sendable () -> Void) {
        state.withLock { ($0.files, $0.onDue) = (files, onDue) }
    }

    /// - Returns: The result of the commit, as the connection is told.
    private func didCommit(logged: Int) -> CInt {
        let (files, action) = state.withLock { state in
            // A writer restarts a log that is copied whole and that no reader uses.
            if logged < state.logged { state.reset() }
            state.logged = logged
            return (state.files, state.isDue ? state.onDue : nil)
        }
        // A write of the store is stopped before its commit; one on the lent connection can only be told, and
        // of all codes SQLite makes this one.
        guard files?.fault == nil else { return SQLITE_ERROR }
        action?()
        return SQLITE_OK
    }

    /// Looks whether the log's file has become too long for what it holds.
    func measure() {
        if logSize > Self.mostBytes { state.withLock { $0.isOversized = true } }
    }

    private var logSize: Int {
        (try? StoreFile.status(path + "-wal")).flatMap(\.self).map { Int($0.st_size) } ?? 0
    }

    /// The checkpoint in progress.
    var running: Task<Void, Never>? { state.withLock(\.running) }

    /// The checkpoint in progress, or a new one if one is due and locks may be taken.
    ///
    /// - Parameter alone: Runs work while this process does not write, or throws.
    /// - Returns: A task to wait for; nil if there is nothing to do.
    func start(
        alone: @escaping @Sendable (@escaping @Sendable () -> Bool) async throws -> Bool
    ) -> Task<Void, Never>? {
        state.withLock { state in
            if let running = state.running { return running }
            guard state.isDue, !suspension.isActive, state.files?.fault == nil else { return nil }
            let task = Task { await run(alone: alone) }
            state.running = task
            return task
        }
    }

    /// A write is committed whatever becomes of this; a later one tries again.
    private func run(alone: (@escaping @Sendable () -> Bool) async throws -> Bool) async {
        let start = ContinuousClock.now
        let connections = try? await DispatchQueue.global().run { [self] in try connect() }
        let progress = try? await DispatchQueue.global().run { connections?.copy() }
        telemetry.note("checkpoint", since: start, progress?.metadata ?? [:])
        if noteCopy(progress), let connections {
            let start = ContinuousClock.now
            let isEmpty = (try? await alone { [wait] in connections.truncate(waiting: wait) }) ?? false
            noteTruncation(isEmpty)
            // No error tells that a long read, or another process, lets the log grow.
            telemetry.note(
                isEmpty ? "log emptied" : "log not emptied", at: isEmpty ? .debug : .info, since: start)
        }
        state.withLock { state in
            state.connections = nil
            state.running = nil
        }
    }

    private func connect() throws -> CheckpointConnections {
        let connections = try CheckpointConnections(path: path) { [suspension] in suspension.isActive }
        state.withLock { $0.connections = connections }
        return connections
    }

    /// - Returns: Whether the log must be emptied.
    private func noteCopy(_ progress: CheckpointConnections.Progress?) -> Bool {
        state.withLock { state in
            let logged = progress?.logged ?? state.logged
            state.nextCopy = logged + Self.pages
            return logged >= state.nextTruncation || state.isOversized
        }
    }

    private func noteTruncation(_ isEmpty: Bool) {
        state.withLock { state in
            // Writers have waited for a reader in vain; they are not made to at every commit.
            let next = 2 * max(state.logged, Self.mostPages)
            state.reset()
            if isEmpty {
                state.logged = 0
            } else {
                (state.nextCopy, state.nextTruncation) = (state.logged + Self.pages, next)
            }
        }
    }

    /// Checkpoints what is left in the log when the store's connections are closed.
    ///
    /// Then others have the file open; the last one of all to close deletes the log.
    ///
    /// - Throws: A `StoreError` if the file cannot be opened any more.
    func runAfterClose() throws {
        guard !suspension.isActive, logSize > 0 else { return }
        let connections = try connect()
        defer { state.withLock { $0.connections = nil } }
        let start = ContinuousClock.now
        let progress = connections.copy()
        telemetry.note("checkpoint", since: start, progress?.metadata ?? [:])
        if logSize > Self.mostBytes { _ = connections.truncate(waiting: wait) }
    }
}

extension CheckpointConnections.Progress {
    /// How much was copied.
    fileprivate var metadata: Logger.Metadata {
        ["switchyard.checkpoint.logged": "\(logged)", "switchyard.checkpoint.copied": "\(copied)"]
    }
}
