internal import Foundation

/// An open file descriptor, closed with its last reference.
///
/// Its calls resume after a signal, and wait if a shell has left the descriptor in non-blocking mode.
final class Descriptor: Sendable {
    let number: Int32
    /// The path, or a name such as "standard input", for error messages.
    let name: String
    private let isOwned: Bool

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - flags: How to open it, as for `open(2)`.
    ///   - mode: The permissions of a new file.
    ///   - name: The path the user gave, if it differs.
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    init(opening path: String, flags: Int32, mode: mode_t = 0, name: String? = nil) throws {
        try Self.requirePath(path)
        var opened: Int32
        repeat { opened = open(path, flags | O_CLOEXEC, mode) } while opened < 0 && errno == EINTR
        guard opened >= 0 else {
            throw CSVError.system("The file cannot be opened", path: name ?? path, number: errno)
        }
        number = opened
        self.name = name ?? path
        isOwned = true
    }

    /// Refuses a path that contains a NUL: a C string would end there and name another file.
    static func requirePath(_ path: String) throws {
        guard !path.utf8.contains(0) else {
            throw CSVError(.inputOutput, "The file cannot be opened: its path holds U+0000.")
        }
    }

    /// Wraps a descriptor without closing it.
    init(borrowing number: Int32, name: String) {
        self.number = number
        self.name = name
        isOwned = false
    }

    /// Opens a new temporary file and unlinks it, so that it disappears with the descriptor.
    static func temporary() throws -> Descriptor {
        let directory = FileManager.default.temporaryDirectory.path
        let path = "\(directory)/switchyard-\(UUID().uuidString).csv"
        let descriptor = try Descriptor(opening: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        unlink(path)
        return descriptor
    }

    deinit {
        if isOwned { close(number) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try retrying("The file cannot be read", events: POLLIN) {
            Foundation.read(number, buffer.baseAddress, buffer.count)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try retrying("The file cannot be read", events: POLLIN) {
            pread(number, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let written = try retrying("The file cannot be written", events: POLLOUT) {
                Foundation.write(number, rest.baseAddress, rest.count)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Locks the file until the descriptor is closed; returns false if the lock cannot be taken.
    func lock(waits: Bool) -> Bool {
        while true {
            if flock(number, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Asks what kind of file this is, and of what size.
    func status() throws -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else {
            throw CSVError.system("The file cannot be examined", path: name, number: errno)
        }
        return status
    }

    private func retrying(_ action: String, events: Int32, _ call: () -> Int) throws -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var waiting = pollfd(fd: number, events: Int16(events), revents: 0)
                poll(&waiting, 1, -1)
            case let number: throw CSVError.system(action, path: name, number: number)
            }
        }
    }
}
