internal import Foundation
internal import GRDB
internal import SQLiteStore
internal import SwitchyardCore

/// The copy of a file, before it gets its name.
struct DraftCopy: Sendable {
    let file: StoreFile

    /// Removes a dead process's partial copy.
    func removeLeftovers() throws { try file.removeWithLogs() }

    /// Creates the file for this user only, and copies the old one.
    ///
    /// - Parameters:
    ///   - source: The old file.
    ///   - isWhole: Whether the old file alone has all rows: then it is copied byte by byte, otherwise by
    ///     SQLite's online backup.
    ///   - stop: Ends the work.
    ///   - tell: Receives the number of copied bytes, and of all.
    /// - Throws: `full`, `readOnly`, `inputOutput`, `cancelled`.
    func fill(
        from source: HeldSource, whole isWhole: Bool, _ stop: CancellationFlag,
        tell: @escaping (Int, Int) -> Void
    ) throws {
        try translating {
            guard !isWhole else {
                return try source.withBytes { bytes in
                    let size = try bytes.count
                    try file.fill(from: bytes) { copied in
                        tell(copied, size)
                        try stop.check()
                    }
                }
            }
            let source = try source.reader()
            defer { try? source.close() }
            let pageSize = try source.inDatabase { try Int.fetchOne($0, sql: "PRAGMA page_size") } ?? 0
            try file.fill(from: source) { progress in
                tell(progress.completedPageCount * pageSize, progress.totalPageCount * pageSize)
                // After the last step there is nothing to stop.
                if !progress.isCompleted { try stop.check() }
            }
        }
    }

    func survey(_ stop: CancellationFlag) throws -> TableSurvey {
        try reading { try TableSurvey(of: $0, stop) }
    }

    /// Makes the copy of a store the active one, a generation after the old one.
    ///
    /// - Throws: `inputOutput` if the marker is not in the file afterwards; a `StoreError`.
    func activate(_ marker: StoreMarker) throws {
        var marker = marker
        (marker.role, marker.successor) = (.active, nil)
        marker.generation += 1
        try translating {
            let queue = try DatabaseQueue(path: file.uri("mode=rw"), configuration: configuration)
            defer { try? queue.close() }
            try queue.inDatabase { database in
                database.removesLogOnClose()
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL")
                try database.inTransaction(.exclusive) {
                    try database.setStoreMarker(marker, of: file)
                    return .commit
                }
            }
        }
        // Closing does not report a failed checkpoint, and the file gets its name without the WAL. A full
        // disk may have taken only a part, so that the file looks damaged.
        guard (try? reading({ try $0.storeMarker(of: file) })) == marker else {
            throw StoreError(
                .inputOutput,
                "The copy \(file.path) does not have what was written to it last. Make sure that there is room, and try again; if "
                    + "that does not help, check the disk. Nothing was changed.")
        }
    }

    /// Checks everything outside the rows of the copy, which were compared before.
    ///
    /// - Parameters:
    ///   - source: The old file.
    ///   - isWhole: Whether the copy was made byte by byte; otherwise SQLite checks all of it.
    ///   - stop: Ends the work.
    /// - Returns: Whether the copy is as sound as the old file.
    /// - Throws: `unsupported`, `inputOutput`, `cancelled`.
    func isSound(as source: HeldSource, whole isWhole: Bool, _ stop: CancellationFlag) throws -> Bool {
        try reading { database in
            guard isWhole else {
                return try IntegrityCheck.faults(in: database, of: source.file, stop).isEmpty
            }
            let copy = try FileBytes(of: database.sqliteConnection, at: file.path)
            return try source.withBytes { try $0.areEqual(to: copy) { try stop.check() } }
        }
    }

    /// Flushes the file to disk.
    func sync() throws { try file.sync() }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "Switchyard relocation"
        return configuration
    }

    private func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try translating {
            var configuration = configuration
            configuration.readonly = true
            let queue = try DatabaseQueue(path: file.uri("mode=ro&immutable=1"), configuration: configuration)
            defer { try? queue.close() }
            return try queue.inDatabase(body)
        }
    }

    private func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw StoreError.translating(error, in: nil, at: file.path)
        }
    }
}

/// SQLite's own check of a whole file.
enum IntegrityCheck {
    /// The faults that SQLite finds.
    ///
    /// - Throws: `unsupported` if an index needs a function or collation of the app; a `DatabaseError`.
    static func faults(in database: Database, of file: StoreFile, _ stop: CancellationFlag) throws -> [String]
    {
        try database.registerStoreFunctions()
        stop.interrupts(database)
        do {
            // Each row is looked up in every index.
            try database.execute(sql: "PRAGMA cache_size = -16384")
            let found = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
            return found == ["ok"] ? [] : found
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw StoreError(
                .unsupported,
                "\(file.path) has an index or a check that needs a function or a collation of its app, and "
                    + "cannot be checked here. Nothing was changed.", underlying: error)
        }
    }

    static func failure(_ faults: [String], _ file: StoreFile) -> StoreError {
        StoreError(
            .corrupted,
            "\(file.path) is damaged: SQLite's own check finds \(faults.count == 1 ? "a fault" : "faults") in it. Restore it "
                + "from a backup; nothing was changed.", detail: faults.joined(separator: "; "))
    }
}
