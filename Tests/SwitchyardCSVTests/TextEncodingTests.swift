import Foundation
import SwitchyardCSV
import Testing

@Suite("Encodings")
struct TextEncodingTests {
    private static let text = "babyName,memo\n하나,\"😀 \"\"é\"\"\n두\"\r\n,\u{FFFD}\u{10FFFF}x\n"
    private static let rows: [[Field]] = [
        ["babyName", "memo"], ["하나", .quoted("😀 \"é\"\n두")], ["", "\u{FFFD}\u{10FFFF}x"],
    ]

    static func utf16(_ text: String, isBigEndian: Bool, mark: Bool) -> [UInt8] {
        ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test("UTF-8 is read with and without a byte order mark")
    func utf8() throws {
        for mark in [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]] {
            try expect(mark + Array(Self.text.utf8), gives: .rows(Self.rows, lines: [1, 2, 4]))
        }
    }

    @Test("a byte order mark does not hide the quote of the first field")
    func markBeforeQuote() throws {
        try expect("\u{FEFF}\"a,b\"\n\u{FEFF}c", gives: [[.quoted("a,b")], ["\u{FEFF}c"]])
    }

    @Test(
        "UTF-16 is read in both byte orders, with and without a mark", arguments: [true, false],
        [true, false])
    func utf16(isBigEndian: Bool, mark: Bool) throws {
        try expect(
            Self.utf16(Self.text, isBigEndian: isBigEndian, mark: mark),
            gives: .rows(Self.rows, lines: [1, 2, 4]))
    }

    @Test("UTF-16 of more than one chunk is read", arguments: [true, false])
    func longUTF16(isBigEndian: Bool) throws {
        let line = "하나,2026-01-16T23:51:39.946Z,😀\n"
        let bytes = Self.utf16(String(repeating: line, count: 3000), isBigEndian: isBigEndian, mark: false)
        for chunkBytes in [1, 1000, 1001, 1 << 17] {
            let outcome = try read(MemoryByteSource(bytes), chunkBytes: chunkBytes)
            #expect(outcome.fault == nil)
            #expect(outcome.rows.count == 3000)
            #expect(outcome.rows.allSatisfy { $0 == ["하나", "2026-01-16T23:51:39.946Z", "😀"] })
        }
    }

    @Test("an empty file in UTF-16 has no rows")
    func emptyUTF16() throws {
        try expect([0xFF, 0xFE], gives: Outcome())
        try expect([0xFE, 0xFF], gives: Outcome())
    }

    @Test(
        "a lone surrogate is an error at its position",
        arguments: [
            [0xD83D, 0x61], [0xDE00], [0xD83D, 0xD83D, 0xDE00], [0xD83D, 0x2C], [0xDBFF, 0x0A],
            [0xDE00, 0xD83D],
        ] as [[UInt16]])
    func loneSurrogate(_ wrong: [UInt16]) throws {
        for isBigEndian in [true, false] {
            var bytes = Self.utf16("a,b\nc,", isBigEndian: isBigEndian, mark: true)
            for unit in wrong + [0x78] {
                let pair = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
                bytes += isBigEndian ? pair : pair.reversed()
            }
            try expect(bytes, gives: [["a", "b"]], then: .invalidUTF16, line: 2, column: 2)
        }
    }

    @Test("UTF-16 that ends in the middle of a unit or of a pair is an error")
    func truncatedUTF16() throws {
        let bytes = Self.utf16("a\nb😀", isBigEndian: false, mark: true)
        for count in 1...3 {
            try expect(Array(bytes.dropLast(count)), gives: [["a"]], then: .invalidUTF16, line: 2, column: 1)
        }
    }

    @Test("U+0000 in UTF-16 is an error")
    func nulInUTF16() throws {
        try expect(
            Self.utf16("a,b\nc,d\0e", isBigEndian: true, mark: true), gives: [["a", "b"]],
            then: .nulCharacter,
            line: 2, column: 2)
    }

    @Test("a stray U+0000 does not turn UTF-8 into UTF-16")
    func nulInUTF8() throws {
        for text in ["a,b\0c", "name,\0\0memo", "x\0"] {
            let bytes = Array(("babyName\n" + text).utf8)
            let outcome = try read(MemoryByteSource(bytes))
            #expect(outcome.fault?.code == .nulCharacter)
            #expect(outcome.fault?.line == 2)
        }
    }

    @Test("UTF-32 is refused by name")
    func utf32() throws {
        try expect([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], then: .unsupportedEncoding, line: 1, column: 1)
        try expect([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], then: .unsupportedEncoding, line: 1, column: 1)
    }

    @Test("binary files are refused as such by the CSV reader")
    func binary() throws {
        let sqlite =
            Array("SQLite format 3\0".utf8) + [0x10, 0, 1, 1, 0, 64, 32, 32]
            + [UInt8](repeating: 0, count: 76)
        let png: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0xFF, 0x80,
        ]
        let zip: [UInt8] = [0x50, 0x4B, 3, 4, 0x14, 0, 8, 0, 8, 0, 0xB5, 0x6F, 0x81, 0x5A]
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48]
        for bytes in [sqlite, png, zip, gzip] {
            try expect(bytes, then: .binary, line: 1, column: 1)
        }
    }

    @Test("text of control characters is still CSV text")
    func controlCharacters() throws {
        try expect("\u{1}\u{2}\u{1B}[0m,\u{7F}", gives: [["\u{1}\u{2}\u{1B}[0m", "\u{7F}"]])
    }

    @Test("Latin-1 is reported as invalid UTF-8, with line and column")
    func latin1() throws {
        try expect(
            Array("name,memo\nA,caf".utf8) + [0xE9, 0x0A], gives: [["name", "memo"]], then: .invalidUTF8,
            line: 2,
            column: 2)
    }

    @Test("a character cut by the end of the examined window does not make a file binary")
    func windowCutsCharacter() throws {
        for padding in 1018...1024 {
            let text = String(repeating: "x", count: padding) + "\u{1}하하하,y"
            let outcome = try read(MemoryByteSource(Array(text.utf8)))
            #expect(outcome.fault == nil)
            #expect(outcome.rows == [[Field(String(repeating: "x", count: padding) + "\u{1}하하하"), "y"]])
        }
    }
}
