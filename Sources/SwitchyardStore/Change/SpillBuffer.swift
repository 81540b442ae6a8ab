internal import Foundation

/// Rows of bytes, appended at the end and read forward from any of them, in bounded memory.
///
/// Beyond a limit they go to an unnamed temporary file, which only this process can read and which disappears
/// with it. If no such file can be created, or the disk is full, they stay in memory.
final class SpillBuffer {
    /// The number of bytes after which those in memory go to the file.
    private static let partBytes = 1 << 20

    private var file: Int32?
    private var canSpill = true
    /// The places at which the parts in the file end, ascending.
    private var ends: [Int] = []
    /// The rows after those in the file.
    private var recent = ByteWriter()

    deinit {
        if let file { _ = close(file) }
    }

    /// The number of bytes, and the place of the next row.
    var count: Int { spilled + recent.bytes.count }

    private var spilled: Int { ends.last ?? 0 }

    /// Adds the row that the body writes.
    func append(_ body: (inout ByteWriter) -> Void) {
        body(&recent)
        if recent.bytes.count >= Self.partBytes, canSpill { spill() }
    }

    /// Removes the rows from a place on.
    func truncate(to count: Int) {
        recent.bytes.removeLast(min(self.count - count, recent.bytes.count))
        guard count < spilled else { return }
        ends.removeAll { $0 > count }
        if spilled < count { ends.append(count) }
    }

    private func spill() {
        guard let file = file ?? Self.temporaryFile() else {
            canSpill = false
            return
        }
        self.file = file
        guard recent.bytes.withUnsafeBytes({ Self.write($0, to: file, at: spilled) }) else {
            canSpill = false
            return
        }
        ends.append(count)
        recent.bytes.removeAll(keepingCapacity: true)
    }

    /// Makes a file and removes its name.
    private static func temporaryFile() -> Int32? {
        let path = FileManager.default.temporaryDirectory.appending(path: "switchyard-\(UUID().uuidString)")
            .path
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        _ = unlink(path)
        return file
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at place: Int) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                file, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(place + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// The part in which a place lies, and its own place.
    ///
    /// - Throws: `inputOutput`.
    private func part(at place: Int) throws -> (start: Int, bytes: [UInt8]) {
        guard let file, let next = ends.firstIndex(where: { $0 > place }) else {
            return (spilled, recent.bytes)
        }
        let start = next == 0 ? 0 : ends[next - 1]
        var (bytes, done) = ([UInt8](repeating: 0, count: ends[next] - start), 0)
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress?.advanced(by: done), $0.count - done, off_t(start + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw StoreError(
                    .inputOutput,
                    "The temporary file with the changes of a large transaction cannot be read: "
                        + (count < 0 ? String(cString: strerror(errno)) : "it is too short") + ".")
            }
            done += count
        }
        return (start, bytes)
    }

    /// Reads the rows of an unchanging buffer, from the first to the last.
    struct Reader {
        private let buffer: SpillBuffer
        /// The place of the part that is read.
        private var start = 0
        private var bytes = ByteReader([])

        init(_ buffer: SpillBuffer) { self.buffer = buffer }

        /// Leaves out the rows before a place.
        ///
        /// - Throws: `inputOutput`.
        mutating func skip(to place: Int) throws {
            if place >= start + bytes.count {
                let part = try buffer.part(at: place)
                start = part.start
                bytes = ByteReader(part.bytes)
            }
            bytes.position = place - start
        }

        /// Has the body read the next row, which must be there.
        ///
        /// - Throws: `inputOutput`, and what the body throws.
        mutating func read<Row>(_ body: (inout ByteReader) throws -> Row) throws -> Row {
            if bytes.isAtEnd { try skip(to: start + bytes.count) }
            return try body(&bytes)
        }
    }
}
