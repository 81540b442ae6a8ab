/// Where a writer puts its bytes.
///
/// Like a source, a sink is synchronous and used by one thread at a time.
public protocol ByteSink: AnyObject {
    /// Writes all of the bytes.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    func write(_ bytes: UnsafeRawBufferPointer) throws

    /// Commits what has been written: a file appears under its name.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    func finish() throws

    /// Discards what has been written, where that is possible; does nothing after `finish`.
    func abandon()
}

/// Collects bytes in memory.
public final class MemoryByteSink: ByteSink {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    /// Starts empty.
    public init() {}

    /// What has been written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { self.bytes.append(contentsOf: bytes) }

    /// Does nothing: the bytes are already written.
    public func finish() throws {}

    /// Does nothing: what has been written stays.
    public func abandon() {}
}

/// Writes to standard output, and leaves it open.
public final class StandardOutputSink: ByteSink {
    private let descriptor = Descriptor(borrowing: 1, name: "standard output")

    /// Writes to this process's standard output.
    public init() {}

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try descriptor.write(bytes) }

    /// Does nothing: the bytes are already written.
    public func finish() throws {}

    /// Does nothing: bytes written to standard output cannot be taken back.
    public func abandon() {}
}
