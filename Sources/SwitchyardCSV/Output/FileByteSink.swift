internal import Foundation
internal import SwitchyardCore

/// Writes a file that appears under its name only once it is complete.
///
/// The bytes go to a file of mode 0600 beside the target, `.switchyard-….tmp`. `finish` gives it the permissions
/// of the file it replaces, if any, and renames it onto the target, so a failed export leaves an existing file
/// untouched. A file left behind by a killed process is removed by the next export to the directory. Symbolic
/// links are followed. A target that is not a regular file, such as a pipe or `/dev/null`, is written directly.
///
/// Where only the target can be written and not its directory, as with a place that a person has chosen in a sandboxed app, the
/// file is in the app's own temporary directory, and `finish` copies it onto the target. If that copy fails, the target is
/// incomplete, and the error says where the complete file is.
public final class FileByteSink: ByteSink {
    private let path: String
    /// The file that is written first; nil if the target is written directly, and after `finish` or `abandon`.
    private var temporaryPath: String?
    /// Whether that file is beside the target, so that it can be renamed.
    private let isBeside: Bool
    private let descriptor: Descriptor
    /// Whether the target is an empty file of this sink's own.
    private var hasMadeTarget = false
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
    ///   - path: The target. Its directory must exist, and the target or the directory be writable.
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
            isBeside = Self.isDirectoryWritable(of: path)
            if !isBeside {
                _ = try Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
                hasMadeTarget = true
            }
            let file = try Self.temporaryFile(for: path, beside: isBeside, name: path)
            (descriptor, temporaryPath) = (file.descriptor, file.path)
            return
        }
        guard replacing else { throw CSVError.exists(path) }
        let target = try Self.resolve(path)
        self.path = target
        guard stat(target, &status) == 0, access(target, W_OK) == 0 else {
            throw CSVError.system("The file cannot be written", path: path, number: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            isBeside = false
            descriptor = try Descriptor(opening: target, flags: O_WRONLY, name: path)
            return
        }
        isBeside = Self.isDirectoryWritable(of: target)
        let file = try Self.temporaryFile(for: target, beside: isBeside, name: path)
        (descriptor, temporaryPath) = (file.descriptor, file.path)
        permissions = status.st_mode & 0o777
    }

    deinit { abandon() }

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try descriptor.write(bytes) }

    /// Gives the target the bytes that were written.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`, or `exists`.
    public func finish() throws {
        guard let temporaryPath else { return }
        guard isBeside else { return try replaceContent(from: temporaryPath) }
        // Not earlier: nobody else should read a file that is half written.
        if let permissions, fchmod(descriptor.number, permissions) != 0 {
            throw CSVError.system("The file's permissions cannot be kept", path: path, number: errno)
        }
        // Without this, a power cut soon after could leave an empty file where the old one was.
        guard flushToDisk(descriptor.number) else {
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

    /// Copies the temporary file onto the target, which keeps its identity and permissions.
    private func replaceContent(from temporaryPath: String) throws {
        do {
            let target = try Descriptor(opening: path, flags: O_WRONLY)
            try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                var offset = 0
                while case let count = try descriptor.read(into: buffer, at: offset), count > 0 {
                    try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    offset += count
                }
                guard ftruncate(target.number, off_t(offset)) == 0, flushToDisk(target.number) else {
                    throw CSVError.system("The file cannot be written", path: path, number: errno)
                }
            }
        } catch let error as CSVError {
            (self.temporaryPath, hasMadeTarget) = (nil, false)
            throw CSVError(
                error.code,
                "\(error.message) The file is incomplete; all that was written is in \(temporaryPath): copy it from there.",
                systemError: error.systemError)
        }
        hasMadeTarget = false
        abandon()
    }

    /// Removes the temporary file, unless it has already replaced the target.
    public func abandon() {
        if hasMadeTarget { unlink(path) }
        guard let temporaryPath else { return }
        unlink(temporaryPath)
        self.temporaryPath = nil
    }

    private static func isDirectoryWritable(of path: String) -> Bool {
        let directory = directory(of: path)
        return access(directory.isEmpty ? "." : directory, W_OK) == 0
    }

    private static func temporaryFile(
        for target: String, beside isBeside: Bool, name: String
    ) throws -> TemporaryFile {
        let own = FileManager.default.temporaryDirectory.path + "/"
        return try TemporaryFile.create(in: isBeside ? directory(of: target) : own, name: name)
    }

    /// The directory of a path, with a slash at its end; empty for the current one.
    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private static func resolve(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else {
            throw CSVError.system("The file cannot be written", path: path, number: errno)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
