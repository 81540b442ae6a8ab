import Foundation
import SwitchyardIntents
import Testing

@Suite("BabyMonitor's intents in miniature")
struct BabyMonitorIntentsTests {
    @Test("start feeding says whom, and the baby is then feeding")
    func start() async throws {
        let app = try Miniature()
        #expect(try await app.said("StartFeeding", ["baby": "Mia"]) == "Started feeding Mia.")
        #expect(app.nursery.read(\.feeding) == [Nursery.id(1): Date(timeIntervalSince1970: 1_795_000_000)])
    }

    @Test("start feeding a baby that has gone meanwhile could not find it")
    func startWithoutBaby() async throws {
        let app = try Miniature()
        var start = StartFeeding()
        start.baby = BabyEntity(id: Nursery.id(9), name: "Zoe")
        #expect(try await start.perform(in: app.context).dialog == "Could not find baby.")
    }

    @Test("finish feeding without a baby when nobody feeds")
    func finishNobody() async throws {
        let app = try Miniature()
        #expect(try await app.said("FinishFeeding", ["amount": "120 ml"]) == "No one is currently feeding.")
    }

    @Test("finish feeding without a baby takes the one that feeds")
    func finishOne() async throws {
        let app = try Miniature()
        _ = try await app.said("StartFeeding", ["baby": "Mia"])
        let result = try await app.registry.run("FinishFeeding", ["amount": "120 ml"], in: app.context)
        #expect(result.dialog == "Fed Mia 120 mL.")
        #expect(result.value as? String == "Mia, 120.0, mL")
        #expect(app.nursery.read(\.log) == ["Mia 120 mL babyFormula"])
        #expect(app.nursery.read(\.feeding).isEmpty)
    }

    @Test("finish feeding without a baby when several feed asks which was meant")
    func finishSeveral() async throws {
        let person = Conversation("2")
        let app = try Miniature(interaction: person.interaction)
        _ = try await app.said("StartFeeding", ["baby": "Mia"])
        _ = try await app.said("StartFeeding", ["baby": "Max"])
        #expect(
            try await app.said("FinishFeeding", ["amount": "4 oz", "feedType": "solid food"])
                == "Fed Mia 4 fl oz.")
        #expect(
            person.shown == """
                Which baby did you mean?
                  1. Max
                  2. Mia
                Number or name: 
                """)
        #expect(app.nursery.read(\.log) == ["Mia 4 fl oz solid"])
    }

    @Test("finish feeding without a baby when several feed is an error where nobody can be asked")
    func finishSeveralAlone() async throws {
        let app = try Miniature()
        _ = try await app.said("StartFeeding", ["baby": "Mia"])
        _ = try await app.said("StartFeeding", ["baby": "Max"])
        let error = await refusal { try await app.said("FinishFeeding", ["amount": "4 oz"]) }
        #expect(error?.code == .needsDisambiguation)
        #expect(error?.parameter == "baby")
        #expect(error?.choices == ["Max", "Mia"])
        #expect(
            error?.explanation
                == "Which baby did you mean? Several fit; give --baby with one of them, or with its id. "
                + "Choose from: Max, Mia.")
        #expect(app.nursery.read(\.log).isEmpty)
    }

    @Test("finish feeding a baby that does not feed")
    func finishIdle() async throws {
        let app = try Miniature()
        #expect(
            try await app.said("FinishFeeding", ["baby": "Max", "amount": "90"])
                == "No feeding session in progress for Max.")
    }

    @Test(
        "an amount without a unit is in the person's units",
        arguments: [
            (Locale.MeasurementSystem.us, "Fed Mia 4.5 fl oz.", "Mia, 4.5, fl oz"),
            (.metric, "Fed Mia 4.5 mL.", "Mia, 4.5, mL"),
            (.uk, "Fed Mia 4.5 mL.", "Mia, 4.5, mL"),
        ])
    func units(system: Locale.MeasurementSystem, dialog: String, value: String) async throws {
        let app = try Miniature(measurementSystem: system)
        _ = try await app.said("StartFeeding", ["baby": "Mia"])
        let result = try await app.registry.run("FinishFeeding", ["amount": "4.5"], in: app.context)
        #expect(result.dialog?.text == dialog)
        #expect(result.value as? String == value)
    }

    @Test(
        "a number that does not end in a digit is without a unit too",
        arguments: [("4.", "Fed Mia 4 fl oz."), ("4,5 ", "Fed Mia 4.5 fl oz."), ("4. ml", "Fed Mia 4 mL.")])
    func numberAlone(amount: String, dialog: String) async throws {
        let app = try Miniature(measurementSystem: .us)
        _ = try await app.said("StartFeeding", ["baby": "Mia"])
        #expect(try await app.said("FinishFeeding", ["amount": amount]) == dialog)
    }

    @Test("a diaper is pee unless another type is given")
    func diaper() async throws {
        let app = try Miniature()
        #expect(try await app.said("UpdateDiaperTime", ["baby": "mia"]) == "Logged Pee diaper for Mia")
        #expect(
            try await app.said("Log Diaper Change", ["baby": "mia", "type": "POO"])
                == "Logged Poo diaper for Mia")
        #expect(app.nursery.read(\.log) == ["Mia pee", "Mia poo"])
    }

    @Test("a custom event is logged with its emoji")
    func customEvent() async throws {
        let app = try Miniature()
        #expect(
            try await app.said("LogCustomEvent", ["baby": "Mia", "event-type": "bath"])
                == "Logged 🛁 Bath for Mia")
    }
}
