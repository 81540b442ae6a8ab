internal import Foundation
internal import GRDB
internal import SwitchyardCore
internal import Synchronization

/// Watches a store's files for the commits of other connections, in this process and in others.
///
/// Each commit writes to the log or the journal, but so do rollbacks. Whether something was committed is told by
/// SQLite's `data_version`: on a connection of the watch's own it changes with every commit, and on the store's writing
/// connection with those of others. The database file and the shared memory are not opened otherwise: closing a
/// descriptor of theirs would drop SQLite's locks.
///
/// Source: sqlite.org/pragma.html#pragma_data_version.
final class OtherCommits: Sendable {
    private struct Running {
        let connection: DatabaseQueue?
        let body: @Sendable () -> Void
        /// The version of the watch's connection when it was last looked at.
        var version: Int?
        /// The version of the writing connection after the store's own last commit.
        var writerVersion: Int?
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

    private let file: StoreFile
    private let comparesVersions: Bool
    private let running = Mutex<Running?>(nil)

    /// Creates the watch of a store, which sees nothing yet; nil for a store in memory.
    init?(of source: SQLiteStore.Source, at location: String) {
        guard location.hasPrefix("/") else { return nil }
        file = StoreFile(path: location)
        // A store that is opened read-only keeps no connection; each write to the log counts as a commit then.
        comparesVersions = if case .readOnly = source { false } else { true }
    }

    /// Calls the body after commits of others, until the object that it returns is released.
    ///
    /// - Throws: `inputOutput` if the directory cannot be watched.
    func watch(_ body: @escaping @Sendable () -> Void) throws -> any Sendable & AnyObject {
        let files = try FileWatch([file.name + "-wal", file.name + "-journal"], in: file.directory) {
            [weak self] in self?.filesChanged()
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "Switchyard watch"
        // Without a connection, each write to the log counts as a commit.
        let connection =
            comparesVersions ? try? DatabaseQueue(path: file.path, configuration: configuration) : nil
        running.withLock {
            $0 = Running(connection: connection, body: body, version: Self.version(connection))
        }
        return Handle(files) { [weak self] in self?.end() }
    }

    /// Records that the store itself has committed, so that this is not taken for a commit of others.
    ///
    /// - Parameter database: The connection that has committed, on its thread.
    func noteOwnCommit(on database: Database) {
        let body = running.withLock { running -> (@Sendable () -> Void)? in
            guard var now = running else { return nil }
            now.version = Self.version(now.connection)
            // Read after the other version: if it has not changed, nor has anybody else changed anything until then.
            let writerVersion = Self.version(database)
            let isAlone = writerVersion == now.writerVersion
            now.writerVersion = writerVersion
            running = now
            return isAlone ? nil : now.body
        }
        body?()
    }

    private func filesChanged() {
        let body = running.withLock { running -> (@Sendable () -> Void)? in
            guard var now = running else { return nil }
            let version = Self.version(now.connection)
            if let version, version == now.version { return nil }
            now.version = version
            running = now
            return now.body
        }
        body?()
    }

    private func end() {
        let last = running.withLock { running in
            defer { running = nil }
            return running
        }
        try? last?.connection?.close()
    }

    private static func version(_ connection: DatabaseQueue?) -> Int? {
        guard let connection else { return nil }
        return connection.unsafeRead { version($0) }
    }

    private static func version(_ database: Database) -> Int? {
        try? Int.fetchOne(database, sql: "PRAGMA data_version")
    }
}
