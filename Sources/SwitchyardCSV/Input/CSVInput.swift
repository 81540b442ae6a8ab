internal import Foundation

/// An input that yields the same bytes each time it is opened.
///
/// A transaction's body runs again after a conflict, so it opens its input each time:
///
///     let input = try CSVInput.file("feeds.csv")
///     try await store.write { transaction in
///         var reader = CSVReader(try input.open())
///         while let row = try reader.next() { … }
///     }
///
/// A regular file is opened once and read in place; if it changes during that, reading fails. Anything else
/// that a path or standard input can stand for (a pipe, a FIFO, a terminal, a socket) can be read only once,
/// so it is first copied to an unnamed temporary file, which is freed with the last reference.
public struct CSVInput: Sendable {
    private enum Origin: Sendable {
        case bytes([UInt8])
        case stored(StoredInput)
    }

    private let origin: Origin
    /// The length in bytes, for showing progress.
    public let byteCount: Int

    /// The default limit on the bytes copied from a pipe: 1 GiB.
    public static let spoolLimit = 1 << 30

    /// Opens a file, or whatever else the path stands for.
    ///
    /// This blocks, for a pipe until its end: call it off the cooperative pool.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The most bytes to copy from anything that is not a regular file.
    /// - Returns: The input.
    /// - Throws: `CSVError` with code `inputOutput`; when copying, also `full` or `inputTooLong`, and `binary`
    ///   or `unsupportedEncoding` as soon as the beginning shows that the input is not text.
    public static func file(_ path: String, spoolLimit limit: Int = spoolLimit) throws -> CSVInput {
        try reading(Descriptor(opening: path, flags: O_RDONLY), spoolLimit: limit)
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> CSVInput {
        CSVInput(origin: .bytes(bytes), byteCount: bytes.count)
    }

    /// Opens standard input, from its current offset to its end; a file redirected by the shell is read in place.
    ///
    /// This blocks until the end of a pipe: call it off the cooperative pool.
    ///
    /// - Parameter limit: The most bytes to copy from anything that is not a regular file.
    /// - Returns: The input.
    /// - Throws: As `file(_:spoolLimit:)`.
    public static func standardInput(spoolLimit limit: Int = spoolLimit) throws -> CSVInput {
        try reading(Descriptor(borrowing: 0, name: "standard input"), spoolLimit: limit)
    }

    static func reading(_ descriptor: Descriptor, spoolLimit limit: Int = spoolLimit) throws -> CSVInput {
        let status = try descriptor.status()
        // Files in /proc claim to be regular and empty.
        let isInPlace = status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        let start = isInPlace ? max(0, Int(lseek(descriptor.number, 0, SEEK_CUR))) : 0
        let file = isInPlace ? descriptor : try Spool.copy(descriptor, limit: limit)
        let stored = try StoredInput(file, start: start)
        return CSVInput(origin: .stored(stored), byteCount: stored.byteCount)
    }

    /// Opens the input at its start.
    ///
    /// - Throws: `CSVError` with code `inputOutput`, or `changed` if the file has changed since the input was
    ///   made. Reading throws the same errors.
    public func open() throws -> any ByteSource {
        switch origin {
        case .bytes(let bytes): MemoryByteSource(bytes)
        case .stored(let stored): try stored.open()
        }
    }
}
