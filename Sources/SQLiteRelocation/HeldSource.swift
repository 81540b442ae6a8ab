internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import SQLiteStore
internal import SwitchyardCore

/// The old file, locked against other writers.
///
/// A Switchyard store is held by its writers' lock, so readers go on; its marker fences all writers once it
/// is replaced. Nothing fences the writers of another file, so that file is locked exclusively, which shows
/// that no process is using it, and keeps others out.
final class HeldSource: Sendable {
    let file: StoreFile
    /// The marker of the store; nil for another database.
    let marker: StoreMarker?
    /// The size in bytes, including what is in the log.
    let size: Int
    /// The permissions of the file before any move protected it.
    let mode: UInt32
    private let foundMode: UInt32
    private let queue: DatabaseQueue
    private let isAlone: Bool

    /// Opens the file, and waits for the lock.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - mode: The permissions before an interrupted move protected the file, if one did.
    ///   - isAlone: Whether readers are locked out as well, even of a store.
    ///   - busyTimeout: How many seconds to wait.
    ///   - stop: Ends the wait.
    /// - Throws: `busy`, `readOnly`, `notAStore`, `corrupted`, `inputOutput`.
    init(
        _ file: StoreFile, mode: UInt32? = nil, alone isAlone: Bool = false, busyTimeout: Double,
        _ stop: CancellationFlag
    ) throws {
        self.file = file
        let found = UInt32(try FileEntry(file.path)?.mode ?? 0o600) & 0o7777
        foundMode = found
        // Other permissions than those of a protected file were given to it since, or it is another file.
        let mode = mode.flatMap { found == $0 & 0o7444 ? $0 : nil }
        self.mode = mode ?? found
        if let mode { try Self.setMode(mode, of: file) }
        var configuration = Configuration()
        configuration.label = "Switchyard relocation"
        // The transaction lasts while the file is copied.
        configuration.allowsUnsafeTransactions = true
        let wait = BusyWait(seconds: busyTimeout)
        configuration.busyMode = .callback { tries in (try? stop.check()) != nil && wait.pause(after: tries) }
        do {
            try Self.requireWritable(file)
            let queue = try DatabaseQueue(path: file.uri("mode=rw"), configuration: configuration)
            self.queue = queue
            (marker, self.isAlone, size) = try queue.inDatabase { database in
                let isAlone = try isAlone || database.storeMarker(of: file) == nil
                let marker = try Self.hold(database, file, alone: isAlone)
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
                return (marker, isAlone, pages * pageSize)
            }
        } catch {
            if mode != nil { try? Self.setMode(found, of: file) }
            try stop.check()
            throw Self.explained(error, file)
        }
    }

