internal import Foundation
internal import SwitchyardCore

extension StoreFile {
    /// How the file can be read without changing it or anything beside it.
    enum ReadMode {
        /// There is no log and no journal: the file alone is the whole database. SQLite takes no locks and
        /// makes no files.
        case immutable
        /// There is a log or a journal: SQLite takes its locks. The shared memory is used as it is, or
        /// rebuilt in this process's own memory.
        case locked
        /// There is a log without its shared memory: it is just being made or taken away, for which SQLite
        /// waits, or only a copy can be read.
        case copied
    }

    /// What file, log, shared memory and journal look like from outside.
    struct Appearance: Equatable {
        fileprivate var file: [Int] = []
        fileprivate var logSize = 0
        fileprivate var journalSize = 0
        fileprivate var hasSharedMemory = false

        /// The way to read the files while they look like this.
        var readMode: ReadMode {
            if logSize > 0 { return hasSharedMemory ? .locked : .copied }
            // A journal may hold what undoes a change that a crash has cut short.
            return journalSize > 0 ? .locked : .immutable
        }
    }

    /// The files as they look now.
    ///
    /// - Throws: `inputOutput` if they cannot be looked at.
    func appearance() throws -> Appearance {
        var appearance = Appearance()
        if let status = try Self.status(path) {
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            appearance.file = [Int(status.st_ino), Int(status.st_size), time.tv_sec, time.tv_nsec]
        }
        appearance.logSize = try Self.status(walPath).map { Int($0.st_size) } ?? 0
        appearance.journalSize = try Self.status(journalPath).map { Int($0.st_size) } ?? 0
        appearance.hasSharedMemory = try Self.status(sharedMemoryPath) != nil
        return appearance
    }

    /// The outcome of a reading; nil if it is worth nothing, because another process has changed the files
    /// meanwhile.
    ///
    /// What was read without locks may then be torn. With them only a file that is not there any more
    /// matters: the last connection that closes takes log and shared memory away.
    func settled<Value>(_ outcome: Result<Value, any Error>, since before: Appearance) throws -> Value? {
        if before.readMode == .locked {
            switch outcome {
            case .failure(let error as StoreError) where [.inputOutput, .readOnly].contains(error.code): break
            default: return try outcome.get()
            }
        }
        return try appearance() == before ? try outcome.get() : nil
    }

    /// Reads the files in the way of the moment, and again while another process changes them meanwhile.
    ///
    /// - Throws: `busy` if they never stay the same; `inputOutput`; what `body` throws.
    func whileUnchanged<Value>(_ body: (ReadMode) throws -> Value) throws -> Value {
        for _ in 0..<Self.mostLooks {
            let before = try appearance()
            if let value = try settled(Result { try body(before.readMode) }, since: before) { return value }
        }
        throw StoreError(
            .busy,
            "Other processes kept changing the files of the store at \(path) while it was read; try again.")
    }

    private static var mostLooks: Int { 10 }

    /// The path by which SQLite opens the file for reading alone.
    func readOnlyURI(_ mode: ReadMode) -> String {
        switch mode {
        case .immutable: uri("mode=ro&immutable=1")
        case .locked, .copied: uri("mode=ro&readonly_shm=1")
        }
    }

    /// The error of files that SQLite must put in order first.
    var needsWriting: StoreError {
        StoreError(
            .readOnly,
            "The store at \(path) has a log without an index, or a change that was cut short, which reading alone cannot put "
                + "in order. Open it for writing once.")
    }
}
