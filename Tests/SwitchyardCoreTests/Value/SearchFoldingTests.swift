import Foundation
import SwitchyardCore
import Testing

@Suite("Searchable text")
struct SearchFoldingTests {
    @Test("folding makes ASCII lower case")
    func ascii() {
        for value in UInt8(0)..<128 {
            let letter = String(UnicodeScalar(value))
            let isUpper = (65...90).contains(value)
            #expect(SearchFolding.fold(letter) == (isUpper ? String(UnicodeScalar(value + 32)) : letter))
        }
    }

    @Test(
        "folding removes case and diacritics",
        arguments: [
            ("", ""), ("Nap #2", "nap #2"), ("ÉCLAIR", "eclair"), ("Ge\u{308}nie", "genie"),
            ("Milk 🍼", "milk 🍼"), ("Straße", "strasse"), ("ŒUVRE", "œuvre"), ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
            ("Йод", "иод"), ("ﬁsh", "fish"), ("ŉ", "ʼn"), ("İ", "i"), ("ı", "ı"), ("ﾊﾞ", "ﾊﾞ"), ("Ḝ", "e"),
        ])
    func others(text: String, folded: String) {
        #expect(scalars(SearchFolding.fold(text)) == scalars(folded))
    }

    @Test(
        "folding keeps marks that distinguish words, decomposed and in order",
        arguments: [
            ("が", "が"), ("か\u{3099}", "か\u{3099}"), ("שָׁלוֹם", "שָׁלוֹם"), ("ש\u{5B8}\u{5C1}", "ש\u{5B8}\u{5C1}"),
            ("ש\u{5C1}\u{5B8}", "ש\u{5B8}\u{5C1}"), ("کِتاب", "کِتاب"), ("ཀ\u{F73}", "ཀ\u{F71}\u{F72}"),
            ("Ա\u{301}", "ա\u{301}"), ("ա\u{301}", "ա"), ("e\u{5B8}", "e"),
        ])
    func marks(text: String, folded: String) {
        #expect(scalars(SearchFolding.fold(text)) == scalars(folded))
    }

    @Test("folding accepts a letter with any number of marks")
    func manyMarks() {
        let marks = String(repeating: "\u{301}", count: 1_000)
        #expect(SearchFolding.fold("e\(marks)s") == "es")
        #expect(scalars(SearchFolding.fold("か" + String(repeating: "\u{3099}", count: 1_000))).count == 1_001)
    }

    // The digest was taken of what Foundation on Linux made of the same text, and holds on every system.
    @Test("folding of each scalar, alone and after letters, never changes between releases")
    func recorded() {
        // FNV-1a.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for letter in ["", "e", "ա", "Ա", "か\u{5C1}"] {
            for block in stride(from: UInt32(0), to: 0x11_0000, by: 0x1000) {
                // These are all alike, and not folded.
                let isUniform =
                    (0x4000..<0xA000).contains(block) || (0xB000..<0xF000).contains(block)
                    || block >= 0x2_0000
                guard letter.isEmpty || !isUniform else { continue }
                var text = String.UnicodeScalarView()
                for scalar in (max(1, block)..<block + 0x1000).compactMap(Unicode.Scalar.init) {
                    text.append(contentsOf: letter.unicodeScalars)
                    text.append(scalar)
                    text.append("\u{5B8}")
                }
                for byte in SearchFolding.fold(String(text)).utf8 {
                    digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
                }
            }
        }
        #expect(digest == 0x65E4_DFD2_C46D_A75A)
    }

    #if !canImport(Darwin)
        @Test("folding of random text agrees with Foundation on Linux in older stores")
        func foundation() {
            var generator = Seed(state: .random(in: 1 ... .max))
            let seed = generator.state
            for _ in 0..<50_000 {
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    text.append(Self.scalar(using: &generator))
                }
                let foundation = String(text).folding(
                    options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                #expect(
                    scalars(SearchFolding.fold(String(text))) == scalars(foundation),
                    "\(text.map { String($0.value, radix: 16) }), of the seed \(seed)")
            }
        }

        /// A scalar of Unicode 15.0: an ASCII letter, a letter with a case, a mark, or any other.
        private static func scalar(using generator: inout Seed) -> Unicode.Scalar {
            let ranges: [ClosedRange<UInt32>] = [
                0x41...0x7A, 0xC0...0x24F, 0x300...0x36F, 0x370...0x5C7, 0x5D0...0x6DC, 0x900...0x97F,
                0xF71...0xFBC, 0x1E00...0x1FFF, 0x3040...0x30FF, 0xA640...0xA7CA, 0xAB70...0xABBF,
                0xFB00...0xFB4F, 0x10400...0x1044F, 0x11100...0x11134, 0x1D165...0x1D1AD, 0x1E900...0x1E94A,
            ]
            let range = ranges[Int.random(in: ranges.indices, using: &generator)]
            return Unicode.Scalar(UInt32.random(in: range, using: &generator)) ?? "a"
        }

        /// A generator whose numbers can be had again.
        private struct Seed: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                state &+= 0x9E37_79B9_7F4A_7C15
                var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
                word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
                return word ^ word >> 31
            }
        }
    #endif

    private func scalars(_ text: String) -> [String] {
        text.unicodeScalars.map { String($0.value, radix: 16) }
    }
}
