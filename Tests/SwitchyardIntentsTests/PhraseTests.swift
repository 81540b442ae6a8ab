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
        "a phrase ignores case, white space, diacritics and final punctuation",
        arguments: [
            "Update pot time for TeaHouse", "update POT time for teahouse!",
            "  Update  pot\u{A0}time for TeaHouse . ",
            "Updäte pot time for Tea House", "update pot time for tea table…",
            "Update pot time for TeaTable?!",
        ])
    func insensitive(phrase: String) async throws {
        let app = try Miniature(interaction: Conversation("Mia").interaction)
        #expect(try await app.said(phrase: phrase) == "Logged Glass pot for Mia")
    }

    @Test("a phrase without a parameter runs its intent")
    func plain() async throws {
        let app = try Miniature(interaction: Conversation("Mia", "120", "Mia", "Mia", "Scone").interaction)
        #expect(try await app.said(phrase: "Start pouring for TeaHouse") == "Started pouring Mia.")
        #expect(try await app.said(phrase: "Finish pouring for TeaHouse") == "Poured Mia 120 mL.")
        #expect(
            try await app.said(phrase: "Update pot time for TeaHouse") == "Logged Glass pot for Mia")
        #expect(try await app.said(phrase: "Log custom order for TeaHouse") == "Logged 🍰 Scone for Mia")
    }

    @Test("a phrase that names parameters resolves them")
    func parameters() async throws {
        let app = try Miniature()
        #expect(try await app.said(phrase: "log iron pot for max.") == "Logged Iron pot for Max")
        #expect(
            try await app.said(phrase: "Start pouring amelie rose in teahouse")
                == "Started pouring Amélie Rose.")
    }

    @Test("words of several parameters in a phrase are split so that the values exist")
    func cuts() async throws {
        let app = try Miniature()
        _ = try await app.said("StartPouring", ["guest": "Amélie Rose"])
        #expect(try await app.said(phrase: "Poured Amelie Rose 4 fl oz") == "Poured Amélie Rose 4 fl oz.")
    }

    @Test("a missing value in a phrase is the error of its parameter")
    func unknownValue() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) {
            try await app.said(phrase: "Log glass pot for Zoe")
        }
        #expect(error?.code == .notFound)
        #expect(error?.intent == "UpdatePotTime")
        #expect(error?.parameter == "guest")
        #expect(error?.message == "Guest: There is no guest `Zoe`.")
    }

    @Test("an ambiguous value in a phrase leads to a question")
    func unclearValue() async throws {
        let app = try Miniature(interaction: Conversation("mia").interaction)
        #expect(try await app.said(phrase: "Log glass pot for m") == "Logged Glass pot for Mia")
        let cut = try Miniature(interaction: Conversation("max").interaction)
        _ = try await cut.said("StartPouring", ["guest": "Max"])
        #expect(try await cut.said(phrase: "Poured m 90 ml") == "Poured Max 90 mL.")
    }

    @Test(
        "an unknown phrase lists the known ones, the likeliest first",
        arguments: [
            "finish poring for teahouse", "Finish pouring for", "finish pouring for TeaHouse now",
        ])
    func unknown(phrase: String) async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) { try await app.said(phrase: phrase) }
        #expect(error?.code == .unknownPhrase)
        #expect(error?.message == "No phrase matches `\(phrase)`.")
        #expect(error?.choices.first == "Finish pouring for TeaHouse")
        #expect(error?.choices.count == 7)
    }

    @Test("no words, and very many, are an unknown phrase")
    func extremes() async throws {
        let app = try Miniature()
        for phrase in ["", " . ", String(repeating: "start pouring ", count: 10_000)] {
            #expect(
                await #expect(throws: IntentError.self) { try await app.said(phrase: phrase) }?.code
                    == .unknownPhrase)
        }
    }

    @Test("many words for many parameters are split or refused in few steps")
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

    @Test("the known phrases are listed in order")
    func list() throws {
        #expect(
            try Miniature().registry.phrases == [
                "Start pouring for TeaHouse", "Start pouring <guest> in TeaHouse",
                "Finish pouring for TeaHouse",
                "Poured <guest> <amount>", "Update pot time for TeaHouse", "Log <type> pot for <guest>",
                "Log custom order for TeaHouse",
            ])
    }

    @Test("literal words of a phrase win over a parameter that could take them")
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

    @Test("a shortcut's intent has preset values")
    func presets() async throws {
        var iron = UpdatePotTime()
        iron.type = .iron
        let registry = try IntentRegistry(
            [UpdatePotTime.self],
            shortcuts: [AppShortcut(intent: iron, phrases: ["${guest} chose iron"], shortTitle: "Iron")])
        #expect(
            try await registry.say("Mia chose iron!", in: Miniature().context).dialog
                == "Logged Iron pot for Mia")
    }

    @Test("parameters that a phrase omits are given by name, and the others must not be")
    func furtherParameters() async throws {
        let app = try Miniature()
        #expect(
            try await app.registry.say(
                "Update pot time for TeaHouse", ["guest": .text("mia"), "type": .text("Iron")],
                in: app.context
            ).dialog == "Logged Iron pot for Mia")
        let error = await #expect(throws: IntentError.self) {
            try await app.registry.say(
                "Start pouring Mia in TeaHouse", ["guest": .text("Max")], in: app.context)
        }
        #expect(error?.code == .unknownParameter)
    }

    @Test(
        "an impossible phrase is refused at registration",
        arguments: [
            (
                "Start ${bayb}",
                "The phrase `Start ${bayb}` names bayb, which is not a parameter of StartPouring."
            ),
            (
                "Start in ${app}",
                "The phrase `Start in ${app}` names the app, but the registry has no application name."
            ),
            (
                "${guest} or ${guest}",
                "The phrase `${guest} or ${guest}` cannot be used; a phrase must have words, and each parameter only once."
            ),
            ("", "The phrase `` cannot be used; a phrase must have words, and each parameter only once."),
            (
                "Start ${guest",
                "The phrase `Start ${guest` cannot be used; a phrase must write each placeholder as ${name}, as a separate word."
            ),
            (
                "Start ${}",
                "The phrase `Start ${}` cannot be used; a phrase must write each placeholder as ${name}, as a separate word."
            ),
            (
                "${guest}'s pour",
                "The phrase `${guest}'s pour` cannot be used; a phrase must write each placeholder as ${name}, as a separate word."
            ),
        ])
    func declarations(phrase: String, message: String) async {
        let error = #expect(throws: IntentError.self) {
            try IntentRegistry(
                [StartPouring.self],
                shortcuts: [
                    AppShortcut(
                        intent: StartPouring(), phrases: [AppShortcutPhrase(phrase)], shortTitle: "Start")
                ])
        }
        #expect(error?.code == .declaration)
        #expect(error?.message == message)
    }
}
