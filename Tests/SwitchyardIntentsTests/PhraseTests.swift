import SwitchyardIntents
import Testing

private struct Note: Intent {
    static let title = "Note"
    @Parameter(title: "Text") var text: String
    func perform(_ run: IntentRun) async throws -> IntentResult { .result(dialog: "Noted “\(text)”.") }
}

private struct Remember: Intent {
    static let title = "Remember"
    @Parameter(title: "Text") var text: String
    func perform(_ run: IntentRun) async throws -> IntentResult { .result(dialog: "Remembered “\(text)”.") }
}

private struct Pack: Intent {
    static let title = "Pack"
    @Parameter(title: "First") var first: String
    @Parameter(title: "Second") var second: String
    @Parameter(title: "Third") var third: String
    @Parameter(title: "Fourth") var fourth: String
    @Parameter(title: "Fifth") var fifth: String
    @Parameter(title: "Sixth") var sixth: String
    @Parameter(title: "Seventh") var seventh: String
    @Parameter(title: "Eighth") var eighth: String
    func perform(_ run: IntentRun) async throws -> IntentResult { .result(dialog: "Packed “\(eighth)”.") }
}

@Suite("Intents run by phrase")
struct PhraseTests {
    @Test(
        "case, white space, diacritics and punctuation at the end do not matter",
        arguments: [
            "Update diaper time for BabyMonitor", "update DIAPER time for babymonitor!",
            "  Update  diaper\u{A0}time for BabyMonitor . ",
            "Updäte diaper time for Baby Monitor", "update diaper time for baby dashboard…",
            "Update diaper time for BabyDashboard?!",
        ])
    func insensitive(phrase: String) async throws {
        let app = try Miniature(interaction: Conversation("Mia").interaction)
        #expect(try await app.said(phrase: phrase) == "Logged Pee diaper for Mia")
    }

