internal import Foundation

/// An input that gives the same bytes each time it is opened.
///
/// A transaction's body is run again after a conflict, so it opens its input anew each time:
///
///     let input = try CSVInput.file("feeds.csv")
///     try await store.write { transaction in
///         var reader = CSVReader(try input.open())
///         while let row = try reader.next() { … }
///     }
///
/// A regular file is opened once and read in place; one that is changed meanwhile ends the reading with an error.
/// Whatever else a path or standard input stands for (a pipe, a FIFO, a terminal, a socket) can be read once
/// only, so it is copied first into a temporary file that has no name and goes with the last reference.
public struct CSVInput: Sendable {
    private enum Origin: Sendable {
        case bytes([UInt8])
        case stored(StoredInput)
    }

    private let origin: Origin
    /// The number of bytes, for progress.
    public let byteCount: Int

    /// The most bytes that are copied from a pipe, unless another limit is given: 1 GiB.
    public static let spoolLimit = 1 << 30

    /// A file, or whatever else a path stands for.
    ///
    /// Blocks, for a pipe until its end: call it off the cooperative pool.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The most bytes that are copied from what is no regular file.
    /// - Returns: The input.
    /// - Throws: `CSVError` with code `inputOutput`; for what is copied also `full`, `inputTooLong`, or
    ///   `binary` and `unsupportedEncoding` as soon as its beginning shows that it is no text.
    public static func file(_ path: String, spoolLimit limit: Int = spoolLimit) throws -> CSVInput {
        try reading(Descriptor(opening: path, flags: O_RDONLY), spoolLimit: limit)
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> CSVInput {
        CSVInput(origin: .bytes(bytes), byteCount: bytes.count)
    }

    /// Standard input, from where it stands to its end; a file that the shell has redirected is read in place.
    ///
    /// Blocks until the end of a pipe: call it off the cooperative pool.
    ///
    /// - Parameter limit: The most bytes that are copied from what is no regular file.
    /// - Returns: The input.
    /// - Throws: As `file(_:spoolLimit:)`.
    public static func standardInput(spoolLimit limit: Int = spoolLimit) throws -> CSVInput {
        try reading(Descriptor(borrowing: 0, name: "standard input"), spoolLimit: limit)
    }

    static func reading(_ descriptor: Descriptor, spoolLimit limit: Int = spoolLimit) throws -> CSVInput {
        let status = try descriptor.status()
        // The files of /proc say that they are regular and hold nothing.
        let isInPlace = status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        let start = isInPlace ? max(0, Int(lseek(descriptor.number, 0, SEEK_CUR))) : 0
        let file = isInPlace ? descriptor : try Spool.copy(descriptor, limit: limit)
        let stored = try StoredInput(file, start: start)
        return CSVInput(origin: .stored(stored), byteCount: stored.byteCount)
    }

    /// Opens the input at its start.
    ///
    /// - Throws: `CSVError` with code `inputOutput`, or `changed` for a file that is no longer what it was when
    ///   the input was made. Reading throws the same.
    public func open() throws -> any ByteSource {
        switch origin {
        case .bytes(let bytes): MemoryByteSource(bytes)
        case .stored(let stored): try stored.open()
        }
    }
}
