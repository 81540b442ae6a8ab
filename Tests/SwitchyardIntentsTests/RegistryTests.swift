import SwitchyardCore
import SwitchyardIntents
import Testing

private enum Other {
    struct StartPouring: Intent {
        static let title = "Another"
        func perform(_ run: IntentRun) async throws -> IntentResult { .result() }
    }
    struct Begin: Intent {
        static let title = "start pouring"
        static let name = "begin"
        func perform(_ run: IntentRun) async throws -> IntentResult { .result(dialog: "Begun.") }
    }
}

@Suite("The registry of intents")
struct RegistryTests {
    @Test("the intent registry lists intents with their parameters and phrases")
    func list() throws {
        let intents = try Miniature().registry.intents
        #expect(
            intents.map(\.name) == ["StartPouring", "FinishPouring", "UpdatePotTime", "LogCustomOrder"])
        #expect(
            intents.map(\.title) == [
                "Start Pouring", "Finish Pouring", "Log Pot Change", "Log Custom Order",
            ])
        #expect(intents[0].description == "Starts a new pouring session for a guest.")
        #expect(intents[1].description.isEmpty)
        #expect(intents[1].phrases == ["Finish pouring for TeaHouse", "Poured <guest> <amount>"])
        let parameters = intents[1].parameters
        #expect(parameters.map(\.name) == ["guest", "amount", "drinkType"])
        #expect(parameters.map(\.title) == ["Guest", "Amount", "Type"])
        #expect(parameters.map(\.isRequired) == [false, true, false])
        #expect(parameters.map(\.defaultValue) == [nil, nil, "Green Tea"])
        #expect(parameters.map(\.type.name) == ["guest", "volume", "drink type"])
        #expect(parameters[2].type.cases == ["greenTea", "blackTea", "cocoa"])
    }

    @Test("the intent registry lists intents as JSON")
    func json() throws {
        let intents = try Miniature().registry.intents
        #expect(
            try CanonicalJSON.text(intents[0])
                == #"{"description":"Starts a new pouring session for a guest.","name":"StartPouring","parameters":[{"#
                + #""defaultValue":null,"description":"","isRequired":true,"name":"guest","title":"Guest","type":{"#
                + #""cases":null,"description":"a guest: its name, the beginning of it, or its id","name":"guest"}}],"#
                + #""phrases":["Start pouring for TeaHouse","Start pouring <guest> in TeaHouse"],"title":"Start Pouring"}"#
        )
    }

    @Test("an intent's declaration is found by its name or title in any case")
    func declaration() async throws {
        let registry = try Miniature().registry
        for name in ["UpdatePotTime", "updatepottime", "Log pot change"] {
            #expect(try registry.declaration(named: name).parameters.map(\.name) == ["guest", "type"])
        }
        #expect(
            #expect(throws: IntentError.self) { try registry.declaration(named: "Update") }?.code
                == .unknownIntent)
    }

    @Test("two intents of one name or title are refused")
    func names() async {
        for other in [Other.StartPouring.self, Other.Begin.self] as [any Intent.Type] {
            let error = #expect(throws: IntentError.self) { try IntentRegistry([StartPouring.self, other]) }
            #expect(error?.code == .declaration)
        }
    }

    @Test("a name given at registration replaces the type's")
    func ownName() async throws {
        let registry = try IntentRegistry([Other.Begin.self])
        #expect(try await registry.run("begin", in: Miniature().context).dialog == "Begun.")
        #expect(try await registry.run("BEGIN", in: Miniature().context).intent == "begin")
    }

    @Test("a shortcut for an intent that is not registered is refused")
    func unregistered() async {
        let error = #expect(throws: IntentError.self) {
            try IntentRegistry(
                [],
                shortcuts: [AppShortcut(intent: StartPouring(), phrases: ["Start"], shortTitle: "Start it")])
        }
        #expect(error?.code == .declaration)
        #expect(error?.message == "The shortcut `Start it` is for StartPouring, which is not registered.")
    }

    @Test("an empty intent registry knows no intent and no phrase")
    func empty() async throws {
        let registry = try IntentRegistry([])
        let context = try Miniature().context
        #expect(
            await #expect(throws: IntentError.self) { try await registry.run("x", in: context) }?.explanation
                == "There is no intent `x`.")
        #expect(
            await #expect(throws: IntentError.self) { try await registry.say("x", in: context) }?.code
                == .unknownPhrase)
    }
}
