internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// The order in which processes refresh one directory, so that an older state never replaces a newer one.
///
/// A refresh takes a number before it reads the store, and writes unless one with a greater number has written by then. The
/// advisory lock on the file of the numbers is held for these two steps, and never while the store is read: Apple's systems
/// end an app that is suspended while it holds a lock in a shared container.
struct RefreshOrder: Sendable {
    /// The name of the file, distinct from the directory's own files.
    static let name = ".lock"

    /// The numbers in the file: 0 in a new directory.
    private struct Numbers {
        /// The greatest that a refresh has taken.
        var taken: Int64 = 0
        /// The greatest with which a refresh has written.
        var written: Int64 = 0
    }

    private let directory: String
    private let waiting: RetryPolicy

    /// The order of a directory, which is created if it is missing.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - waiting: How often and how long to wait for another process: about ten seconds by default.
    init(
        of directory: String,
        waiting: RetryPolicy = RetryPolicy(attempts: 200, maximumDelay: .milliseconds(100))
    ) {
        self.directory = directory
        self.waiting = waiting
    }

    /// Takes the next number.
    ///
    /// - Throws: `StoreError` with code `busy` if another process held the lock for too long, `BabyMonitorError` with
    ///   code `inputOutput` if the file cannot be written.
    func next() async throws -> Int64 {
        try await locked { numbers in
            // A damaged file may hold any number.
            numbers.taken = max(0, numbers.taken, numbers.written) &+ 1
            return numbers.taken
        }
    }

    /// Writes, unless a later refresh has already written.
    ///
    /// - Parameters:
    ///   - number: The number that was taken before the store was read.
    ///   - write: Writes the files; the lock is held meanwhile.
    /// - Throws: As `next()`, and any error of `write`.
    func write(as number: Int64, _ write: @escaping @Sendable () throws -> Void) async throws {
        try await locked { numbers in
            guard number > numbers.written else { return }
            try write()
            numbers.written = number
        }
    }

    private func locked<Result: Sendable>(
        _ work: @escaping @Sendable (inout Numbers) throws -> Result
    ) async throws -> Result {
        try await waiting.run { _ in
            try await Cancellation.run { _ in
                let descriptor = try take()
                // The lock belongs to the open file, and is released when it is closed.
                defer { _ = close(descriptor) }
                var numbers = Numbers()
                let size = MemoryLayout<Numbers>.size
                // A new file is empty.
                if withUnsafeMutableBytes(of: &numbers, { pread(descriptor, $0.baseAddress, size, 0) })
                    != size
                {
                    numbers = Numbers()
                }
                let result = try work(&numbers)
                guard withUnsafeBytes(of: numbers, { pwrite(descriptor, $0.baseAddress, size, 0) }) == size
                else {
                    throw refusal(errno)
                }
                return result
            }
        }
    }

    /// Opens the file and tries to lock it, without waiting.
    ///
    /// - Returns: The file's descriptor.
    private func take() throws -> CInt {
        try WidgetSnapshotCache.createDirectory(directory)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal(errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return descriptor }
        let code = errno
        _ = close(descriptor)
        guard code == EWOULDBLOCK || code == EINTR else { throw refusal(code) }
        throw StoreError(
            .busy, "Another process kept writing to the directory \(directory) for too long; try again.")
    }

    private var path: String { directory + "/" + Self.name }

    private func refusal(_ code: CInt) -> BabyMonitorError {
        .refused(
            "The file \(path) cannot be created, locked or written",
            POSIXError(.init(rawValue: code) ?? .EIO),
            "Make sure that you can write to its directory.")
    }
}
