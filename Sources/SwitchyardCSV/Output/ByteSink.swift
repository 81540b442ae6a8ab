/// Where a writer puts its bytes.
///
/// Like a source, a sink is synchronous and belongs to one thread at a time.
public protocol ByteSink: AnyObject {
    /// Writes all of the bytes.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    func write(_ bytes: UnsafeRawBufferPointer) throws

    /// Makes what has been written final: a file appears under its name.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    func finish() throws

    /// Gives up: what has been written goes, where that is possible. Does nothing after `finish`.
    func abandon()
}

/// Collects bytes in memory.
public final class MemoryByteSink: ByteSink {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    /// Begins with nothing.
    public init() {}

    /// What has been written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { self.bytes.append(contentsOf: bytes) }

    /// Does nothing: what has been written is out.
    public func finish() throws {}

    /// Does nothing: what has been written stays.
    public func abandon() {}
}

/// Writes to standard output, which is left open.
public final class StandardOutputSink: ByteSink {
    private let descriptor = Descriptor(borrowing: 1, name: "standard output")

    /// Writes to standard output of this process.
    public init() {}

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try descriptor.write(bytes) }

    /// Does nothing: what has been written is out.
    public func finish() throws {}

    /// Does nothing: what has been written stays.
    public func abandon() {}
}
