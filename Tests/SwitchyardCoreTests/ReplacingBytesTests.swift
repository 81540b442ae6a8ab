import SwitchyardCore
import Testing

@Suite("Escaping text by bytes")
struct ReplacingBytesTests {
    @Test(
        "a mark is escaped with any scalar behind it",
        arguments: [
            ("a'b", "a''b"), ("a'\u{301}b", "a''\u{301}b"), ("'\u{FE0F}\u{20E3}", "''\u{FE0F}\u{20E3}"),
            ("'", "''"), ("''", "''''"), ("", ""), ("é", "é"), ("e\u{301}'", "e\u{301}''"),
        ])
    func marks(text: String, escaped: String) {
        #expect(Array(text.replacingBytes(of: "'", with: "''").utf8) == Array(escaped.utf8))
    }

    @Test("a longer part is replaced whole, and its mere beginning is not")
    func longer() {
        #expect("secret, secre, secret".replacingBytes(of: "secret", with: "…") == "…, secre, …")
        #expect(
            Array("my secret\u{301}".replacingBytes(of: "secret", with: "…").utf8)
                == Array("my …\u{301}".utf8))
        #expect("text".replacingBytes(of: "", with: "x") == "text")
    }
}
