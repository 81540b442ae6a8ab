internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// A lock on a directory, held in turn by the processes that write to it.
///
/// It is an advisory lock on a file in the directory, and ends with the process at the latest.
enum DirectoryLock {
    /// The name of the lock file, distinct from the directory's own files.
    static let name = ".lock"

    /// Runs work while holding the exclusive lock of a directory, which is created if it is missing.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - waiting: How often and how long to wait for another process: about ten seconds by default.
    ///   - work: The work to do.
    /// - Returns: The result of the work.
    /// - Throws: `busy` if another process held the lock for too long, `inputOutput` if it cannot be created,
    ///   and any error of the work.
    static func hold<Result>(
        _ directory: String,
        waiting: RetryPolicy = RetryPolicy(attempts: 200, maximumDelay: .milliseconds(100)),
        _ work: () async throws -> Result
    ) async throws -> Result {
        let descriptor = try await waiting.run { _ in
            try await BlockingWork.run { try take(directory) }
        }
        // The lock belongs to the open file, and is released when it is closed.
        defer { _ = close(descriptor) }
        return try await work()
    }

    /// Opens the file and tries to lock it, without waiting.
    ///
    /// - Returns: The file's descriptor.
    private static func take(_ directory: String) throws -> CInt {
        try PrivateDirectory.create(directory)
        let path = directory + "/" + name
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal(path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return descriptor }
        let code = errno
        _ = close(descriptor)
        throw code == EWOULDBLOCK || code == EINTR
            ? StoreError(
                .busy, "Another process kept writing to the directory \(directory) for too long; try again.")
            : refusal(path, code)
    }

    private static func refusal(_ path: String, _ code: CInt) -> StoreError {
        StoreError(
            .ofSystemError(code),
            "The file \(path) cannot be made or locked: \(String(cString: strerror(code))). See that the directory is one "
                + "that you can write to.")
    }
}
