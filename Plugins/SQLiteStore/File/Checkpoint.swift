internal import Foundation
internal import GRDBSQLite
internal import Logging
internal import SwitchyardCore

/// Decides when the WAL is checkpointed, and when it is truncated.
///
/// It replaces SQLite's automatic checkpoints, which are not safe beside those of other processes (see
/// `CheckpointConnections`) and never truncate a WAL that always has a reader.
final class Checkpoint: Sendable {
    /// The number of pages in the WAL at which it is checkpointed.
    private static let pages = 1000

    /// Whether rows are being copied to the file, so that it is not the store to use yet.
    private let isOfCopy: Bool
    /// The maximum size of the WAL file in bytes: slightly more than the most pages, of SQLite's usual size.
    let mostBytes: Int
    /// The number of pages in the WAL at which it is truncated, for which writers wait.
    private let mostPages: Int
    private let path: String
    private let suspension: Suspension
    private let telemetry: StoreTelemetry
    /// The store's busy timeout, in seconds.
    private let busyTimeout: Double
    /// How long to wait for writers.
    ///
    /// The waits add up, and other writers must not time out because of them.
    private var wait: BusyWait { BusyWait(seconds: busyTimeout / 4) }
    // Not a Mutex: commits contend for this lock, and Thread Sanitizer does not understand Mutex.
    private let state: Monitor<State>

    private struct State: Sendable {
        let mostPages: Int
        /// The number of pages in the WAL after this process's last commit.
        var logged = 0
        /// The number of pages at which the next checkpoint is due.
        var nextCopy = Checkpoint.pages
        /// The number of pages at which the next truncation is due.
        var nextTruncation: Int
        /// Whether the WAL file is too long for its content, because a large transaction was rolled back, or its
        /// process was killed.
        var isOversized = false
        var running: Task<Void, Never>?
        /// Whether the store is being closed, so that no other one begins.
        var isEnded = false
        /// The connections of the last checkpoint, kept for the next one: SQLite syncs the directory with
        /// each new connection.
        var connections: CheckpointConnections?
        var files: OpenFiles?
        /// Whether each commit is checked against the files, because the app also writes on a connection.
        var checksCommits = false
        var onDue: (@Sendable () -> Void)?

        init(mostPages: Int) {
            self.mostPages = mostPages
            nextTruncation = mostPages
        }

        var isDue: Bool { isOversized || logged >= nextCopy }

        /// Starts again with an empty WAL.
        mutating func reset() {
            nextCopy = Checkpoint.pages
            nextTruncation = mostPages
            isOversized = false
        }
    }

    /// Creates the checkpoints of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isOfCopy: Whether rows are being copied to it, so that it is not the store to use yet.
    ///   - busyTimeout: The store's busy timeout, in seconds.
    ///   - suspension: Forbids checkpoints for a time.
    ///   - telemetry: Receives their records.
    init(
        path: String, isOfCopy: Bool, busyTimeout: Double, suspension: Suspension, telemetry: StoreTelemetry
    ) {
        self.isOfCopy = isOfCopy
        mostPages = (isOfCopy ? 16 : 4) * Self.pages
        mostBytes = 5_000 * mostPages
        state = Monitor(State(mostPages: mostPages))
        self.path = path
        self.suspension = suspension
        self.telemetry = telemetry
        self.busyTimeout = busyTimeout
        suspension.onBegin { [weak self] in self?.state.withLock(\.connections)?.interrupt() }
    }

    /// Replaces SQLite's automatic checkpoints on a connection.
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

    /// Sets the files of the store, and the closure to call when a checkpoint is due.
    func follow(_ files: OpenFiles?, onDue: @escaping @Sendable () -> Void) {
        state.withLock { ($0.files, $0.onDue) = (files, onDue) }
    }

    /// Checks each commit on a registered connection against the files from now on, because a connection was
    /// lent to the app.
    func checkCommits() { state.withLock { $0.checksCommits = true } }

    /// - Returns: The result code of SQLite's WAL hook, which the commit reports.
    private func didCommit(logged: Int) -> CInt {
        let (files, action) = state.withLock { state in
            // A writer restarts a WAL that is fully checkpointed and that no reader uses.
            if logged < state.logged { state.reset() }
            state.logged = logged
            return (state.checksCommits ? state.files : nil, state.isDue ? state.onDue : nil)
        }
        // A write of the store is stopped before its commit. The app's own connection learns of it only
        // afterwards, and SQLite turns every result code into this one.
        guard files?.fault == nil else { return SQLITE_ERROR }
        action?()
        return SQLITE_OK
    }

    /// Checks whether the WAL file has become too long for its content.
    func measure() {
        if logSize > mostBytes { state.withLock { $0.isOversized = true } }
    }

