internal import Foundation

/// Where a reader gets its bytes.
///
/// A source is synchronous and used by one thread at a time: it is read inside a transaction's body, which
/// runs off the cooperative pool and may block. It can be read to its end only once; `CSVInput` opens a new
/// source for each run of a body.
public protocol ByteSource: AnyObject {
    /// Reads some of the next bytes, and blocks until there are any.
    ///
    /// - Parameter buffer: The buffer to fill; never empty.
    /// - Returns: How many bytes were read; 0 only at the end.
    /// - Throws: `CSVError` with code `inputOutput`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// Reads bytes that are already in memory.
public final class MemoryByteSource: ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    /// Reads `bytes` from their start.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads some of the next bytes; 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = min(buffer.count, bytes.count - position)
        buffer.copyBytes(from: bytes[position..<position + count])
        position += count
        return count
    }
}

/// Reads a file, a pipe or a terminal.
public final class FileByteSource: ByteSource {
    private let descriptor: Descriptor

    /// Opens a file for reading.
    ///
    /// - Throws: `CSVError` with code `inputOutput`.
    public init(path: String) throws { descriptor = try Descriptor(opening: path, flags: O_RDONLY) }

    private init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// Reads standard input, and leaves it open.
    ///
    /// It can be read only once: see `CSVInput.standardInput()`.
    public static func standardInput() -> FileByteSource {
        FileByteSource(Descriptor(borrowing: 0, name: "standard input"))
    }

    /// Reads some of the next bytes; 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try descriptor.read(into: buffer)
    }
}
