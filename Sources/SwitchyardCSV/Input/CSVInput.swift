internal import Foundation

/// An input that can be read from its start as often as needed.
///
/// A transaction's body may be run again after a conflict, so it opens its input anew each time:
///
///     let input = CSVInput.file("feeds.csv")
///     try await store.write { transaction in
///         var reader = CSVReader(try input.open())
///         while let row = try reader.next() { … }
///     }
public struct CSVInput: Sendable {
    private enum Origin: Sendable {
        case file(String)
        case bytes([UInt8])
        case stored(Descriptor, start: Int)
    }

    private let origin: Origin
    /// The number of bytes, for progress; nil if it is not known.
    public let byteCount: Int?

    /// A file, which is looked for by `open` only.
    public static func file(_ path: String) -> CSVInput {
        var status = stat()
        let isRegular = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return CSVInput(origin: .file(path), byteCount: isRegular ? Int(status.st_size) : nil)
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> CSVInput {
        CSVInput(origin: .bytes(bytes), byteCount: bytes.count)
    }

    /// Standard input, from where it stands to its end.
    ///
    /// A pipe cannot be read twice, so it is copied first into a temporary file that has no name and goes
    /// with the last reference. A file that the shell has redirected is read in place. Blocks until the end
    /// of the input: call it off the cooperative pool.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    public static func standardInput() throws -> CSVInput {
        try reading(Descriptor(borrowing: 0, name: "standard input"))
    }

    static func reading(_ descriptor: Descriptor) throws -> CSVInput {
        let status = try descriptor.status()
        if status.st_mode & S_IFMT == S_IFREG {
            let start = max(0, Int(lseek(descriptor.number, 0, SEEK_CUR)))
            return CSVInput(
                origin: .stored(descriptor, start: start), byteCount: max(0, Int(status.st_size) - start))
        }
        let copy = try Descriptor.temporary()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        try buffer.withUnsafeMutableBytes { buffer in
            while case let count = try descriptor.read(into: buffer), count > 0 {
                try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                total += count
            }
        }
        return CSVInput(origin: .stored(copy, start: 0), byteCount: total)
    }

    /// Opens the input at its start.
    ///
    /// - Throws: `CSVError` with code `inputOutput`.
    public func open() throws -> any ByteSource {
        switch origin {
        case .file(let path): try FileByteSource(path: path)
        case .bytes(let bytes): MemoryByteSource(bytes)
        case .stored(let descriptor, let start): StoredByteSource(descriptor, start: start)
        }
    }
}

/// Reads a file by offset, so that several sources can share its descriptor.
private final class StoredByteSource: ByteSource {
    private let descriptor: Descriptor
    private var offset: Int

    init(_ descriptor: Descriptor, start: Int) {
        self.descriptor = descriptor
        offset = start
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try descriptor.read(into: buffer, at: offset)
        offset += count
        return count
    }
}
