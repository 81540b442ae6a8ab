internal import Foundation

/// Writes a file that appears under its name when it is complete, and not before.
///
/// The bytes go to a file of mode 0600 beside the target, `.switchyard-….tmp`, which is renamed onto the target at
/// the end, with the permissions that an older file there had. A failed export thus leaves an older file as it
/// was. What a process that is killed leaves beside it is removed by the next export to the directory. A link is
/// followed. A target that is no regular file, such as a pipe or `/dev/null`, is written directly.
public final class FileByteSink: ByteSink {
    private let path: String
    /// The file beside the target; nil when the target is written directly, or when all is done.
    private var temporaryPath: String?
    private let descriptor: Descriptor
    /// The permissions of the file that is replaced.
    private var permissions: mode_t?

    /// Whether what is written to a path appears when it is complete; what is written to a pipe or a device
    /// is out at once.
    public static func isReplaced(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Opens a file for writing.
    ///
    /// - Parameter path: The target. Its directory must be there and be writable.
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    public init(path: String) throws {
        try Descriptor.requirePath(path)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // A name that is too long, say, is told now and not when all is written.
            guard errno == ENOENT else {
                throw CSVError.system("The file cannot be opened", path: path, number: errno)
            }
            self.path = path
            let file = try TemporaryFile.create(beside: path, name: path)
            (descriptor, temporaryPath) = (file.descriptor, file.path)
            return
        }
        let target = try Self.resolve(path)
        self.path = target
        guard stat(target, &status) == 0, access(target, W_OK) == 0 else {
            throw CSVError.system("The file cannot be written", path: path, number: errno)
        }
        if status.st_mode & S_IFMT == S_IFREG {
            let file = try TemporaryFile.create(beside: target, name: path)
            (descriptor, temporaryPath) = (file.descriptor, file.path)
            permissions = status.st_mode & 0o777
        } else {
            descriptor = try Descriptor(opening: target, flags: O_WRONLY, name: path)
        }
    }

    deinit { abandon() }

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try descriptor.write(bytes) }

    /// Puts the file in its place.
    public func finish() throws {
        guard let temporaryPath else { return }
        // Only now: what is half written is nobody else's to read.
        if let permissions, fchmod(descriptor.number, permissions) != 0 {
            throw CSVError.system("The file's permissions cannot be kept", path: path, number: errno)
        }
        // Without this, a power cut soon after could leave an empty file in the place of the older one.
        guard fsync(descriptor.number) == 0 else {
            throw CSVError.system("The file cannot be written", path: path, number: errno)
        }
        guard rename(temporaryPath, path) == 0 else {
            throw CSVError.system("The file cannot be replaced", path: path, number: errno)
        }
        self.temporaryPath = nil
    }

    /// Removes what has been written, unless it is in its place already.
    public func abandon() {
        guard let temporaryPath else { return }
        unlink(temporaryPath)
        self.temporaryPath = nil
    }

    private static func resolve(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else {
            throw CSVError.system("The file cannot be written", path: path, number: errno)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