    private var logSize: Int {
        (try? StoreFile.status(path + "-wal")).flatMap(\.self).map { Int(clamping: $0.st_size) } ?? 0
    }

    /// Prevents further checkpoints, and waits for the one in progress.
    func end() async {
        let running = state.withLock { state in
            state.isEnded = true
            return state.running
        }
        await running?.value
    }

    /// The checkpoint in progress, or a new one if one is due and locks may be taken.
    ///
    /// - Parameter alone: Runs its argument while this process does not write, or throws.
    /// - Returns: The task to wait for; nil if there is nothing to do.
    func start(
        alone: @escaping @Sendable (@escaping @Sendable () -> Bool) async throws -> Bool
    ) -> Task<Void, Never>? {
        state.withLock { state in
            if let running = state.running { return running }
            guard state.isDue, !state.isEnded, !suspension.isActive, state.files?.fault == nil else {
                return nil
            }
            let task = Task { await run(alone: alone) }
            state.running = task
            return task
        }
    }

    /// Whether a writer waits for the checkpoint that it has made due.
    ///
    /// The writer of a copy does not wait until the WAL is to be truncated; then it must, or a slow disk
    /// would let the WAL grow without bound.
    var holdsWriter: Bool { !isOfCopy || state.withLock { $0.logged >= $0.nextTruncation } }

    /// How long to wait for readers while writers wait; longer for a longer WAL.
    private var hold: BusyWait {
        let length = state.withLock { Double($0.logged) / Double(mostPages) }
        return BusyWait(seconds: busyTimeout * min(max(length, 1) / 20, 0.25))
    }

    /// Runs a checkpoint.
    ///
    /// If it fails, the write that caused it is still committed, and a later one tries again.
    private func run(alone: (@escaping @Sendable () -> Bool) async throws -> Bool) async {
        let start = ContinuousClock.now
        let connections = try? await BlockingWork.run { [self] in try connect() }
        let progress = try? await BlockingWork.run { connections?.copy() }
        telemetry.note("checkpoint", since: start, progress?.metadata ?? [:])
        if noteCopy(progress), let connections {
            let start = ContinuousClock.now
            let isEmpty =
                (try? await alone { [wait, hold] in connections.truncate(waiting: wait, holding: hold) })
                ?? false
            noteTruncation(isEmpty)
            // Logged because no error reports that a long read or another process lets the WAL grow.
            telemetry.note(
                isEmpty ? "log emptied" : "log not emptied", at: isEmpty ? .debug : .info, since: start)
        }
        state.withLock { state in
            // The cause may be a file that no longer exists.
            if progress == nil { state.connections = nil }
            state.running = nil
        }
    }

    private func connect() throws -> CheckpointConnections {
        if let connections = state.withLock(\.connections) { return connections }
        let connections = try CheckpointConnections(path: path) { [suspension] in suspension.isActive }
        state.withLock { $0.connections = connections }
        return connections
    }

    /// - Returns: Whether the WAL must be truncated.
    private func noteCopy(_ progress: CheckpointConnections.Progress?) -> Bool {
        state.withLock { state in
            let logged = progress?.logged ?? state.logged
            state.nextCopy = logged + Self.pages
            return logged >= state.nextTruncation || state.isOversized
        }
    }

    private func noteTruncation(_ isEmpty: Bool) {
        state.withLock { state in
            // Writers have already waited for a reader; they must not wait again at every commit.
            let next = 2 * max(state.logged, mostPages)
            state.reset()
            if isEmpty {
                state.logged = 0
            } else {
                (state.nextCopy, state.nextTruncation) = (state.logged + Self.pages, next)
            }
        }
    }

    /// Closes the connections, before those of the store.
    func disconnect() { state.withLock { $0.connections = nil } }

    /// Checkpoints the rest of the WAL after the store's connections are closed.
    ///
    /// Pages remain only if others have the file open: the last connection to close deletes the WAL.
    ///
    /// - Throws: A `StoreError` if the file can no longer be opened.
    func runAfterClose() throws {
        guard !suspension.isActive, logSize > 0 else { return }
        let connections = try connect()
        defer { disconnect() }
        let start = ContinuousClock.now
        let progress = connections.copy()
        telemetry.note("checkpoint", since: start, progress?.metadata ?? [:])
        if logSize > mostBytes { _ = connections.truncate(waiting: wait, holding: hold) }
    }
}

extension CheckpointConnections.Progress {
    /// The number of pages in the WAL, and how many were copied.
    fileprivate var metadata: Logger.Metadata {
        ["switchyard.checkpoint.logged": "\(logged)", "switchyard.checkpoint.copied": "\(copied)"]
    }
}
