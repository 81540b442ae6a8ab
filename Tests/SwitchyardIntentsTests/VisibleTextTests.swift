import SwitchyardIntents
import Testing

@Suite("Escaping of shown text")
struct VisibleTextTests {
    @Test(
        "control and direction characters become escapes",
        arguments: [
            ("\u{1B}[31mMia", #"\u{1B}[31mMia"#), ("a\r\nb", #"a\u{D}\u{A}b"#),
            ("\u{0}\u{7}\u{7F}\u{9B}", #"\u{0}\u{7}\u{7F}\u{9B}"#),
            ("\u{2028}\u{202E}aiM\u{2069}", #"\u{2028}\u{202E}aiM\u{2069}"#),
        ])
    func escapes(text: String, shown: String) {
        #expect(VisibleText.escaping(text) == shown)
    }

    @Test("other text is shown unchanged", arguments: ["", "Mia", "하나 👩‍👧", "e\u{301}", "עלמה", #"\u{1B}"#])
    func others(text: String) {
        #expect(VisibleText.escaping(text).unicodeScalars.elementsEqual(text.unicodeScalars))
    }
}
