import Foundation
import SwitchyardCore
import Testing

@Suite("Searchable text")
struct SearchFoldingTests {
    @Test("Text in ASCII is folded as Foundation folds it")
    func ascii() {
        let all = (0..<128).map { String(UnicodeScalar(UInt8($0))) }
        for text in all + all.flatMap({ first in all.map { first + $0 } }) {
            let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            #expect(SearchFolding.fold(text) == folded)
        }
    }

    @Test(
        "Case and diacritics are lost",
        arguments: [
            ("", ""), ("Nap #2", "nap #2"), ("ÉCLAIR", "eclair"), ("Ge\u{308}nie", "genie"),
            ("Milk 🍼", "milk 🍼"),
        ])
    func others(text: String, folded: String) {
        #expect(SearchFolding.fold(text) == folded)
    }
}
