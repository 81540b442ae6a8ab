import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardIntents
import TestBackends
import Testing

@Suite("The app's intents")
struct IntentTests {
    private let clock = TestClock("2025-11-06T18:00:00Z")

    private func context(
        _ store: any Store, interaction: any IntentInteraction = NoInteraction(),
        system: Locale.MeasurementSystem = .metric
    ) -> IntentContext {
        IntentContext(
            store: store, interaction: interaction, clock: clock.read, locale: Locale(identifier: "en_GB"),
            timeZone: .gmt, measurementSystem: system)
    }

    private func run(_ name: String, _ parameters: [String: String], in context: IntentContext) async throws
        -> String?
    {
        try await BabyMonitorShortcuts.registry().run(name, parameters, in: context).dialog?.text
    }

    @Test("the app's intents have titles, parameters and phrases")
    func declarations() throws {
        let intents = try BabyMonitorShortcuts.registry().intents
        #expect(
            intents.map(\.name) == [
                "StartFeeding", "FinishFeeding", "UpdateDiaperTime", "LogCustomEvent", "UndoLastAction",
                "InviteMember",
            ])
        #expect(
            intents.map(\.title) == [
                "Start Feeding", "Finish Feeding", "Log Diaper Change", "Log Custom Event", "Undo",
                "Invite to Household",
            ])
        #expect(
            intents.map { $0.parameters.map(\.name) } == [
                ["baby"], ["baby", "amount", "feedType"], ["baby", "type"], ["baby", "eventType"], [],
                ["role"],
            ])
        #expect(
            intents.map { $0.parameters.map(\.isRequired) } == [
                [true], [false, true, false], [true, false], [true, true], [],
                [false],
            ])
        #expect(intents[1].parameters[2].defaultValue == "Baby Formula")
        #expect(intents[2].parameters[1].defaultValue == "Pee")
        #expect(
            intents.map(\.phrases) == [
                ["Start feeding for BabyMonitor"], ["Finish feeding for BabyMonitor"],
                ["Update diaper time for BabyMonitor"], ["Log custom event for BabyMonitor"],
                ["Undo in BabyMonitor"], ["Invite somebody to BabyMonitor"],
            ])
    }

    @Test(
        "the undo intent reverts what was done on this device, the last change first",
        arguments: TestBackend.available)
    func undo(backend: TestBackend) async throws {
        let options = OpenOptions(keepsHistory: true, device: "this")
        try await backend.withStore(try BabyMonitorSchema.schema, options: options) { store in
            var context = context(store)
            // Without the device, it does not fall back on the changes of all.
            await #expect(throws: IntentError.self) { try await run("UndoLastAction", [:], in: context) }
            context.add(Device("this"))
            #expect(try await run("UndoLastAction", [:], in: context) == "There is nothing to undo.")
            _ = try await store.add("Mia")
            #expect(try await run("StartFeeding", ["baby": "mia"], in: context) == "Started feeding Mia.")
            #expect(
                try await run("UpdateDiaperTime", ["baby": "mia"], in: context) == "Logged Pee diaper for Mia"
            )
            let authors = try await store.read { try $0.history() }.map(\.author)
            #expect(authors == [nil, "StartFeeding", "UpdateDiaperTime"])
            for _ in 0..<2 {
                #expect(try await run("UndoLastAction", [:], in: context) == "Undid the last change.")
            }
            let (feeds, changes) = try await store.read {
                (try $0.count(FeedSession.all), try $0.count(DiaperChange.all))
            }
            #expect(feeds == 0)
            #expect(changes == 0)
            context.add(Device("another"))
            #expect(try await run("UndoLastAction", [:], in: context) == "There is nothing to undo.")
        }
    }

    @Test("an intent starts a feed", arguments: TestBackend.available)
    func start(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let mia = try await store.add("Mia", "Noah")[0]
            let context = context(store)
            #expect(try await run("StartFeeding", ["baby": "mia"], in: context) == "Started feeding Mia.")
            #expect(
                try await run("StartFeeding", ["baby": mia.id.description], in: context)
                    == "Started feeding Mia.")
            let feeds = try await store.feeds()
            #expect(feeds.map(\.profile) == [mia.id])
            #expect(feeds.map(\.startTime) == [time("2025-11-06T18:00:00Z")])
        }
    }

    @Test("an intent says that the baby is gone")
    func gone() async throws {
        try await TestBackend.memory.withStore { store in
            let mia = try await store.add("Mia")[0]
            var start = StartFeeding()
            start.baby = BabyEntity(mia)
            var diaper = UpdateDiaperTime()
            diaper.baby = BabyEntity(mia)
            try await store.write { try $0.delete(mia.id) }
            let context = context(store)
            #expect(try await start.perform(in: context).dialog?.text == "Could not find baby.")
            #expect(try await diaper.perform(in: context).dialog?.text == "Could not find baby.")
        }
    }

    @Test(
        "an intent finishes a feed with an amount in the given unit, or in that of the measurement system",
        arguments: [
            ("120 ml", Locale.MeasurementSystem.metric, "Fed Mia 120 mL.", "Mia, 120, mL", 120.0, "mL"),
            ("120", .metric, "Fed Mia 120 mL.", "Mia, 120, mL", 120, "mL"),
            ("4", .us, "Fed Mia 4 fl oz.", "Mia, 4, fl oz", 4, "fl oz"),
            ("4.5 oz", .metric, "Fed Mia 4.5 fl oz.", "Mia, 4.5, fl oz", 4.5, "fl oz"),
            ("90 mL", .us, "Fed Mia 90 mL.", "Mia, 90, mL", 90, "mL"),
        ])
    func finish(
        amount: String, system: Locale.MeasurementSystem, dialog: String, value: String, stored: Double,
        symbol: String
    ) async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let context = context(store, system: system)
            _ = try await run("StartFeeding", ["baby": "Mia"], in: context)
            clock.advance(by: 60)
            let result = try await BabyMonitorShortcuts.registry().run(
                "FinishFeeding", ["amount": amount, "feed-type": "solid"], in: context)
            #expect(result.dialog?.text == dialog)
            #expect(result.value as? String == value)
            let feed = try #require(try await store.feeds().first)
            #expect(feed.amountValue == stored)
            #expect(feed.amountUnitSymbol == symbol)
            #expect(feed.feedType == .solid)
            #expect(feed.endTime == clock.now)
        }
    }

    @Test("the finish intent changes nothing when no baby is being fed", arguments: TestBackend.available)
    func finishNothing(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Mia", "Noah")
            let context = context(store)
            #expect(
                try await run("FinishFeeding", ["amount": "1"], in: context) == "No one is currently feeding."
            )
            _ = try await run("StartFeeding", ["baby": "Mia"], in: context)
            #expect(
                try await run("FinishFeeding", ["amount": "1", "baby": "Noah"], in: context)
                    == "No feeding session in progress for Noah.")
        }
    }

    @Test("an intent asks which baby was meant when several are being fed", arguments: TestBackend.available)
    func finishSeveral(backend: TestBackend) async throws {
        try await backend.withStore { store in
            let babies = try await store.add("Noah", "Mia", "Leo")
            let silent = context(store)
            for name in ["Mia", "Noah"] { _ = try await run("StartFeeding", ["baby": name], in: silent) }
            await #expect {
                try await run("FinishFeeding", ["amount": "1"], in: silent)
            } throws: { error in
                guard let error = error as? IntentError else { return false }
                return error.code == .needsDisambiguation
                    && error.message.hasPrefix("Which baby did you mean?")
                    && error.choices == ["Mia", "Noah"]
            }
            let log = Log()
            let asking = context(
                store, interaction: TextInteraction(readLine: { "noah" }, write: { log.add($0) }))
            #expect(try await run("FinishFeeding", ["amount": "100"], in: asking) == "Fed Noah 100 mL.")
            #expect(log.all.first?.hasPrefix("Which baby did you mean?\n") == true)
            let feeds = try await store.feeds()
            #expect(feeds.filter { !$0.isInProgress }.map(\.profile) == [babies[0].id])
        }
    }

    @Test("an intent asks how much was fed")
    func asksAmount() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let silent = context(store)
            _ = try await run("StartFeeding", ["baby": "Mia"], in: silent)
            await #expect {
                try await run("FinishFeeding", [:], in: silent)
            } throws: { error in
                guard let error = error as? IntentError else { return false }
                return error.code == .missingParameter && error.message.contains("How much did you feed?")
            }
            let log = Log()
            let asking = context(
                store, interaction: TextInteraction(readLine: { "2 cups" }, write: { log.add($0) }))
            #expect(try await run("FinishFeeding", [:], in: asking) == "Fed Mia 2 cup.")
            #expect(log.all.first?.hasPrefix("How much did you feed?") == true)
        }
    }

    @Test("an intent logs a diaper change", arguments: TestBackend.available)
    func diaper(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Mia")
            let context = context(store)
            #expect(
                try await run("UpdateDiaperTime", ["baby": "Mia"], in: context) == "Logged Pee diaper for Mia"
            )
            #expect(
                try await run("Log Diaper Change", ["baby": "Mia", "type": "POO"], in: context)
                    == "Logged Poo diaper for Mia")
            #expect(Set(try await store.diaperChanges().map(\.type)) == [.pee, .poo])
        }
    }

    @Test(
        "an intent logs a custom event, and offers types in the order of their creation",
        arguments: TestBackend.available)
    func event(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Mia")
            let dashboard = Dashboard(store: store, now: clock.read)
            try await dashboard.addEventType(named: "Walk", emoji: "🚼")
            clock.advance(by: 1)
            let bath = try await dashboard.addEventType(named: "Bath", emoji: "🛁")
            let context = context(store)
            #expect(
                try await run("LogCustomEvent", ["baby": "Mia", "eventType": "bath"], in: context)
                    == "Logged 🛁 Bath for Mia")
            #expect(
                try await run(
                    "LogCustomEvent", ["baby": "Mia", "eventType": bath.id.description], in: context)
                    == "Logged 🛁 Bath for Mia")
            #expect(
                try await EventTypeQuery().suggestedEntities(in: context).map(\.name) == ["Walk", "Bath"])
            let names = try await store.read { try $0.fetch(CustomEvent.all).map(\.eventTypeName) }
            #expect(names == ["Bath", "Bath"])
        }
    }

    @Test("intents offer babies by name", arguments: TestBackend.available)
    func suggestions(backend: TestBackend) async throws {
        try await backend.withStore { store in
            _ = try await store.add("Noah", "Ada", "Mia")
            #expect(
                try await BabyQuery().suggestedEntities(in: context(store)).map(\.name) == [
                    "Ada", "Mia", "Noah",
                ])
        }
    }

    @Test("the app's intents run by phrase")
    func phrase() async throws {
        try await TestBackend.memory.withStore { store in
            _ = try await store.add("Mia")
            let context = context(store, interaction: TextInteraction(readLine: { "1" }, write: { _ in }))
            let result = try await BabyMonitorShortcuts.registry().say(
                "start feeding for baby monitor!", in: context)
            #expect(result.dialog?.text == "Started feeding Mia.")
        }
    }
}
