/// Copies what can be read once only.
enum Spool {
    /// Copies everything up to the end into a temporary file without a name.
    ///
    /// - Parameters:
    ///   - descriptor: What is read.
    ///   - limit: The most bytes that are copied.
    /// - Returns: The copy.
    /// - Throws: `CSVError`, as `CSVInput.file(_:spoolLimit:)` says.
    static func copy(_ descriptor: Descriptor, limit: Int) throws -> Descriptor {
        let copy = try Descriptor.temporary()
        var beginning: [UInt8] = []
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        try buffer.withUnsafeMutableBytes { buffer in
            while case let count = try descriptor.read(into: buffer), count > 0 {
                total += count
                guard total <= limit else {
                    throw CSVError(
                        .inputTooLong,
                        "\(descriptor.name) gives more than \(limit) bytes, the most that is kept of what can be read "
                            + "only once. Write it to a file, and import that.")
                }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                // A device such as /dev/zero never ends, and the reader would not see its first byte before that.
                if beginning.count < TextEncoding.windowBytes {
                    beginning += bytes.prefix(TextEncoding.windowBytes - beginning.count)
                    if beginning.count == TextEncoding.windowBytes {
                        _ = try beginning.withUnsafeBytes { try TextEncoding.detect($0, isWhole: false) }
                    }
                }
                try copy.write(bytes)
            }
        }
        return copy
    }
}
