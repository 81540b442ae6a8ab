internal import Foundation

/// A file beside another one, which takes its place when it is complete.
///
/// Its writer holds a lock on it until it has ended, however it ends. A file of this kind without a lock was left
/// by a writer that was killed, and the next one in the directory removes it.
struct TemporaryFile {
    let descriptor: Descriptor
    let path: String

    /// The beginning of all names: as short as can be, so that there is room for it wherever there is for the
    /// target's.
    private static let prefix = ".switchyard-"
    private static let suffix = ".tmp"

    /// Makes an empty file of mode 0600.
    ///
    /// - Parameters:
    ///   - target: The path whose place it is to take.
    ///   - name: The path as the user gave it, for errors.
    /// - Returns: The file, which the caller renames or removes.
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    static func create(beside target: String, name: String) throws -> TemporaryFile {
        let directory = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
        removeStale(in: directory)
        while true {
            let path = directory + prefix + String(UInt64.random(in: .min ... .max), radix: 36) + suffix
            let descriptor = try Descriptor(
                opening: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600, name: name)
            // A file system without locks leaves all files alone: no other writer gets a lock there either.
            let isLocked = descriptor.lock(waits: true)
            // Another writer can have had the lock first, and have removed the file.
            if try !isLocked || descriptor.status().st_nlink > 0 {
                return TemporaryFile(descriptor: descriptor, path: path)
            }
        }
    }

    /// Removes the files of writers that are gone; what cannot be looked at stays.
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
        // By now the name can stand for another file, or the file have been put in its place.
        var named = stat()
        guard lstat(path, &named) == 0, named.st_dev == status.st_dev, named.st_ino == status.st_ino else {
            return
        }
        unlink(path)
    }
}
