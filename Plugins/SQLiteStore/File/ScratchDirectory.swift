internal import Foundation
internal import SwitchyardCore

/// A directory for temporary files of this user only, which is removed together with this object.
///
/// Its maker holds a lock on a file in it. A directory whose file nobody has locked was therefore left by a process that was
/// killed, and the next one that makes such a directory removes it.
package final class ScratchDirectory: Sendable {
    /// The absolute path.
    package let path: String
    private let descriptor: CInt

    /// The start of every name, which other temporary files and directories do not have.
    private static let prefix = "switchyard-copy-"
    private static let lockName = "/lock"

    /// Makes an empty directory, after removing those of killed processes.
    ///
    /// - Throws: `full`, `readOnly` or `inputOutput`.
    package init() throws {
        let parent = FileManager.default.temporaryDirectory.path
        Self.removeStale(in: parent)
        while true {
            let path = "\(parent)/\(Self.prefix)\(UUID().uuidString)"
            guard mkdir(path, 0o700) == 0 else { throw Self.failure(path) }
            let file = path + Self.lockName
            let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.failure(path) }
            // Without locks in the file system nobody removes anything: nobody gets a lock. With them, another process may have
            // had the file first, and taken it for a left one.
            if !Self.lock(descriptor, waits: true) || Self.leads(file, to: descriptor) {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            close(descriptor)
        }
    }

    deinit {
        remove()
        close(descriptor)
    }

    /// Removes the directory now, with all that is in it.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Removes the directories of killed processes, and leaves those that it cannot examine.
    private static func removeStale(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = "\(parent)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid()
            else { continue }
            let descriptor = open(path + lockName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard lock(descriptor, waits: false), leads(path + lockName, to: descriptor) else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static func lock(_ descriptor: CInt, waits: Bool) -> Bool {
        while true {
            if flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Whether the path still leads to the open file.
    private static func leads(_ path: String, to descriptor: CInt) -> Bool {
        var (named, opened) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0
            && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino
    }

    private static func failure(_ path: String) -> StoreError {
        let code = errno
        return StoreError(
            .ofSystemError(code),
            "The temporary directory \(path) cannot be made: \(String(cString: strerror(code))). Let TMPDIR name a directory "
                + "that you can write to.")
    }
}