    @Test("the phrases of the facts run their intents")
    func facts() async throws {
        let app = try Miniature(interaction: Conversation("Mia", "120", "Mia", "Mia", "Bath").interaction)
        #expect(try await app.said(phrase: "Start feeding for BabyMonitor") == "Started feeding Mia.")
        #expect(try await app.said(phrase: "Finish feeding for BabyMonitor") == "Fed Mia 120 mL.")
        #expect(
            try await app.said(phrase: "Update diaper time for BabyMonitor") == "Logged Pee diaper for Mia")
        #expect(try await app.said(phrase: "Log custom event for BabyMonitor") == "Logged 🛁 Bath for Mia")
    }

    @Test("a phrase that names parameters resolves them")
    func parameters() async throws {
        let app = try Miniature()
        #expect(try await app.said(phrase: "log poo diaper for max.") == "Logged Poo diaper for Max")
        #expect(
            try await app.said(phrase: "Start feeding amelie rose in babymonitor")
                == "Started feeding Amélie Rose.")
    }

    @Test("words of several parameters are cut so that the values exist")
    func cuts() async throws {
        let app = try Miniature()
        _ = try await app.said("StartFeeding", ["baby": "Amélie Rose"])
        #expect(try await app.said(phrase: "Fed Amelie Rose 4 fl oz") == "Fed Amélie Rose 4 fl oz.")
    }

    @Test("a value that is not there is the error of the parameter")
    func unknownValue() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said(phrase: "Log pee diaper for Zoe")
        }
        #expect(error?.code == .notFound)
        #expect(error?.intent == "UpdateDiaperTime")
        #expect(error?.parameter == "baby")
        #expect(error?.message == "Baby: There is no baby `Zoe`.")
    }

    @Test("a value that fits several is asked back about")
    func unclearValue() async throws {
        let app = try Miniature(interaction: Conversation("mia").interaction)
        #expect(try await app.said(phrase: "Log pee diaper for m") == "Logged Pee diaper for Mia")
        let cut = try Miniature(interaction: Conversation("max").interaction)
        _ = try await cut.said("StartFeeding", ["baby": "Max"])
        #expect(try await cut.said(phrase: "Fed m 90 ml") == "Fed Max 90 mL.")
    }

    @Test(
        "an unknown phrase lists what can be said, the likeliest first",
        arguments: [
            "finish feding for babymonitor", "Finish feeding for", "finish feeding for BabyMonitor now",
        ])
    func unknown(phrase: String) async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) { try await app.said(phrase: phrase) }
        #expect(error?.code == .unknownPhrase)
        #expect(error?.message == "`\(phrase)` is nothing that can be said.")
        #expect(error?.choices.first == "Finish feeding for BabyMonitor")
        #expect(error?.choices.count == 7)
    }

    @Test("no words, and very many, are an unknown phrase")
    func extremes() async throws {
        let app = try Miniature()
        for phrase in ["", " . ", String(repeating: "start feeding ", count: 10_000)] {
            #expect(
                await #expect(throws: IntentError.self) { try await app.said(phrase: phrase) }?.code
                    == .unknownPhrase)
        }
    }

    @Test("many words for many parameters are given up or cut in few steps")
    func manyCuts() async throws {
        let parameters = "${first} ${second} ${third} ${fourth} ${fifth} ${sixth} ${seventh} ${eighth}"
        let registry = try IntentRegistry(
            [Pack.self],
            shortcuts: [
                AppShortcut(
                    intent: Pack(), phrases: [AppShortcutPhrase("\(parameters) please")], shortTitle: "Pack")
            ])
        let context = try Miniature().context
        // 59 words can be cut for eight parameters in 300 million ways, none of which ends in "please".
        let socks = Array(repeating: "socks", count: 59).joined(separator: " ")
        #expect(
            await #expect(throws: IntentError.self) {
                try await registry.say("\(socks) thanks", in: context)
            }?.code == .unknownPhrase)
        let packed = try await registry.say("a b c d e f g h please", in: context).dialog
        #expect(packed == "Packed “h”.")
    }

    @Test("what can be said is listed in order")
    func list() throws {
        #expect(
            try Miniature().registry.phrases == [
                "Start feeding for BabyMonitor", "Start feeding <baby> in BabyMonitor",
                "Finish feeding for BabyMonitor",
                "Fed <baby> <amount>", "Update diaper time for BabyMonitor", "Log <type> diaper for <baby>",
                "Log custom event for BabyMonitor",
            ])
    }

    @Test("words said for words win over a parameter that could take them")
    func literal() async throws {
        let registry = try IntentRegistry(
            [Note.self, Remember.self],
            shortcuts: [
                AppShortcut(intent: Note(), phrases: ["Note ${text}"], shortTitle: "Note"),
                AppShortcut(intent: Remember(), phrases: ["Note down ${text}"], shortTitle: "Remember"),
            ])
        let context = try Miniature().context
        #expect(
            try await registry.say("note down Milk, and bread", in: context).dialog
                == "Remembered “Milk, and bread”.")
        #expect(try await registry.say("note Milk", in: context).dialog == "Noted “Milk”.")
    }

    @Test("a phrase of two intents is an error")
    func ambiguous() async throws {
        let registry = try IntentRegistry(
            [Note.self, Remember.self],
            shortcuts: [
                AppShortcut(intent: Note(), phrases: ["Keep ${text}"], shortTitle: "Note"),
                AppShortcut(intent: Remember(), phrases: ["Keep ${text}"], shortTitle: "Remember"),
            ])
        let context = try Miniature().context
        #expect(
            await #expect(throws: IntentError.self) { try await registry.say("keep this", in: context) }?.code
                == .ambiguousPhrase)
    }

    @Test("a shortcut's intent brings values of its own")
    func presets() async throws {
        var poo = UpdateDiaperTime()
        poo.type = .poo
        let registry = try IntentRegistry(
            [UpdateDiaperTime.self],
            shortcuts: [AppShortcut(intent: poo, phrases: ["${baby} made a poo"], shortTitle: "Poo")])
        #expect(
            try await registry.say("Mia made a poo!", in: Miniature().context).dialog
                == "Logged Poo diaper for Mia")
    }

    @Test(
        "a phrase that cannot work is refused when it is registered",
        arguments: [
            (
                "Start ${bayb}",
                "The phrase `Start ${bayb}` names bayb, which is no parameter of StartFeeding."
            ),
            (
                "Start in ${app}",
                "The phrase `Start in ${app}` names the app, but the registry has no name of it."
            ),
            (
                "${baby} or ${baby}",
                "The phrase `${baby} or ${baby}` cannot be used; a phrase has words, and each parameter once."
            ),
            ("", "The phrase `` cannot be used; a phrase has words, and each parameter once."),
            (
                "Start ${baby",
                "The phrase `Start ${baby` cannot be used; a phrase writes a placeholder as ${name}, a word of its own."
            ),
            (
                "Start ${}",
                "The phrase `Start ${}` cannot be used; a phrase writes a placeholder as ${name}, a word of its own."
            ),
            (
                "${baby}'s feed",
                "The phrase `${baby}'s feed` cannot be used; a phrase writes a placeholder as ${name}, a word of its own."
            ),
        ])
    func declarations(phrase: String, message: String) async {
        let error = #expect(throws: IntentError.self) {
            try IntentRegistry(
                [StartFeeding.self],
                shortcuts: [
                    AppShortcut(
                        intent: StartFeeding(), phrases: [AppShortcutPhrase(phrase)], shortTitle: "Start")
                ])
        }
        #expect(error?.code == .declaration)
        #expect(error?.message == message)
    }
}
