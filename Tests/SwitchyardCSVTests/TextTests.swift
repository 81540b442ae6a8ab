import Testing

@testable import SwitchyardCSV

@Suite("Bytes of text")
struct TextTests {
    private func trimmed(_ text: String) -> String {
        Array(text.utf8).withUnsafeBytes { String(decoding: WhiteSpace.trimmed($0), as: UTF8.self) }
    }

    @Test("white space of any script is taken from both ends, and from nowhere else")
    func trimming() {
        #expect(trimmed("plain") == "plain")
        #expect(trimmed("") == "")
        #expect(trimmed(" \t\r\n") == "")
        #expect(trimmed("  a b\t") == "a b")
        #expect(trimmed("\u{A0}80.0\u{202F}") == "80.0")
        #expect(trimmed("\u{3000}하나\u{3000} ") == "하나")
        #expect(trimmed("\u{200B}x\u{FEFF}") == "\u{200B}x\u{FEFF}")
        #expect(trimmed("é") == "é")
    }

    @Test("every character with the property White_Space is trimmed, and no other")
    func whiteSpace() {
        for value: UInt32 in 0...0x10FFFF {
            // Above U+3000 there is no white space: a sample will do.
            guard value < 0x3100 || value % 97 == 0, let scalar = Unicode.Scalar(value) else { continue }
            let isTrimmed = trimmed("\(scalar)x\(scalar)") == "x"
            #expect(isTrimmed == scalar.properties.isWhitespace, "U+\(String(value, radix: 16))")
        }
    }

    @Test("UTF-8 validity agrees with the standard library at every offset of a word")
    func utf8() {
        func check(_ bytes: [UInt8]) {
            for padding in [0, 3, 7, 12] {
                let padded =
                    [UInt8](repeating: 0x61, count: padding) + bytes
                    + [UInt8](repeating: 0x62, count: padding)
                let isValid = padded.withUnsafeBytes { UTF8Validation.firstFault(in: $0) } == nil
                #expect(isValid == (String(validating: padded, as: UTF8.self) != nil), "\(padded)")
            }
        }
        for first in UInt8(0x70)...0xFF {
            check([first])
            for second in stride(from: UInt8(0x70), through: 0xF8, by: 8) + [0x8F, 0x9F, 0xBF] as [UInt8] {
                check([first, second])
                check([first, second, 0x80])
                check([first, second, 0xBF, 0xBF])
                check([first, second, 0xBF, 0x7F])
                check([first, second, 0xC0, 0x80])
            }
        }
    }

    @Test("the offset of an invalid byte is that of its sequence")
    func firstFault() {
        let bytes = Array("하나abcdefgh".utf8) + [0xE9, 0x80] + Array("x".utf8)
        #expect(bytes.withUnsafeBytes { UTF8Validation.firstFault(in: $0) } == 14)
        #expect(bytes[..<14].withUnsafeBytes { UTF8Validation.firstFault(in: $0) } == nil)
    }

    @Test("a block of 64 CSV bytes is classified bit by bit")
    func classification() {
        for byte in UInt8.min...UInt8.max {
            for place in [0, 1, 7, 8, 15, 16, 31, 32, 62, 63] {
                var block = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
                block[place] = byte
                let found = block.withUnsafeBytes { bytes in
                    bytes.baseAddress.map { StructuralBytes.classify($0) }
                }
                let isStructural = [0, 0x0A, 0x0D, 0x22, 0x2C].contains(byte)
                #expect(found?.mask == (isStructural ? 1 << UInt64(place) : 0))
                #expect(found?.isMultibyte == (byte >= 0x80))
            }
        }
    }
}
