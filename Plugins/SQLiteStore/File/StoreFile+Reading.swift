internal import Dispatch
internal import Foundation
internal import GRDB
internal import SwitchyardCore

extension StoreFile {
    /// What to open in order to read the store without changing its file, log or journal.
    ///
    /// Never with `readonly_shm=1`: the connections of a process share one handle of the shared memory, so that a
    /// writer that is opened meanwhile could not write either (`unixOpenSharedMemory` in os_unix.c).
    enum ReadSource: Sendable {
        /// The file alone, where there is no log. SQLite takes no locks and makes no files.
        case file
        /// The file with its log. SQLite takes its locks, and makes or rebuilds the shared memory beside it.
        case fileAndLog
        /// A copy: a change that was cut short must be undone first, or the shared memory may not be written.
        case copy(TemporaryCopy)
    }

    /// The URI that opens a source.
    func uri(_ source: ReadSource) -> String {
        switch source {
        case .file: uri("mode=ro&immutable=1")
        case .fileAndLog: uri("mode=ro")
        case .copy(let copy): copy.file.uri("mode=rw")
        }
    }

    /// Lends what there is to read.
    ///
    /// A file without a log is read without locks but for a `FileLock`. If there is still no log afterwards, nobody has
    /// changed the file: who writes with a log would have left it. If there is one, the result is thrown away, and
    /// the work is done once more, with the log, which then stays. It is done once more, too, with a copy, where the log
    /// could not be read for want of shared memory.
    ///
    /// - Throws: `busy`, `full`, `inputOutput`; what `body` throws.
    func whileReadable<Value: Sendable>(
        busyTimeout: Double, _ body: (ReadSource) async throws -> Value
    ) async throws -> Value {
        let queue = DispatchQueue.global()
        let (lock, source) = try await queue.run {
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
        let newSource = try await queue.run { try readSource(under: lock, after: source, result) }
        guard let newSource else { return try result.get() }
        return try await body(newSource)
    }

    /// What to read instead of a source, if that was not the store's one state, or could not be read.
    private func readSource<Value>(
        under lock: FileLock, after source: ReadSource, _ result: Result<Value, any Error>
    ) throws -> ReadSource? {
        switch (source, result) {
        case (.file, _): return try hasLog() ? readSource(under: lock) : nil
        // A full disk has no room for the shared memory; if it has none for a copy either, that was the reason.
        case (.fileAndLog, .failure(let error)) where error.mayComeOfSharedMemory:
            return (try? copy(under: lock)).map { .copy($0) }
        default: return nil
        }
    }

    private func hasLog() throws -> Bool { try Self.status(walPath) != nil }

    private func readSource(under lock: FileLock) throws -> ReadSource {
        if try hasHotJournal(under: lock) { return .copy(try copy(under: lock)) }
        guard try hasLog() else { return .file }
        return try canWriteSharedMemory() ? .fileAndLog : .copy(copy(under: lock))
    }

    /// Whether a journal holds what undoes a change that was cut short, as `hasHotJournal` in pager.c tells it.
    private func hasHotJournal(under lock: FileLock) throws -> Bool {
        guard let first = try Self.head(of: journalPath, count: 1)?.first, first != 0 else { return false }
        return try !lock.isReserved()
    }

    private func canWriteSharedMemory() throws -> Bool {
        let place = try Self.status(sharedMemoryPath) == nil ? directory : sharedMemoryPath
        return access(place.isEmpty ? "/" : place, W_OK) == 0
    }

    /// A copy of what the files are at one moment.
    ///
    /// A checkpoint may run meanwhile: what it brings into the file is in the log as well, until the log is begun
    /// anew, with another header.
    private func copy(under lock: FileLock) throws -> TemporaryCopy {
        for _ in 0..<Self.mostCopies {
            let header = try Self.head(of: walPath, count: 32)
            let copy = try TemporaryCopy(of: self, under: lock)
            if try Self.head(of: walPath, count: 32) == header { return copy }
        }
        throw StoreError(
            .busy, "Other processes kept writing to the store at \(path) while it was copied; try again.")
    }

    private static var mostCopies: Int { 10 }

    /// The first bytes of a file that SQLite keeps no locks on; nil if there is none.
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
    /// Whether SQLite fails in this way where it cannot make the shared memory.
    fileprivate var mayComeOfSharedMemory: Bool {
        switch self {
        case let error as StoreError: [.full, .inputOutput, .readOnly].contains(error.code)
        case let error as DatabaseError:
            [.SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode)
        default: false
        }
    }
}
