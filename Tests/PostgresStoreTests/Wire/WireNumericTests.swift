import Testing

@testable import PostgresStore

@Suite("Numbers to the base 10,000")
struct WireNumericTests {
    /// Digits, weight, sign and scale as the server's numeric_send writes them.
    static let examples: [(String, [UInt16])] = [
        ("0", [0, 0, 0, 0]),
        ("1", [1, 0, 0, 0, 1]),
        ("-1", [1, 0, 0x4000, 0, 1]),
        ("12.5", [2, 0, 0, 1, 12, 5000]),
        ("10000", [1, 1, 0, 0, 1]),
        ("10001", [2, 1, 0, 0, 1, 1]),
        ("0.0001", [1, 0xFFFF, 0, 4, 1]),
        ("0.00001", [1, 0xFFFE, 0, 5, 1000]),
        ("-123456.789", [3, 1, 0x4000, 3, 12, 3456, 7890]),
    ]

    @Test("wire numerics have the bytes that the server sends", arguments: examples)
    func known(text: String, words: [UInt16]) {
        let bytes = words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(encode(text) == bytes)
        #expect(decode(bytes) == text)
    }

    @Test("wire numerics drop needless zeros and a negative zero")
    func needless() {
        #expect(encode("00012.500") == encode("12.5").map { Array($0[0..<7]) + [3] + Array($0[8...]) })
        #expect(encode("-0") == encode("0"))
        #expect(decode(words: [2, 1, 0, 0, 1, 0]) == "10000")
        #expect(decode(words: [1, 0, 0, 9, 12]) == "12")
    }

    @Test("wire numerics of 38 digits are exact, those of 39 are refused")
    func limit() {
        for text in [
            "99999999999999999999999999999999999999", "-12345678901234567890123456789012345678",
            "0.0000000000000000000000000000000000001", "1234567890123456789.0123456789012345678",
            "9.9999999999999999999999999999999999999",
        ] {
            #expect(encode(text).flatMap(decode) == text)
        }
        #expect(encode("100000000000000000000000000000000000000").flatMap(decode) == nil)
        #expect(encode("0.00000000000000000000000000000000000001").flatMap(decode) == nil)
    }

    @Test(
        "text that is not a plain decimal is refused as a wire numeric",
        arguments: ["", "-", ".", "1.", ".5", "1e5", "NaN", "1,5", " 1", "--1"])
    func malformed(text: String) {
        #expect(encode(text) == nil)
    }

    @Test("wire bytes that are not a finite number are refused")
    func notFinite() {
        #expect(decode(words: [0, 0, 0xC000, 0]) == nil)
        #expect(decode(words: [0, 0, 0xD000, 0]) == nil)
        #expect(decode(words: [0, 0, 0xF000, 0]) == nil)
        #expect(decode(words: [1, 0, 0, 0, 10_000]) == nil)
        #expect(decode(words: [2, 0, 0, 0, 1]) == nil)
        #expect(decode(words: [1, 0x7FFF, 0, 0, 1]) == nil)
        #expect(decode(words: [1, 0x8000, 0, 0, 1]) == nil)
        #expect(decode([]) == nil)
    }

    private func encode(_ text: String) -> [UInt8]? {
        var buffer = WireBuffer()
        let isEncoded = Array(text.utf8).withUnsafeBytes { WireNumeric.append($0, to: &buffer) }
        return isEncoded ? Array(buffer.bytes) : nil
    }

    private func decode(words: [UInt16]) -> String? {
        decode(words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }

    private func decode(_ bytes: [UInt8]) -> String? {
        withUnsafeTemporaryAllocation(byteCount: WireNumeric.maximumTextBytes, alignment: 8) { target in
            guard let start = target.baseAddress,
                let count = bytes.withUnsafeBytes({ WireNumeric.text($0, into: start) })
            else { return nil }
            return String(decoding: target[0..<count], as: UTF8.self)
        }
    }
}
