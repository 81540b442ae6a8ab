import Foundation
import MemoryStore
import SwitchyardCore
import SwitchyardIntents
import Synchronization

/// A small TeaHouse to invoke intents in.
struct Miniature {
    let room: TeaRoom
    let registry: IntentRegistry
    var context: IntentContext

    init(
        _ room: TeaRoom = .usual(), interaction: any IntentInteraction = NoInteraction(),
        measurementSystem: Locale.MeasurementSystem = .metric
    ) throws {
        self.room = room
        registry = try IntentRegistry(
            [StartPouring.self, FinishPouring.self, UpdatePotTime.self, LogCustomOrder.self],
            applicationNames: ["TeaHouse", "Tea Table"], shortcuts: TeaHouseShortcuts.appShortcuts)
        context = IntentContext(
            store: try emptyStore(), interaction: interaction,
            clock: { Date(timeIntervalSince1970: 1_795_000_000) },
            timeZone: TimeZone(secondsFromGMT: 0), measurementSystem: measurementSystem)
        context.add(room)
    }

    /// What running an intent says.
    func said(_ intent: String, _ parameters: [String: String] = [:]) async throws -> String? {
        try await registry.run(intent, parameters, in: context).dialog?.text
    }

    /// What saying a phrase leads to.
    func said(phrase: String) async throws -> String? {
        try await registry.say(phrase, in: context).dialog?.text
    }
}

/// A store without entities, for intents that keep their things elsewhere.
func emptyStore() throws -> MemoryStore {
    MemoryStore(schema: try Schema(version: SchemaVersion(1), entities: []))
}

/// A person at a terminal whose answers are known beforehand.
final class Conversation: Sendable {
    private let state: Mutex<(answers: [String], shown: String)>

    init(_ answers: String...) { state = Mutex((answers, "")) }

    /// All that was shown to the person.
    var shown: String { state.withLock { $0.shown } }
    /// The answers that nobody asked for.
    var unused: [String] { state.withLock { $0.answers } }

    var interaction: TextInteraction {
        TextInteraction(
            readLine: { self.state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() } },
            write: { text in self.state.withLock { $0.shown += text } })
    }
}
