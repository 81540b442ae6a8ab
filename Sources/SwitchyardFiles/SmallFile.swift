internal import Foundation

/// The content of a settings file, which must be a regular file of bounded size, so that reading it cannot block.
package struct SmallFile: Sendable {
    /// The content.
    package let bytes: [UInt8]
    /// The permission bits.
    package let mode: UInt32

    /// Why a file could not be read.
    package enum Failure: Error {
        /// The file does not exist.
        case missing
        /// It is a directory, pipe, device or socket.
        case notRegular
        /// It is larger than the limit.
        case tooLarge(limit: Int)
        /// The system refused, with its own message.
        case refused(String)

        /// The reason on its own.
        package var reason: String {
            switch self {
            case .missing: "No such file or directory"
            case .notRegular: "not a file"
            case .tooLarge(let limit): "larger than \(limit) bytes"
            case .refused(let reason): reason
            }
        }

        /// The failure as the end of a sentence that begins with the file's name.
        package var words: String {
            switch self {
            case .missing: "does not exist"
            case .notRegular: "is not a file"
            case .tooLarge(let limit): "is larger than \(limit) bytes"
            case .refused(let reason): "cannot be read: \(reason)"
            }
        }
    }

    /// Reads a file.
    package init(path: String, limit: Int) throws(Failure) {
        // O_NONBLOCK, because opening a pipe without a writer would block.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            throw code == ENOENT || code == ENOTDIR ? .missing : .refused(String(cString: strerror(code)))
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .refused(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        mode = UInt32(status.st_mode) & 0o7777

        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 16_384) + 1)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .refused(String(cString: strerror(errno)))
            }
            if count == 0 { break }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
        self.bytes = bytes
    }
}
