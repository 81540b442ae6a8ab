import Foundation
import SwitchyardIntents
import Testing

/// Asks for its parameter as Apple's intents do, by throwing.
private struct Greet: Intent {
    static let title = "Greet"
    @Parameter(title: "Name") var name: String?
    @Parameter(title: "Guest") var guest: GuestEntity?

    func perform(_ run: IntentRun) async throws -> IntentResult {
        guard let name else { throw $name.needsValueError("Who is there?") }
        guard let guest else {
            throw $guest.needsDisambiguationError(
                among: [TeaRoom.mia, TeaRoom.max], dialog: "Whom to greet?")
        }
        return .result(dialog: "\(name) greets \(guest).")
    }
}

private struct NeverContent: Intent {
    static let title = "Never Content"
    @Parameter(title: "Name") var name: String?
    func perform(_ run: IntentRun) async throws -> IntentResult { throw $name.needsValueError() }
}

private struct Careless: Intent {
    static let title = "Careless"
    var count = 0
    func perform(_ run: IntentRun) async throws -> IntentResult { .result() }
}

private struct Failing: Intent {
    struct Failure: Error {}
    static let title = "Failing"
    func perform(_ run: IntentRun) async throws -> IntentResult { throw Failure() }
}

@Suite("Intents invoked from code")
struct InvocationFromCodeTests {
    @Test("an intent's typed properties are its parameters")
    func typed() async throws {
        let app = try Miniature()
        var start = StartPouring()
        start.guest = TeaRoom.mia
        #expect(try await start.perform(in: app.context).dialog == "Started pouring Mia.")
        var finish = FinishPouring()
        finish.amount = Measurement(value: 0.25, unit: .liters)
        finish.drinkType = .blackTea
        #expect(try await finish.perform(in: app.context).dialog == "Poured Mia 0.25 L.")
        #expect(app.room.read(\.log) == ["Mia 0.25 L blackTea"])
    }

    @Test("an intent's result names the intent")
    func name() async throws {
        let app = try Miniature()
        var update = UpdatePotTime()
        update.guest = TeaRoom.mia
        #expect(try await update.perform(in: app.context).intent == "UpdatePotTime")
    }

    @Test("a copy of an intent has values of its own")
    func copies() {
        var first = FinishPouring()
        first.drinkType = .cocoa
        var second = first
        second.drinkType = .blackTea
        #expect(first.drinkType == .cocoa)
        #expect(second.drinkType == .blackTea)
        #expect(FinishPouring().drinkType == .greenTea)
    }

    @Test("an answer applies to one performance only")
    func answersAreNotKept() async throws {
        let person = Conversation("Mia", "Max")
        let app = try Miniature(interaction: person.interaction)
        let start = StartPouring()
        #expect(try await start.perform(in: app.context).dialog == "Started pouring Mia.")
        #expect(try await start.perform(in: app.context).dialog == "Started pouring Max.")
    }

    @Test("a request thrown by an intent is answered, and the intent performed again")
    func requests() async throws {
        let person = Conversation("Anna", "max")
        let app = try Miniature(interaction: person.interaction)
        #expect(try await Greet().perform(in: app.context).dialog == "Anna greets Max.")
        #expect(
            person.shown == """
                Who is there? (text) Whom to greet?
                  1. Mia
                  2. Max
                Number or name: 
                """)
    }

    @Test("a request thrown by an intent is an error without an interaction")
    func requestsAlone() async throws {
        let app = try Miniature()
        let missing = await #expect(throws: IntentError.self) { try await Greet().perform(in: app.context) }
        #expect(missing?.code == .missingParameter)
        #expect(missing?.parameter == "name")
        #expect(missing?.message == "Greet needs a value for Name: Who is there? Give --name with text.")
        var named = Greet()
        named.name = "Anna"
        let unclear = await #expect(throws: IntentError.self) { try await named.perform(in: app.context) }
        #expect(unclear?.code == .needsDisambiguation)
        #expect(unclear?.choices == ["Mia", "Max"])
    }

    @Test("an intent that asks endlessly is stopped")
    func neverContent() async throws {
        let person = EndlessAnswers()
        let app = try Miniature(interaction: person)
        #expect(
            await #expect(throws: IntentError.self) { try await NeverContent().perform(in: app.context) }?
                .code == .declaration)
    }

    @Test("a stored property that is not a parameter is refused by name")
    func strangers() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) { try await Careless().perform(in: app.context) }
        #expect(error?.code == .declaration)
        #expect(error?.message.contains("`") == false)
        #expect(error?.message.hasPrefix("Careless has the stored property count") == true)
        #expect(throws: IntentError.self) { try IntentRegistry([Careless.self]).validate() }
    }

    @Test("an intent's own error reaches the caller unchanged")
    func ownErrors() async throws {
        let app = try Miniature()
        await #expect(throws: Failing.Failure.self) { try await Failing().perform(in: app.context) }
    }

    @Test("a missing dependency of an intent is named")
    func dependency() async throws {
        let context = IntentContext(store: try emptyStore())
        let update = {
            var update = UpdatePotTime()
            update.guest = TeaRoom.mia
            return update
        }()
        let error = await #expect(throws: IntentError.self) { try await update.perform(in: context) }
        #expect(error?.code == .missingDependency)
        #expect(error?.message == "The context holds no TeaRoom; add one before running the intent.")
    }
}

/// An interaction that always gives the same answer.
private struct EndlessAnswers: IntentInteraction {
    func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? { .text("again") }
    func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? { .choice(0) }
}
