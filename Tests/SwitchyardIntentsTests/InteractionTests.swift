import SwitchyardIntents
import Testing

@Suite("Questions and answers")
struct InteractionTests {
    @Test("a missing parameter is asked for with the intent's own question")
    func amount() async throws {
        let person = Conversation("120 ml")
        let app = try Miniature(interaction: person.interaction)
        _ = try await app.said("StartPouring", ["guest": "Mia"])
        #expect(try await app.said("FinishPouring") == "Poured Mia 120 mL.")
        #expect(person.shown == "How much did you pour? (an amount, such as 120 ml or 4 fl oz) ")
    }

    @Test("a missing entity is asked for with suggestions")
    func suggestions() async throws {
        let person = Conversation("3", "2")
        let app = try Miniature(interaction: person.interaction)
        #expect(try await app.said("LogCustomOrder") == "Logged 🍞 Toast for Mia")
        #expect(
            person.shown == """
                Guest?
                  1. Amélie Rose
                  2. Max
                  3. Mia
                Number or name: Order Type?
                  1. Scone
                  2. Toast
                Number or name: 
                """)
    }

    @Test(
        "an answer may be a name, the beginning of one or an id",
        arguments: [
            "Mia", "mi", "AB000000-0000-4000-8000-000000000001",
        ])
    func names(answer: String) async throws {
        let app = try Miniature(interaction: Conversation(answer).interaction)
        #expect(try await app.said("StartPouring") == "Started pouring Mia.")
    }

    @Test("an ambiguous answer leads to another question")
    func unclearAnswer() async throws {
        let person = Conversation("m", "ma")
        let app = try Miniature(interaction: person.interaction)
        #expect(try await app.said("StartPouring") == "Started pouring Max.")
        #expect(
            person.shown.hasSuffix(
                """
                Number or name: Which guest did you mean?
                  1. Max
                  2. Mia
                Number or name: 
                """))
    }

    @Test("an ambiguous parameter leads to a question")
    func unclearParameter() async throws {
        let person = Conversation("1")
        let app = try Miniature(interaction: person.interaction)
        #expect(try await app.said("StartPouring", ["guest": "m"]) == "Started pouring Max.")
    }

    @Test("an invalid answer is asked for again, with the reason")
    func again() async throws {
        let person = Conversation("a lot", "", "5 stone", "7 oz")
        let app = try Miniature(interaction: person.interaction)
        _ = try await app.said("StartPouring", ["guest": "Mia"])
        let error = await #expect(throws: IntentError.self) { try await app.said("FinishPouring") }
        #expect(error?.code == .invalidValue)
        #expect(error?.parameter == "amount")
        #expect(error?.message == "Amount: `stone` is not a unit of volume.")
        #expect(person.unused == ["7 oz"])
        #expect(
            person.shown == """
                How much did you pour? (an amount, such as 120 ml or 4 fl oz) \
                Amount: `a lot` is not an amount, such as 120 ml or 4 fl oz.
                How much did you pour? (an amount, such as 120 ml or 4 fl oz) \
                An answer is needed.
                How much did you pour? (an amount, such as 120 ml or 4 fl oz) 
                """)
        #expect(try await app.said("FinishPouring") == "Poured Mia 7 fl oz.")
    }

    @Test("an invalid choice is asked for again")
    func wrongChoice() async throws {
        let person = Conversation("7", "Zoe", "1")
        let app = try Miniature(interaction: person.interaction)
        #expect(try await app.said("StartPouring", ["guest": "m"]) == "Started pouring Max.")
        #expect(person.shown.contains("`7` is not one of the choices.\nWhich guest did you mean?"))
        #expect(person.shown.contains("`Zoe` is not one of the choices.\nWhich guest did you mean?"))
    }

    @Test("an interaction that keeps answering with an invalid choice is refused")
    func brokenInteraction() async throws {
        struct Broken: IntentInteraction {
            func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? { .choice(-1) }
            func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? {
                .choice(99)
            }
        }
        let app = try Miniature(interaction: Broken())
        #expect(
            await #expect(throws: IntentError.self) { try await app.said("StartPouring") }?.code
                == .invalidValue)
        #expect(
            await #expect(throws: IntentError.self) { try await app.said("StartPouring", ["guest": "m"]) }?
                .code == .invalidValue)
    }

    @Test("the end of input is an error, as without an interaction")
    func endOfInput() async throws {
        let app = try Miniature(interaction: Conversation().interaction)
        #expect(
            await #expect(throws: IntentError.self) { try await app.said("StartPouring") }?.code
                == .missingParameter)
        #expect(
            await #expect(throws: IntentError.self) { try await app.said("StartPouring", ["guest": "m"]) }?
                .code == .needsDisambiguation)
    }

    @Test("a numeric name wins over the number of a choice")
    func numericName() async throws {
        let guests = ["2", "Ben"].enumerated().map { GuestEntity(id: TeaRoom.id(UInt8($0)), name: $1) }
        let app = try Miniature(
            TeaRoom(TeaRoom.Rows(guests: guests)), interaction: Conversation("2").interaction)
        #expect(try await app.said("StartPouring") == "Started pouring 2.")
    }

    @Test("an invalid parameter is an error before any question")
    func givenWrongly() async throws {
        let person = Conversation("Mia")
        let app = try Miniature(interaction: person.interaction)
        let error = await #expect(throws: IntentError.self) {
            try await app.said("LogCustomOrder", ["orderType": "nap"])
        }
        #expect(error?.code == .notFound)
        #expect(error?.message == "Order Type: There is no order type `nap`.")
        #expect(person.shown.isEmpty)
    }

    @Test("an error of the interaction ends the intent")
    func interactionFails() async throws {
        struct Hangup: Error {}
        let app = try Miniature(interaction: TextInteraction(readLine: { throw Hangup() }, write: { _ in }))
        await #expect(throws: Hangup.self) { try await app.said("StartPouring") }
    }

    @Test("an intent's own request for a choice shows the choices")
    func finishSeveral() async throws {
        let person = Conversation("2")
        let app = try Miniature(interaction: person.interaction)
        _ = try await app.said("StartPouring", ["guest": "Mia"])
        _ = try await app.said("StartPouring", ["guest": "Max"])
        #expect(
            try await app.said("FinishPouring", ["amount": "4 oz", "drinkType": "hot cocoa"])
                == "Poured Mia 4 fl oz.")
        #expect(
            person.shown == """
                Which guest did you mean?
                  1. Max
                  2. Mia
                Number or name: 
                """)
        #expect(app.room.read(\.log) == ["Mia 4 fl oz cocoa"])
    }

    @Test("an intent's request for a choice is an error without an interaction")
    func finishSeveralAlone() async throws {
        let app = try Miniature()
        _ = try await app.said("StartPouring", ["guest": "Mia"])
        _ = try await app.said("StartPouring", ["guest": "Max"])
        let error = await #expect(throws: IntentError.self) {
            try await app.said("FinishPouring", ["amount": "4 oz"])
        }
        #expect(error?.code == .needsDisambiguation)
        #expect(error?.parameter == "guest")
        #expect(error?.choices == ["Max", "Mia"])
        #expect(
            error?.explanation
                == "Which guest did you mean? Several fit; give --guest with one of them, or with its id. "
                + "Choose from: Max, Mia.")
        #expect(app.room.read(\.log).isEmpty)
    }
}
