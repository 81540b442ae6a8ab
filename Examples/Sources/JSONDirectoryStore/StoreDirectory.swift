internal import Foundation
internal import Switchyard

/// An open directory, and the system's calls on what is in it.
///
/// Names are looked up in the directory that was opened, wherever it is moved to meanwhile.
final class StoreDirectory: Sendable {
    /// The path by which it was opened.
    let path: String
    private let descriptor: CInt

    /// What changes whenever a file is written or replaced.
    struct Stamp: Sendable, Hashable {
        fileprivate let inode: UInt64
        fileprivate let size: Int64
        fileprivate let seconds: Int
        fileprivate let nanoseconds: Int
    }

    /// Opens a directory; nil if nothing is there.
    init?(_ path: String) throws {
        self.path = path
        descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else { return }
        switch errno {
        case ENOENT: return nil
        case ENOTDIR:
            throw StoreError(
                .notAStore, "\(path) is not a directory. Give the path of the store's directory.")
        default: throw StoreError.file("opened", path, errno)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Does work while no other process and no other connection does any.
    ///
    /// - Throws: `busy` at once if another one does, `inputOutput`, and what the work throws.
    func locked<Result>(_ work: () throws -> Result) throws -> Result {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw StoreError.file("locked", path, errno) }
            throw StoreError(.busy, "Another process or connection is writing to the store at \(path).")
        }
        defer { flock(descriptor, LOCK_UN) }
        return try work()
    }

    /// The stamp of a file; nil if it is not there.
    func stamp(_ name: String) throws -> Stamp? {
        var status = stat()
        guard fstatat(descriptor, name, &status, 0) != 0 else { return Stamp(status) }
        guard errno == ENOENT else { throw StoreError.file("looked at", name, errno) }
        return nil
    }

    /// The bytes of a file, with its stamp from before they were read; nil if it is not there.
    func read(_ name: String) throws -> (data: Data, stamp: Stamp)? {
        // O_NONBLOCK, because opening a pipe that nobody writes to would wait.
        let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError.file("read", name, errno)
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        var status = stat()
        guard fstat(file, &status) == 0 else { throw StoreError.file("read", name, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.corrupted, "\(name) in \(path) is not a file.")
        }
        do {
            return (try handle.readToEnd() ?? Data(), Stamp(status))
        } catch {
            throw StoreError(.inputOutput, "\(name) in \(path) could not be read.", underlying: error)
        }
    }

    /// Writes a file, for this user alone, and sees it to the disk.
    func write(_ data: Data, to name: String) throws {
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StoreError.file("written", name, errno) }
        defer { close(file) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw StoreError.file("written", name, errno) }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw StoreError.file("written", name, errno) }
    }

    /// Puts a file in the place of another, or of none: readers see the old bytes or the new ones, whole, and
    /// so it is after a loss of power.
    ///
    /// - Throws: As `write`; the old file is then still there.
    func replace(_ name: String, with data: Data) throws {
        let draft = name + Self.draftSuffix
        try write(data, to: draft)
        // What the file speaks of must be in the directory before it is itself.
        synchronise()
        guard renameat(descriptor, draft, descriptor, name) == 0 else {
            throw StoreError.file("replaced", name, errno)
        }
        synchronise()
    }

    /// Removes a file, if it can be removed.
    func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    /// The names of what is in the directory.
    func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw StoreError(.inputOutput, "\(path) could not be read.", underlying: error)
        }
    }

    /// The end of the name of a file that is not yet in place.
    static let draftSuffix = ".new"

    /// Not every file system can synchronise a directory; its files are whole either way.
    private func synchronise() { fsync(descriptor) }

    /// Makes a directory and those above it that are missing, for this user alone.
    ///
    /// - Throws: `inputOutput`, `full`, `readOnly`.
    static func make(_ path: String) throws {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw StoreError.file("made", path, errno)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StoreError.file("made", path, errno) }
    }
}

extension StoreDirectory.Stamp {
    fileprivate init(_ status: stat) {
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let changed = status.st_mtimespec
        #else
            let changed = status.st_mtim
        #endif
        (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
    }
}

extension StoreError {
    /// The error of a system call on a file.
    static func file(_ action: String, _ name: String, _ code: CInt) -> StoreError {
        let reason = String(cString: strerror(code))
        let errorCode: Code =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EROFS: .readOnly
            default: .inputOutput
            }
        return StoreError(errorCode, "\(name) could not be \(action): \(reason).")
    }
}
