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
            try write(bytes, to: descriptor)
            guard !survivesPowerLoss || fsync(descriptor) == 0, rename(temporary, path) == 0 else {
                throw refusal()
            }
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

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw refusal()
            }
            rest = rest.dropFirst(count)
        }
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