    private static func hold(
        _ database: Database, _ file: StoreFile, alone isAlone: Bool
    ) throws -> StoreMarker? {
        database.removesLogOnClose()
        // The fence must survive a loss of power. Checkpoints beside others are left to them.
        try database.execute(
            sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0")
        if !isAlone {
            try database.beginTransaction(.immediate)
            // It may have been changed while the lock was waited for; without one nothing would fence the file.
            guard let marker = try database.storeMarker(of: file) else {
                throw DatabaseError(resultCode: .SQLITE_BUSY)
            }
            return marker
        }
        // In this mode a connection keeps its lock until it is closed.
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try database.inTransaction(.exclusive) { .commit }
        // Then the file alone has all rows.
        let checkpoint = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        guard checkpoint?[0] == 0 else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        return try database.storeMarker(of: file)
    }

    private static func explained(_ error: any Error, _ file: StoreFile) -> any Error {
        let error = StoreError.translating(error, in: nil, at: file.path)
        guard let failure = error as? StoreError, failure.code == .busy else { return error }
        return StoreError(
            .busy,
            "\(file.path) is in use by another process or another part of this one. Close it there and try again; nothing "
                + "was changed.", detail: failure.detail)
    }

    /// Sets the permissions of the file, and of the files beside it that SQLite has created with the same
    /// ones.
    private static func setMode(_ mode: UInt32, of file: StoreFile) throws {
        for path in [file.path, file.walPath, file.sharedMemoryPath] where chmod(path, mode_t(mode)) != 0 {
            guard errno == ENOENT, path != file.path else {
                throw StoreError.file("given permissions", path, errno)
            }
        }
    }

    /// Checks that the file can be written, before SQLite opens it: SQLite would leave read-only files beside
    /// a read-only one, which make it useless.
    private static func requireWritable(_ file: StoreFile) throws {
        let paths = [file.path, file.directory + "/", file.walPath, file.sharedMemoryPath]
        for path in paths where access(path, W_OK) != 0 && errno != ENOENT {
            throw StoreError(
                .readOnly,
                "\(path) cannot be written by this user, so \(file.path) cannot be locked during the move. "
                    + "Change the permissions and try again; nothing was changed.")
        }
    }

    /// Reads every row.
    func survey(_ stop: CancellationFlag) throws -> TableSurvey {
        try reading { try TableSurvey(of: $0, stop) }
    }

    /// Lets SQLite check the whole file.
    func faults(_ stop: CancellationFlag) throws -> [String] {
        try reading { try IntegrityCheck.faults(in: $0, of: file, stop) }
    }

    /// Whether the file alone has all rows and no longer changes: the WAL is checkpointed, unless a reader of
    /// an older state prevents that, and writers are locked out.
    func isWhole() -> Bool { isAlone || file.checkpoint() }

    /// Works with the bytes of the file.
    func withBytes<Result>(_ body: (FileBytes) throws -> Result) throws -> Result {
        try reading { try body(FileBytes(of: $0.sqliteConnection, at: file.path)) }
    }

    private func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            let queue = try reader()
            defer { try? queue.close() }
            return try queue.inDatabase(body)
        } catch {
            throw StoreError.translating(error, in: nil, at: file.path)
        }
    }

    /// Checks that nothing was written to the file since it was copied.
    ///
    /// - Throws: `verification`.
    func requireUnchanged(since report: RelocationReport, _ stop: CancellationFlag) throws {
        // Of a store, the marker was changed on purpose.
        let isOther = { [marker] (table: TableDigest) in marker == nil || table.name != "switchyard_store" }
        let tables = Set(try survey(stop).tables.filter(isOther))
        let changed = tables.symmetricDifference(report.tables.filter(isOther)).map(\.name)
        guard changed.isEmpty else {
            throw StoreError(
                .verification,
                "\(file.path) was written to after it was copied to \(report.target), in "
                    + "\(Set(changed).sorted().joined(separator: ", ")). Transfer that to the new file by "
                    + "hand, or discard one of the two; nothing was changed.")
        }
    }

    /// A connection that reads what is held.
    func reader() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "Switchyard relocation"
        // The holder of an exclusive lock needs no further lock, and would not get it.
        return try DatabaseQueue(
            path: file.uri(isAlone ? "mode=ro&immutable=1" : "mode=ro"), configuration: configuration)
    }

    /// Prevents all writes to the file from now on.
    func fence(successor: String) throws {
        guard var marker else {
            // A reminder rather than a fence: the lock is what keeps others out, until the file has another name.
            return try Self.setMode(mode & 0o7444, of: file)
        }
        (marker.role, marker.successor) = (.superseded, successor)
        try write(marker)
    }

    /// Reactivates the file, whichever process has fenced it.
    func unfence() throws {
        guard var marker else { return try Self.setMode(mode, of: file) }
        // What could not be fenced, for example because the disk is full, need not be written.
        if try current()?.role == .active { return }
        (marker.role, marker.successor) = (.active, nil)
        try write(marker)
    }

    /// The marker that the file has now.
    private func current() throws -> StoreMarker? {
        do {
            return try queue.inDatabase { try $0.storeMarker(of: file) }
        } catch {
            throw StoreError.translating(error, in: nil, at: file.path)
        }
    }

    private func write(_ marker: StoreMarker) throws {
        do {
            try queue.inDatabase { database in
                if !database.isInsideTransaction { try database.beginTransaction(.immediate) }
                do {
                    try database.setStoreMarker(marker, of: file)
                    try database.commit()
                } catch {
                    if database.isInsideTransaction { try? database.rollback() }
                    throw error
                }
            }
        } catch {
            throw StoreError.translating(error, in: nil, at: file.path)
        }
    }

    /// Runs work on a file that an earlier move has protected, and protects it again if the work fails.
    func protectedUnlessDone(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch {
            try? Self.setMode(foundMode, of: file)
            throw error
        }
    }

    /// Releases the file and renames it to a backup, unless its marker says that it is one.
    ///
    /// Apple's SQLite invalidates connections to a renamed file, so the file is closed first. From then on
    /// its permissions prevent writes.
    ///
    /// - Throws: `invalidArgument` if the name is taken; as `StoreFile.publish`.
    func retire(to backup: StoreFile) throws {
        guard marker == nil else { return }
        close()
        // The remaining files are empty, and belong to the old name.
        removeCompanions()
        guard try backup.publish(file) else {
            throw StoreError(
                .invalidArgument,
                "\(backup.path), which is the name of the backup, is taken. Move that file away and try again; the new file is "
                    + "in place already.")
        }
    }

    /// Deletes the file, its WAL, journal and shared memory.
    func delete() throws {
        removeCompanions()
        guard unlink(file.path) == 0 else { throw StoreError.file("removed", file.path, errno) }
        file.syncDirectory()
    }

    private func removeCompanions() {
        for path in [file.walPath, file.sharedMemoryPath, file.journalPath] { unlink(path) }
    }

    /// Releases the file.
    func close() { try? queue.close() }
}
