internal import Foundation
internal import GRDB
internal import SwitchyardCore

extension StoreFile {
    /// How to read the store without changing its file, WAL or journal.
    ///
    /// `readonly_shm=1` is never used: the connections of a process share one handle of the shared memory, so a writer
    /// that is opened in the meantime could not write either (`unixOpenSharedMemory` in os_unix.c).
    package enum ReadSource: Sendable {
        /// Only the file, if there is no WAL. SQLite takes no locks and creates no files.
        case file
        /// The file with its WAL. SQLite takes its locks, and creates or rebuilds the shared memory.
        case fileAndLog
        /// A copy, if an interrupted change must be rolled back first, or the shared memory cannot be written.
        case copy(TemporaryCopy)
    }

    /// The SQLite URI of a source.
    package func uri(_ source: ReadSource) -> String {
        switch source {
        case .file: uri("mode=ro&immutable=1")
        case .fileAndLog: uri("mode=ro")
        case .copy(let copy): copy.file.uri("mode=rw")
        }
    }

    /// Calls the body with a source to read from.
    ///
    /// A file without a WAL is read without SQLite's locks, but with a `FileLock`. If there is still no WAL
    /// afterwards, the file was not changed, because a writer with a WAL would have left it behind. If there
    /// is one, the result is discarded and the body runs again with the WAL, which then stays. If the WAL
    /// cannot be read for lack of shared memory, the body runs again with a copy.
    ///
    /// - Throws: `busy`, `full`, `inputOutput`; what `body` throws.
    package func whileReadable<Value: Sendable>(
        busyTimeout: Double, _ body: (ReadSource) async throws -> Value
    ) async throws -> Value {
        let (lock, source) = try await BlockingWork.run {
            let lock = try FileLock(path: path, busyTimeout: busyTimeout)
            return (lock, try readSource(under: lock))
        }
        defer { withExtendedLifetime(lock) {} }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(source))
        } catch {
            result = .failure(error)
        }
        let newSource = try await BlockingWork.run { try readSource(under: lock, after: source, result) }
        guard let newSource else { return try result.get() }
        return try await body(newSource)
    }

    /// The source to read instead, if the first was not a consistent state of the store, or could not be read.
    private func readSource<Value>(
        under lock: FileLock, after source: ReadSource, _ result: Result<Value, any Error>
    ) throws -> ReadSource? {
        switch (source, result) {
        case (.file, _): return try hasLog() ? readSource(under: lock) : nil
        // A full disk has no room for the shared memory. If it has no room for a copy either, that was the reason.
        case (.fileAndLog, .failure(let error)) where error.mayComeOfSharedMemory:
            return (try? copy(under: lock)).map { .copy($0) }
        default: return nil
        }
    }

    func hasLog() throws -> Bool { try Self.status(walPath) != nil }

    func readSource(under lock: FileLock) throws -> ReadSource {
        if try hasHotJournal(under: lock) { return .copy(try copy(under: lock)) }
        guard try hasLog() else { return .file }
        return try canWriteSharedMemory() ? .fileAndLog : .copy(copy(under: lock))
    }

    /// Whether there is a hot journal, which rolls back an interrupted change, by the rules of `hasHotJournal` in
    /// pager.c.
    private func hasHotJournal(under lock: FileLock) throws -> Bool {
        guard let first = try Self.head(of: journalPath, count: 1)?.first, first != 0 else { return false }
        return try !lock.isReserved()
    }

    private func canWriteSharedMemory() throws -> Bool {
        let place = try Self.status(sharedMemoryPath) == nil ? directory : sharedMemoryPath
        return access(place.isEmpty ? "/" : place, W_OK) == 0
    }

    /// Copies a consistent state of the files.
    ///
    /// A checkpoint may run in the meantime: the pages that it copies into the file are also in the WAL until the WAL
    /// is restarted, which changes its header.
    func copy(under lock: FileLock) throws -> TemporaryCopy {
        for _ in 0..<Self.mostCopies {
            let header = try Self.head(of: walPath, count: 32)
            let copy = try TemporaryCopy(of: self, under: lock)
            if try Self.head(of: walPath, count: 32) == header { return copy }
        }
        throw StoreError(
            .busy, "Other processes kept writing to the store at \(path) while it was copied; try again.")
    }

    private static var mostCopies: Int { 10 }

    /// The first bytes of a file that SQLite does not lock; nil if it does not exist.
    private static func head(of path: String, count: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw StoreError.file("opened", path, errno) }
            return nil
        }
        defer { close(descriptor) }
        var code: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let found = read(descriptor, buffer.baseAddress, count)
            if found < 0 { code = errno }
            initialized = max(found, 0)
        }
        guard code == 0 else { throw StoreError.file("read", path, code) }
        return bytes
    }
}

extension Error {
    /// Whether SQLite fails with this error if it cannot create the shared memory.
    var mayComeOfSharedMemory: Bool {
        switch self {
        case let error as StoreError: [.full, .inputOutput, .readOnly].contains(error.code)
        case let error as DatabaseError:
            [.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode)
        default: false
        }
    }
}
