internal import Foundation
internal import SwitchyardCore

/// Writes a file that appears under its name only once it is complete.
///
/// The bytes go to a file of mode 0600 beside the target, `.switchyard-….tmp`. `finish` gives it the permissions
/// of the file it replaces, if any, and renames it onto the target, so a failed export leaves an existing file
/// untouched. A file left behind by a killed process is removed by the next export to the directory. Symbolic
/// links are followed. A target that is not a regular file, such as a pipe or `/dev/null`, is written directly.
public final class FileByteSink: ByteSink {
    private let path: String
    /// The file beside the target; nil if the target is written directly, and after `finish` or `abandon`.
    private var temporaryPath: String?
    private let descriptor: Descriptor
    /// The permissions of the file being replaced.
    private var permissions: mode_t?
    /// Whether a file that has the name by now is replaced.
    private let replaces: Bool

    /// Whether a write to this path appears only once it is complete; a pipe or a device gets the bytes at once.
    public static func isReplaced(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Opens a file for writing.
    ///
    /// - Parameters:
    ///   - path: The target. Its directory must exist and be writable.
    ///   - replacing: Whether a target that exists is replaced, or a device written to. Otherwise it is refused, also if it
    ///     comes into being before `finish`.
    /// - Throws: `CSVError` with code `inputOutput` or `full`, or `exists`.
    public init(path: String, replacing: Bool = true) throws {
        try Descriptor.requirePath(path)
        replaces = replacing
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // Report a name that is too long, say, now and not after everything is written.
            guard errno == ENOENT else {
                throw CSVError.system("The file cannot be opened", path: path, number: errno)
            }
            self.path = path
            let file = try TemporaryFile.create(beside: path, name: path)
            (descriptor, temporaryPath) = (file.descriptor, file.path)
            return
        }
        guard replacing else { throw CSVError.exists(path) }
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

    /// Renames the file onto the target.
    public func finish() throws {
        guard let temporaryPath else { return }
        // Not earlier: nobody else should read a file that is half written.
        if let permissions, fchmod(descriptor.number, permissions) != 0 {
            throw CSVError.system("The file's permissions cannot be kept", path: path, number: errno)
        }
        // Without this, a power cut soon after could leave an empty file where the old one was.
        guard fsync(descriptor.number) == 0 else {
            throw CSVError.system("The file cannot be written", path: path, number: errno)
        }
        if replaces {
            guard rename(temporaryPath, path) == 0 else {
                throw CSVError.system("The file cannot be replaced", path: path, number: errno)
            }
        } else {
            switch renameExclusively(temporaryPath, to: path) {
            case 0: break
            case EEXIST: throw CSVError.exists(path)
            case let number: throw CSVError.system("The file cannot be written", path: path, number: number)
            }
        }
        self.temporaryPath = nil
    }

    /// Removes the temporary file, unless it has already replaced the target.
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
