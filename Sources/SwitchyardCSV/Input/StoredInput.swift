internal import Crypto
internal import Foundation
internal import Synchronization

/// An open file that yields the same bytes to every run of a transaction's body, or fails.
///
/// The descriptor stays open, so replacing the file changes nothing. A change to the file itself shows in its
/// size or modification time; one within a tick of the clock, or with the time set back, shows in the digest
/// of the first complete read.
final class StoredInput: Sendable {
    private struct Version: Equatable {
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            size = Int(clamping: status.st_size)
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
        }
    }

    private let descriptor: Descriptor
    private let start: Int
    /// The number of bytes from the start offset to the end.
    let byteCount: Int
    private let version: Version
    private let digest = Mutex<SHA256Digest?>(nil)

    init(_ descriptor: Descriptor, start: Int) throws {
        self.descriptor = descriptor
        self.start = start
        version = Version(try descriptor.status())
        byteCount = max(0, version.size - start)
    }

    func open() throws -> any ByteSource {
        try requireUnchanged()
        return StoredByteSource(self)
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        let count = try descriptor.read(into: buffer, at: start + offset)
        // Without this, a file that grows as fast as it is read would never end.
        guard offset + count <= byteCount else { throw changed }
        return count
    }

    /// Checks, at the end, that the file is unchanged and that every read gave the same bytes.
    fileprivate func requireSame(count: Int, digest found: SHA256Digest) throws {
        try requireUnchanged()
        let expected = digest.withLock { digest in
            digest = digest ?? found
            return digest
        }
        guard count == byteCount, expected == found else { throw changed }
    }

    private func requireUnchanged() throws {
        guard Version(try descriptor.status()) == version else { throw changed }
    }

    private var changed: CSVError {
        CSVError(
            .changed,
            "The file changed while it was being read (\(descriptor.name)). Read it again when nothing writes to it."
        )
    }
}

/// Reads a stored input by offset, so that several sources can share its descriptor.
private final class StoredByteSource: ByteSource {
    private let input: StoredInput
    private var offset = 0
    private var hash = SHA256()

    init(_ input: StoredInput) { self.input = input }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try input.read(into: buffer, at: offset)
        guard count > 0 else {
            try input.requireSame(count: offset, digest: hash.finalize())
            return 0
        }
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        offset += count
        return count
    }
}
