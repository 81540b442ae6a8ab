internal import Dispatch
internal import Foundation
internal import GRDB
internal import SwitchyardCore
internal import Synchronization

/// Watches a store's files for the commits of other connections, in this process and in others.
///
/// Each commit writes to the WAL or the journal, but so does each rollback. SQLite's `data_version` shows
/// whether something was committed: on a connection of the watch's own it changes with every commit, and on
/// the store's writing connection with those of others. The database file and the shared memory are not
/// opened otherwise: closing a descriptor of theirs would drop SQLite's locks.
///
/// Source: sqlite.org/pragma.html#pragma_data_version.
final class OtherCommits: Sendable {
    private struct Running {
        /// Distinguishes it from a watch that begins just after this one was released.
        let id = UUID()
        var connection: DatabaseQueue?
        /// Counts the changes of the files.
        var turn = 0
        let body: @Sendable () -> Void
        /// The version of the watch's connection at the last check.
        var version: Int?
        /// The version of the writing connection after the store's own last commit.
        var writerVersion: Int?

        /// Records a version of the watch's connection, which only grows; returns whether it is new.
        mutating func saw(_ found: Int?) -> Bool {
            guard let found, version.map({ $0 < found }) ?? true else { return false }
            version = found
            return true
        }
    }

    /// Ends the watch when it is released.
    private final class Handle: Sendable {
        private let files: FileWatch
        private let end: @Sendable () -> Void

        init(_ files: FileWatch, end: @escaping @Sendable () -> Void) {
            self.files = files
            self.end = end
        }

        deinit { end() }
    }

    /// The longest pause between two checks, in milliseconds; the sum of all is twice as long.
    private static let longestPause = 16_384

    private let file: StoreFile
    private let comparesVersions: Bool
    /// Whether the files are still those of the store; if not, followers learn of it.
    private let isInPlace: @Sendable () -> Bool
    /// Held for moments: versions are read before, since SQLite may wait for the disk.
    private let running = Mutex<Running?>(nil)
    /// Whether the store is closed, so that no more connections are opened.
    private let isClosed = Atomic(false)
    /// Opens and closes the connection, one step at a time.
    private let queue = DispatchQueue(label: "switchyard.sqlite.watch")

    /// Creates the watch of a store, which sees nothing yet; nil for a store in memory.
    ///
    /// - Parameters:
    ///   - source: The source of the connection that reads.
    ///   - location: The path of the database file.
    ///   - isInPlace: Whether the files are still those of the store.
    init?(
        of source: SQLiteStore.Source, at location: String, isInPlace: @escaping @Sendable () -> Bool
    ) {
        guard location.hasPrefix("/") else { return nil }
        file = StoreFile(path: location)
        self.isInPlace = isInPlace
        // A read-only store keeps no connection; then each write to the WAL counts as a commit.
        comparesVersions = if case .readOnly = source { false } else { true }
    }

    /// Calls the body after commits of others, until the object that it returns is released.
    ///
    /// - Throws: `inputOutput` if the directory cannot be watched.
    func watch(_ body: @escaping @Sendable () -> Void) async throws -> any Sendable & AnyObject {
        let new = Running(body: body)
        let id = new.id
        running.withLock { $0 = new }
        let files = try FileWatch(
            [file.name + "-wal", file.name + "-journal"], unopened: [file.name],
            in: file.directory.isEmpty ? "/" : file.directory
        ) { [weak self] in self?.filesChanged() }
        let handle = Handle(files) { [weak self] in self?.end(id) }
        if comparesVersions { await onQueue { [self] in open(id) } }
        return handle
    }

    /// Prevents further connections, and waits until those of ended watches are closed.
    func close() async {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        await onQueue {}
    }

    private func onQueue(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                work()
                continuation.resume()
            }
        }
    }

    /// Opens the connection, unless the watch has ended; without one, each write to the WAL counts as a
    /// commit.
    private func open(_ id: UUID) {
        guard !isClosed.load(ordering: .sequentiallyConsistent) else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "Switchyard watch"
        guard let connection = try? DatabaseQueue(path: file.path, configuration: configuration) else {
            return
        }
        let version = Self.version(connection)
        let isNeeded = running.withLock { running in
            guard running?.id == id else { return false }
            running?.connection = connection
            running?.version = version
            return true
        }
        if !isNeeded { try? connection.close() }
    }

    /// Records a commit of the store itself, so that it is not mistaken for one of others.
    ///
    /// - Parameter database: The connection that has committed, on its thread.
    func noteOwnCommit(on database: Database) {
        let (id, connection) = running.withLock { ($0?.id, $0?.connection) }
        guard id != nil else { return }
        let version = Self.version(connection)
        // Read after the other version: if it is unchanged, nothing else was committed until then.
        let writerVersion = Self.version(database)
        let body = running.withLock { running -> (@Sendable () -> Void)? in
            guard running?.id == id else { return nil }
            _ = running?.saw(version)
            defer { running?.writerVersion = writerVersion }
            return running?.writerVersion == writerVersion ? nil : running?.body
        }
        body?()
    }

    private func filesChanged() {
        let turn = running.withLock { running -> Int? in
            running?.turn += 1
            return running?.turn
        }
        if let turn { look(turn, pause: 1) }
    }

    /// Checks for commits, now and several times later, unless the files change in the meantime.
    ///
    /// The WAL is written before its index, which makes a commit visible and whose changes no event reports.
    /// A disk sync may lie in between.
    ///
    /// - Parameters:
    ///   - turn: The number of the last change of the files.
    ///   - pause: The milliseconds until the next check.
    private func look(_ turn: Int, pause: Int) {
        let (isDue, connection) = running.withLock { ($0?.turn == turn, $0?.connection) }
        guard isDue else { return }
        let version = Self.version(connection)
        let isMoved = version != nil && !isInPlace()
        let isLast = pause > Self.longestPause
        let body = running.withLock { running -> (@Sendable () -> Void)? in
            guard running?.turn == turn else { return nil }
            // Without a connection the result is unknown, and a reader might come too early.
            let isKnown =
                version == nil
                ? pause.trailingZeroBitCount % 3 != 0 && !isLast : running?.saw(version) == false && !isMoved
            return isKnown ? nil : running?.body
        }
        body?()
        guard !isLast else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            self?.look(turn, pause: pause * 2)
        }
    }

    private func end(_ id: UUID) {
        let connection = running.withLock { running -> DatabaseQueue? in
            guard let last = running, last.id == id else { return nil }
            running = nil
            return last.connection
        }
        guard let connection else { return }
        queue.async { try? connection.close() }
    }

    private static func version(_ connection: DatabaseQueue?) -> Int? {
        guard let connection else { return nil }
        return connection.unsafeRead { version($0) }
    }

    /// The version of a connection, which changes with the commits of others.
    private static func version(_ database: Database) -> Int? {
        try? Int.fetchOne(database, sql: "PRAGMA data_version")
    }
}
