/// Keeps bytes in a temporary file without a name until they can go where nothing is taken back, such as a
/// pipe.
///
/// A transaction's body may be run again, and begins a sink of its own each time. Nothing is left of the file
/// when the sink goes, however the process ends.
public final class SpoolSink: ByteSink, Sendable {
    private let descriptor: Descriptor

    /// Makes the file, in the system's directory for temporary ones.
    ///
    /// - Throws: `CSVError` with code `inputOutput` or `full`.
    public init() throws { descriptor = try Descriptor.temporary() }

    /// Writes all of the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try descriptor.write(bytes) }

    /// Does nothing: the bytes wait for `copy`.
    public func finish() throws {}

    /// Does nothing: the bytes go with the sink.
    public func abandon() {}

    /// Writes all that has been written so far to another sink, and finishes that.
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
