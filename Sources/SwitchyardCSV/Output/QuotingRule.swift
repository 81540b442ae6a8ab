/// Decides which fields must be quoted.
enum QuotingRule {
    enum Content {
        /// No bytes that are special to a reader.
        case plain
        /// A comma, a quote, LF or CR.
        case special
        /// U+0000.
        case forbidden
    }

    /// Examines a field eight bytes at a time.
    @inline(__always)
    static func examine(_ bytes: UnsafeRawBufferPointer) -> Content {
        var isSpecial = false
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if hasZero(word) { return .forbidden }
            isSpecial = isSpecial || hasSpecial(word)
            offset += 8
        }
        guard offset < bytes.count else { return isSpecial ? .special : .plain }
        // The last bytes come in a word padded with a harmless letter.
        var word: UInt64 = 0x6161_6161_6161_6161
        for byte in bytes[offset...] { word = word << 8 | UInt64(byte) }
        if hasZero(word) { return .forbidden }
        return isSpecial || hasSpecial(word) ? .special : .plain
    }

    @inline(__always)
    private static func hasSpecial(_ word: UInt64) -> Bool {
        hasZero(word ^ 0x2C2C_2C2C_2C2C_2C2C) || hasZero(word ^ 0x2222_2222_2222_2222)
            || hasZero(word ^ 0x0A0A_0A0A_0A0A_0A0A) || hasZero(word ^ 0x0D0D_0D0D_0D0D_0D0D)
    }

    /// Whether one of the eight bytes is zero.
    @inline(__always)
    private static func hasZero(_ word: UInt64) -> Bool {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
    }
}
