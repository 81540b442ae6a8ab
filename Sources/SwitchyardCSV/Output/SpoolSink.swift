/// Keeps bytes in an unnamed temporary file until they can go where nothing can be taken back, such as a pipe.
///
/// A transaction's body may run again, so each run uses a new sink. The file disappears with the sink, even if
/// the process is killed.
public final class SpoolSink: ByteSink, Sendable {
    private let descriptor: Descriptor

    /// Creates the file in the system's directory for temporary files.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    public init() throws { descriptor = try Descriptor.temporary() }

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try descriptor.write(bytes) }

    /// Does nothing: the bytes wait for `copy`.
    public func finish() throws {}

    /// Does nothing: the file disappears with the sink.
    public func abandon() {}

    /// Copies everything written so far to another sink, and finishes that one.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    public func copy(to sink: any ByteSink) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var offset = 0
        do {
            try buffer.withUnsafeMutableBytes { buffer in
                while case let count = try descriptor.read(into: buffer, at: offset), count > 0 {
                    try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    offset += count
                }
            }
            try sink.finish()
        } catch {
            sink.abandon()
            throw error
        }
    }
}
