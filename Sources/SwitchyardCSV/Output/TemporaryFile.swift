internal import Foundation

/// A file in which a target is written first, beside it where possible.
///
/// Its writer holds a lock on it until it is done, however it ends. A file without a lock was therefore left by
/// a writer that was killed, and the next writer in the directory removes it.
///
/// An export holds the lock while it awaits rows, which blocks nobody: the file has a name of its own, and others only try the
/// lock. In the container of an app group, iOS ends a process that it suspends with a lock; the target is then unchanged.
struct TemporaryFile {
    let descriptor: Descriptor
    let path: String

    /// The start of every name, kept short so that the name fits wherever the target's does.
    private static let prefix = ".switchyard-"
    private static let suffix = ".tmp"

    /// Makes an empty file of mode 0600.
    ///
    /// - Parameters:
    ///   - directory: The directory, with a slash at its end; empty for the current one.
    ///   - name: The path as the user gave it, for error messages.
    /// - Returns: The file, for the caller to rename or remove.
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    static func create(in directory: String, name: String) throws -> TemporaryFile {
        removeStale(in: directory)
        while true {
            let path = directory + prefix + String(UInt64.random(in: .min ... .max), radix: 36) + suffix
            let descriptor = try Descriptor(
                opening: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600, name: name)
            // Without locks in the file system no writer removes anything: none of them gets a lock.
            let isLocked = descriptor.lock(waits: true)
            // Another writer may have locked the file first and removed it.
            if try !isLocked || descriptor.status().st_nlink > 0 {
                return TemporaryFile(descriptor: descriptor, path: path)
            }
        }
    }

    /// Removes the files of killed writers, and leaves those that it cannot examine.
    private static func removeStale(in directory: String) {
        guard let stream = opendir(directory.isEmpty ? "." : directory) else { return }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if name.hasPrefix(prefix), name.hasSuffix(suffix) { names.append(name) }
        }
        for name in names { removeIfStale(directory + name) }
    }

    private static func removeIfStale(_ path: String) {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
        guard let file = try? Descriptor(opening: path, flags: flags), let status = try? file.status(),
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(), file.lock(waits: false)
        else { return }
        // By now the name may belong to another file, or the file may have replaced its target.
        var named = stat()
        guard lstat(path, &named) == 0, named.st_dev == status.st_dev, named.st_ino == status.st_ino else {
            return
        }
        unlink(path)
    }
}
