public import Foundation

/// An open directory in which a store keeps its files: private to their owner, intact after a loss of power, and
/// written by one process at a time.
///
/// A commit writes new files and then, with ``replace(_:with:)``, the one that names them. Readers need no lock: they
/// see the files of the previous commit or of the new one.
///
/// File names are looked up in the open directory, even if it has been moved in the meantime.
public final class StoreDirectory: Sendable {
    /// The path by which it was opened.
    public let path: String
    private let descriptor: CInt

    /// Opens a directory.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - isWritable: Whether files in it will be written.
    ///   - createsIfMissing: Whether to create a missing directory, with its parents, for this user only.
    /// - Throws: `notFound`; `notAStore` if the path is not a directory; `readOnly` if this user cannot write to it;
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

    /// Runs work while holding the directory's lock, which excludes others in this process and in other processes.
    ///
    /// It is an exclusive `flock(2)` on the directory, so a test can hold it through a descriptor of its own.
    ///
    /// - Throws: `busy` at once if the lock is held elsewhere, `inputOutput`, and what the work throws.
    public func whileLocked<Result>(_ work: () throws -> Result) throws -> Result {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("locked", path) }
            throw StoreError(
                .busy, "Another process or connection is writing to the store at \(path); try again.")
        }
        defer { flock(descriptor, LOCK_UN) }
        return try work()
    }

    /// Whether the directory's lock is held, by this process or another.
    package var isLocked: Bool {
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// Calls a body after a file was written, made, replaced or removed, by whomever, until the object that it returns is
    /// released.
    ///
    /// - Throws: `inputOutput` if the directory cannot be watched.
    public func watch(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) throws -> any Sendable & AnyObject {
        try FileWatch([name], in: path, body)
    }

    /// The tag of a file, which changes whenever the file is written or replaced; nil if the file does not exist.
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

    /// The bytes of a file, with its tag from before they were read; nil if the file does not exist.
    ///
    /// - Throws: `corrupted` if it is not a regular file; `inputOutput`.
    public func read(_ name: String) throws -> (data: Data, tag: String)? {
        // O_NONBLOCK, because opening a pipe without a writer would block.
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

    /// Writes a file that only its owner can read, and flushes it to disk.
    ///
    /// - Throws: `full`, `readOnly`, `inputOutput`; the file may then be incomplete.
    public func write(_ data: Data, to name: String) throws {
        let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("written", name) }
        defer { close(file) }
        guard data.withUnsafeBytes({ SmallFile.write($0, to: file) }), flushToDisk(file) else {
            throw failure("written", name)
        }
    }

    /// Creates a file, or replaces it atomically: readers see the old content or the new one.
    ///
    /// The same holds after a loss of power; if the new file is there, so are all files that were written before it.
    /// The caller must hold the lock, because the new file is first written beside the old one, as `name.new`.
    ///
    /// - Throws: As `write`; the old file then remains.
    public func replace(_ name: String, with data: Data) throws {
        let draft = name + Self.draftSuffix
        do {
            try write(data, to: draft)
            // Not every file system can flush a directory; the files are intact either way.
            _ = flushToDisk(descriptor)
            guard renameat(descriptor, draft, descriptor, name) == 0 else { throw failure("replaced", name) }
        } catch {
            // On a full disk it would only take room.
            remove(draft)
            throw error
        }
        _ = flushToDisk(descriptor)
    }

    /// The suffix of a file that `replace` has not yet moved into place; a crash can leave one behind.
    public static let draftSuffix = ".new"

    /// Removes a file, if it exists and can be removed.
    public func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    /// The names of the entries of the directory, in no particular order.
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

/// The error of a failed system call on a file, from `errno`.
private func failure(_ action: String, _ name: String) -> StoreError {
    let code = errno
    return StoreError(
        .ofSystemError(code), "\(name) could not be \(action): \(String(cString: strerror(code))).")
}
