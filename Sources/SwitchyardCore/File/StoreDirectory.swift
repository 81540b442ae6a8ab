public import Foundation

/// An open directory in which a store keeps files: private to their owner, whole after a loss of power, and
/// written by one process at a time.
///
/// A commit writes new files and then, with ``replace(_:with:)``, the one that names them. Readers need no lock: they
/// see the files of the commit before, or of that one.
///
/// Names are looked up in the directory that was opened, wherever it is moved to meanwhile.
public final class StoreDirectory: Sendable {
    /// The path by which it was opened.
    public let path: String
    private let descriptor: CInt

    /// Opens a directory.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - isWritable: Whether files in it are to be written.
    ///   - createsIfMissing: Whether a missing one is made, with those above it, for this user alone.
    /// - Throws: `notFound`; `notAStore` for anything else that is there; `readOnly` if this user cannot write;
    ///   `full`, `inputOutput`.
    public init(_ path: String, isWritable: Bool, createsIfMissing: Bool) throws {
        if createsIfMissing, access(path, F_OK) != 0 { try PrivateDirectory.create(path) }
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw StoreError(.notFound, "There is no store at \(path).")
            case ENOTDIR:
                throw StoreError(
                    .notAStore, "\(path) is not a directory. Give the path of the store's directory.")
            default: throw failure("opened", path)
            }
        }
        guard !isWritable || access(path, W_OK) == 0 else {
            throw StoreError(
                .readOnly,
                "\(path) cannot be written by this user. Change its permissions, or open the store for reading only."
            )
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Does work while nobody else who asks for this lock does any, in this process or another.
    ///
    /// - Throws: `busy` at once if somebody else does, `inputOutput`, and what the work throws.
    public func whileLocked<Result>(_ work: () throws -> Result) throws -> Result {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("locked", path) }
            throw StoreError(.busy, "Another process or connection is writing to the store at \(path).")
        }
        defer { flock(descriptor, LOCK_UN) }
        return try work()
    }

    /// The tag of a file, which changes whenever the file is written or replaced; nil if it is not there.
    ///
    /// Two writes in one tick of the system's clock can leave the same tag.
    ///
    /// - Throws: `inputOutput`.
    public func tag(of name: String) throws -> String? {
        var status = stat()
        if fstatat(descriptor, name, &status, 0) == 0 { return Self.tag(status) }
        guard errno == ENOENT else { throw failure("looked at", name) }
        return nil
    }

    /// The bytes of a file, with the tag that it had before they were read; nil if it is not there.
    ///
    /// - Throws: `corrupted` if it is not a regular file; `inputOutput`.
    public func read(_ name: String) throws -> (data: Data, tag: String)? {
        // O_NONBLOCK, because opening a pipe that nobody writes to would wait.
        let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", name)
        }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("read", name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.corrupted, "\(name) in \(path) is not a file.")
        }
        do {
            return (try handle.readToEnd() ?? Data(), Self.tag(status))
        } catch {
            throw StoreError(.inputOutput, "\(name) in \(path) could not be read.", underlying: error)
        }
    }

    /// Writes a file that only its owner can read, and sees it to the disk.
    ///
    /// - Throws: `full`, `readOnly`, `inputOutput`; the file is then half written.
    public func write(_ data: Data, to name: String) throws {
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("written", name) }
        defer { close(file) }
        guard data.withUnsafeBytes({ SmallFile.write($0, to: file) }), fsync(file) == 0 else {
            throw failure("written", name)
        }
    }

    /// Puts a file in the place of another, or of none: readers see the old bytes or the new ones, whole.
    ///
    /// So it is after a loss of power, and with the new ones all files that were written before are there, too. The
    /// caller holds the lock, because the new file is first written beside the old one, as `name.new`.
    ///
    /// - Throws: As `write`; the old file is then still there.
    public func replace(_ name: String, with data: Data) throws {
        let draft = name + Self.draftSuffix
        try write(data, to: draft)
        // Not every file system can synchronise a directory; its files are whole either way.
        fsync(descriptor)
        guard renameat(descriptor, draft, descriptor, name) == 0 else { throw failure("replaced", name) }
        fsync(descriptor)
    }

    /// What `replace` adds to the name of a file that is not yet in place; a crash can leave one behind.
    public static let draftSuffix = ".new"

    /// Removes a file, if it is there and can be removed.
    public func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    /// The names of what is in the directory, in no order.
    ///
    /// - Throws: `inputOutput`.
    public func names() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw StoreError(.inputOutput, "\(path) could not be read.", underlying: error)
        }
    }

    private static func tag(_ status: stat) -> String {
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return "\(status.st_ino)-\(status.st_size)-\(time.tv_sec).\(time.tv_nsec)"
    }
}

/// The error of a system call on a file, whose reason is in `errno`.
private func failure(_ action: String, _ name: String) -> StoreError {
    let code = errno
    return StoreError(
        .ofSystemError(code), "\(name) could not be \(action): \(String(cString: strerror(code))).")
}
