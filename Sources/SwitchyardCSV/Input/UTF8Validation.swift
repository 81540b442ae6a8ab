/// Validates UTF-8 by table 3-7 of the Unicode Standard, "Well-Formed UTF-8 Byte Sequences".
enum UTF8Validation {
    /// The offset of the first sequence that is ill-formed or cut off by the end; nil if all are well-formed.
    static func firstFault(in bytes: UnsafeRawBufferPointer) -> Int? {
        var offset = 0
        while offset < bytes.count {
            if offset + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let high = word & 0x8080_8080_8080_8080
                guard high != 0 else {
                    offset += 8
                    continue
                }
                offset += high.trailingZeroBitCount >> 3
            }
            let lead = bytes[offset]
            guard lead >= 0x80 else {
                offset += 1
                continue
            }
            guard let length = sequenceLength(of: bytes, at: offset, lead: lead) else { return offset }
            offset += length
        }
        return nil
    }

    /// The length of the multi-byte sequence at `offset`; nil if it is ill-formed.
    @inline(__always)
    private static func sequenceLength(of bytes: UnsafeRawBufferPointer, at offset: Int, lead: UInt8) -> Int?
    {
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard lead >= 0xC2, lead <= 0xF4, offset + length <= bytes.count else { return nil }
        // The second byte rules out overlong forms, surrogates and anything beyond U+10FFFF.
        let second = bytes[offset + 1]
        let lowest: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard second >= lowest, second <= highest else { return nil }
        if length > 2, bytes[offset + 2] & 0xC0 != 0x80 { return nil }
        if length > 3, bytes[offset + 3] & 0xC0 != 0x80 { return nil }
        return length
    }
}
