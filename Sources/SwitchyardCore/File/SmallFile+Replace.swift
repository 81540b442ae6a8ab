internal import Foundation

extension SmallFile {
    /// Puts a file that only its owner may read in the place of another, or of none: readers see the old
    /// bytes or the new ones, whole.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: What it is to hold.
    ///   - survivesPowerLoss: Whether one of the two is there, whole, after a loss of power, too. That takes
    ///     the disk's time, which what can be made again is not worth.
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
                !survivesPowerLoss || fsync(descriptor) == 0, rename(temporary, path) == 0
            else { throw refusal() }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        guard survivesPowerLoss else { return }
        let directory = open(path.hasPrefix("/") ? path.parent : "./" + path.parent, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        _ = fsync(directory)
        _ = close(directory)
    }

    /// Writes all of some bytes.
    ///
    /// - Returns: False if the system refuses, for the reason in `errno`.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
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
    /// The path of the directory that a path is in.
    fileprivate var parent: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
