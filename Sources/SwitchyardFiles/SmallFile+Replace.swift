internal import Foundation

extension SmallFile {
    /// Creates a file, or replaces it atomically, so that only its owner may read it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: The new content.
    ///   - survivesPowerLoss: Whether the old or the new file must also be intact after a loss of power. It is slow;
    ///     leave it out for a file that can be created again.
    /// - Throws: `refused`.
    package static func replace(
        path: String, with bytes: [UInt8], survivesPowerLoss: Bool = true
    ) throws(Failure) {
        let temporary = "\(path).\(UUID().uuidString).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refusal() }
        do throws(Failure) {
            defer { _ = close(descriptor) }
            guard bytes.withUnsafeBytes({ write($0, to: descriptor) }),
                !survivesPowerLoss || flushToDisk(descriptor), rename(temporary, path) == 0
            else { throw refusal() }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        if survivesPowerLoss { flushDirectory(path.hasPrefix("/") ? path.parent : "./" + path.parent) }
    }

    /// Writes all bytes.
    ///
    /// - Returns: False if it fails; the reason is in `errno`.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }

    private static func refusal() -> Failure { .refused(String(cString: strerror(errno))) }
}

extension String {
    fileprivate var parent: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
