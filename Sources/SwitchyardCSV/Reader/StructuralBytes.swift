/// Finds the bytes that are special to a CSV reader, 64 at a time.
enum StructuralBytes {
    /// How many bytes one call examines.
    static let blockBytes = 64

    /// A block of text, one bit per byte: bit 0 is the first byte.
    struct Block {
        /// The bytes that are a comma, a quote, LF, CR or NUL.
        var mask: UInt64
        /// Whether any byte is outside ASCII.
        var isMultibyte: Bool
    }

    /// Classifies the 64 bytes at `start`.
    ///
    /// Four vectors of 16 bytes are compared with each of the five; a multiplication packs the results, because
    /// Swift has no movemask operation.
    @inline(__always)
    static func classify(_ start: UnsafeRawPointer) -> Block {
        // Comparing with a scalar would compile to a loop over the lanes.
        let comma = SIMD16<UInt8>(repeating: UInt8(ascii: ","))
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\""))
        let lineFeed = SIMD16<UInt8>(repeating: 0x0A)
        let carriageReturn = SIMD16<UInt8>(repeating: 0x0D)
        let zero = SIMD16<UInt8>(repeating: 0)
        var mask: UInt64 = 0
        var seen = zero
        for index in 0..<4 {
            let bytes = start.loadUnaligned(fromByteOffset: index * 16, as: SIMD16<UInt8>.self)
            seen |= bytes
            let found =
                (bytes .== comma) .| (bytes .== quote) .| (bytes .== lineFeed) .| (bytes .== carriageReturn)
                .| (bytes .== zero)
            let words = unsafeBitCast(found, to: SIMD2<UInt64>.self)
            mask |= (pack(words[0]) | pack(words[1]) << 8) &<< UInt64(index * 16)
        }
        let words = unsafeBitCast(seen, to: SIMD2<UInt64>.self)
        return Block(mask: mask, isMultibyte: (words[0] | words[1]) & 0x8080_8080_8080_8080 != 0)
    }

    /// Packs eight bytes, each 0 or 1, into eight bits.
    @inline(__always)
    private static func pack(_ word: UInt64) -> UInt64 {
        ((UInt64(littleEndian: word) & 0x0101_0101_0101_0101) &* 0x0102_0408_1020_4080) >> 56
    }
}
