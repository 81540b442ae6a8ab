/// Copies input that can be read only once.
enum Spool {
    /// Copies everything up to the end into an unnamed temporary file.
    ///
    /// - Parameters:
    ///   - descriptor: The input.
    ///   - limit: The most bytes to copy.
    /// - Returns: The copy.
    /// - Throws: `CSVError`, as for `CSVInput.file(_:spoolLimit:)`.
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
                        "\(descriptor.name) has more than \(limit) bytes, the limit for input that can be read only "
                            + "once. Write it to a file, and import that.")
                }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                // Detected here, because a device such as /dev/zero never ends and the reader starts after the copy.
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
