import Foundation
import SwitchyardIntents
import Testing

/// Asks for its parameter as Apple's intents do, by throwing.
private struct Greet: Intent {
    static let title = "Greet"
    @Parameter(title: "Name") var name: String?
    @Parameter(title: "Baby") var baby: BabyEntity?

    func perform(_ run: IntentRun) async throws -> IntentResult {
        guard let name else { throw $name.needsValueError("Who is there?") }
        guard let baby else {
            throw $baby.needsDisambiguationError(among: [Nursery.mia, Nursery.max], dialog: "Whom to greet?")
        }
        return .result(dialog: "\(name) greets \(baby).")
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
    @Test("typed properties are the parameters")
    func typed() async throws {
        let app = try Miniature()
        var start = StartFeeding()
        start.baby = Nursery.mia
        #expect(try await start.perform(in: app.context).dialog == "Started feeding Mia.")
        var finish = FinishFeeding()
        finish.amount = Measurement(value: 0.25, unit: .liters)
        finish.feedType = .breastFeed
        #expect(try await finish.perform(in: app.context).dialog == "Fed Mia 0.25 L.")
        #expect(app.nursery.read(\.log) == ["Mia 0.25 L breastFeed"])
    }

    @Test("the result names the intent")
    func name() async throws {
        let app = try Miniature()
        var update = UpdateDiaperTime()
        update.baby = Nursery.mia
        #expect(try await update.perform(in: app.context).intent == "UpdateDiaperTime")
    }

    @Test("a copy has values of its own")
    func copies() {
        var first = FinishFeeding()
        first.feedType = .solid
        var second = first
        second.feedType = .breastFeed
        #expect(first.feedType == .solid)
        #expect(second.feedType == .breastFeed)
        #expect(FinishFeeding().feedType == .babyFormula)
    }

    @Test("an answer is for one performance only")
    func answersAreNotKept() async throws {
        let person = Conversation("Mia", "Max")
        let app = try Miniature(interaction: person.interaction)
        let start = StartFeeding()
        #expect(try await start.perform(in: app.context).dialog == "Started feeding Mia.")
        #expect(try await start.perform(in: app.context).dialog == "Started feeding Max.")
    }

    @Test("a request thrown by the intent is answered, and the intent performed again")
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

    @Test("a request thrown by the intent is an error where nobody can be asked")
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

    @Test("an intent that is never content is stopped")
    func neverContent() async throws {
        let person = EndlessAnswers()
        let app = try Miniature(interaction: person)
        #expect(
            await #expect(throws: IntentError.self) { try await NeverContent().perform(in: app.context) }?
                .code == .declaration)
    }

    @Test("a stored property that is no parameter is refused, by name")
    func strangers() async throws {
        let app = try Miniature()
        let error = await #expect(throws: IntentError.self) { try await Careless().perform(in: app.context) }
        #expect(error?.code == .declaration)
        #expect(error?.message.contains("`") == false)
        #expect(error?.message.hasPrefix("Careless has the stored property count") == true)
        #expect(throws: IntentError.self) { try IntentRegistry([Careless.self]) }
    }

    @Test("what the intent throws comes through as it is")
    func ownErrors() async throws {
        let app = try Miniature()
        await #expect(throws: Failing.Failure.self) { try await Failing().perform(in: app.context) }
    }

    @Test("a dependency that is not there is named")
    func dependency() async throws {
        let context = IntentContext(store: try emptyStore())
        let update = {
            var update = UpdateDiaperTime()
            update.baby = Nursery.mia
            return update
        }()
        let error = await #expect(throws: IntentError.self) { try await update.perform(in: context) }
        #expect(error?.code == .missingDependency)
        #expect(error?.message == "The context holds no Nursery; add one before running the intent.")
    }
}

/// Somebody who says the same for ever.
private struct EndlessAnswers: IntentInteraction {
    func requestValue(_ question: IntentQuestion) async throws -> IntentAnswer? { .text("again") }
    func requestDisambiguation(_ question: IntentQuestion) async throws -> IntentAnswer? { .choice(0) }
}
