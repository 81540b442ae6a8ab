import BabyMonitorKit
import Testing

@Suite("Hashtags")
struct HashtagTests {
    @Test(
        "hashtags are a number sign and letters, digits or underscores, in any script",
        arguments: [
            ("#sleepy", ["#sleepy"]),
            ("ate well #big_meal #2nd", ["#big_meal", "#2nd"]),
            ("#트림 했다", ["#트림"]),
            ("#はじめて #日本", ["#はじめて", "#日本"]),
            ("#café, #naïve.", ["#café", "#naïve"]),
            ("#नींद आई", ["#नींद"]),
            ("#Молоко!", ["#Молоко"]),
            ("#رضاعة", ["#رضاعة"]),
            ("#กิน นม", ["#กิน"]),
            ("(#a)", ["#a"]),
        ])
    func scripts(text: String, tags: [String]) {
        #expect(Hashtags.find(in: text) == tags)
    }

    @Test(
        "hashtags do not begin inside a word",
        arguments: [
            ("a#b", []), ("1#b", []), ("_#b", []), ("아#b", []), ("#a#b", ["#a"]), ("##a", ["#a"]),
            ("a-#b", ["#b"]),
        ] as [(String, [String])])
    func precededByWord(text: String, tags: [String]) {
        #expect(Hashtags.find(in: text) == tags)
    }

    @Test("a number sign without a word is not a hashtag", arguments: ["", "#", "# a", "#-a", "#😀", "a # b"])
    func noWord(text: String) {
        #expect(Hashtags.find(in: text) == [])
    }

    @Test("hashtags are listed once, ignoring case, with the first spelling in the original order")
    func repeats() {
        #expect(Hashtags.find(in: "#Nap #bath #nap #NAP #Bath #walk") == ["#Nap", "#bath", "#walk"])
        #expect(Hashtags.find(in: "#ÉTÉ #été") == ["#ÉTÉ"])
    }

    @Test("hashtags end at an emoji, a dash and the end of the line")
    func ends() {
        #expect(Hashtags.find(in: "#a😀 #b-c #d\n#e\r\n#f") == ["#a", "#b", "#d", "#e", "#f"])
    }

    @Test("hashtags keep combining accents with their letter")
    func combining() {
        #expect(Hashtags.find(in: "#cafe\u{301}s") == ["#cafe\u{301}s"])
    }

    @Test("a hashtag differs from text that contains it")
    func whole() {
        #expect(Hashtags.isHashtag("#nap"))
        #expect(!Hashtags.isHashtag("nap"))
        #expect(!Hashtags.isHashtag("#nap now"))
        #expect(!Hashtags.isHashtag("#"))
    }
}
