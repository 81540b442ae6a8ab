import SwitchyardCSV
import Testing

@Suite("Excerpts of a file in messages")
struct ExcerptTests {
    @Test("a message shows a short text unchanged", arguments: ["", "Mia", "하나", "👩‍👧", "e\u{301}"])
    func short(text: String) {
        #expect(Array(Excerpt.of(text).utf8) == Array(text.utf8))
    }

    @Test("a message cuts a megabyte of accents on one letter")
    func accents() {
        let text = "e" + String(repeating: "\u{301}", count: 500_000)
        #expect(text.count == 1)
        let shown = "e" + String(repeating: "\u{301}", count: 59) + "…"
        #expect(Array(Excerpt.of(text).utf8) == Array(shown.utf8))
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { Array(Excerpt.of($0).utf8) } == Array(shown.utf8))
    }

    @Test("a message escapes invisible and control characters")
    func invisible() {
        #expect(Excerpt.of("a\u{1B}[2J\u{200B}\u{202E}\n") == "a\\u{1B}[2J\\u{200B}\\u{202E}\\u{A}")
    }

    @Test(
        "white space is what Unicode says it is, in strings and in bytes",
        arguments: [
            (" \u{A0}Mia\u{3000}\r\n", "Mia"), ("\u{200B}Mia\u{200B}", "\u{200B}Mia\u{200B}"), ("\t ", ""),
        ])
    func whiteSpace(text: String, trimmed: String) {
        #expect(Array(WhiteSpace.trimmed(text).utf8) == Array(trimmed.utf8))
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { #expect(Array(WhiteSpace.trimmed($0)) == Array(trimmed.utf8)) }
    }
}
