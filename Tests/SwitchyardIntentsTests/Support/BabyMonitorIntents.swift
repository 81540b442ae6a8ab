import Foundation
import SwitchyardIntents

struct StartFeeding: Intent {
    static let title = "Start Feeding"
    static let description = "Starts a new feeding session for a baby."

    @Parameter(title: "Baby") var baby: BabyEntity

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let nursery = try run.dependency(Nursery.self)
        let isKnown = nursery.write { rows in
            guard rows.babies.contains(where: { $0.id == baby.id }) else { return false }
            rows.feeding[baby.id] = run.now
            return true
        }
        guard isKnown else { return .result(value: "Could not find baby.", dialog: "Could not find baby.") }
        return .result(value: "Started feeding \(baby.name).", dialog: "Started feeding \(baby).")
    }
}

struct FinishFeeding: Intent {
    static let title = "Finish Feeding"

    @Parameter(title: "Baby") var baby: BabyEntity?
    @Parameter(title: "Amount", requestValueDialog: "How much did you feed?")
    var amount: Measurement<UnitVolume>
    @Parameter(title: "Type", default: .babyFormula, requestValueDialog: "What type of feeding?")
    var feedType: FeedType

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let nursery = try run.dependency(Nursery.self)
        let feeding = nursery.read { rows in rows.babies.filter { rows.feeding[$0.id] != nil } }
        let fed: BabyEntity
        if let baby {
            fed = baby
        } else if feeding.isEmpty {
            return .result(dialog: "No one is currently feeding.")
        } else {
            fed = try await $baby.requestDisambiguation(
                among: feeding, dialog: "Which baby did you mean?", in: run)
        }
        guard feeding.contains(fed) else {
            return .result(dialog: "No feeding session in progress for \(fed).")
        }
        nursery.write { rows in
            rows.feeding[fed.id] = nil
            rows.log.append("\(fed.name) \(VolumeText.text(amount)) \(feedType.rawValue)")
        }
        return .result(
            value: "\(fed.name), \(amount.value), \(amount.unit.symbol)", dialog: "Fed \(fed) \(amount).")
    }
}

struct UpdateDiaperTime: Intent {
    static let title = "Log Diaper Change"

    @Parameter(title: "Baby") var baby: BabyEntity
    @Parameter(title: "Type", default: .pee) var type: DiaperType

    func perform(_ run: IntentRun) async throws -> IntentResult {
        try run.dependency(Nursery.self).write { rows in rows.log.append("\(baby.name) \(type.rawValue)") }
        return .result(dialog: "Logged \(type) diaper for \(baby)")
    }
}

struct LogCustomEvent: Intent {
    static let title = "Log Custom Event"

    @Parameter(title: "Baby") var baby: BabyEntity
    @Parameter(title: "Event Type") var eventType: EventTypeEntity

    func perform(_ run: IntentRun) async throws -> IntentResult {
        try run.dependency(Nursery.self).write { rows in rows.log.append("\(baby.name) \(eventType.name)") }
        return .result(dialog: "Logged \(eventType.emoji) \(eventType.name) for \(baby)")
    }
}

enum BabyMonitorShortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
        [
            AppShortcut(
                intent: StartFeeding(),
                phrases: ["Start feeding for ${app}", "Start feeding ${baby} in ${app}"],
                shortTitle: "Start Feeding"),
            AppShortcut(
                intent: FinishFeeding(), phrases: ["Finish feeding for ${app}", "Fed ${baby} ${amount}"],
                shortTitle: "Finish Feeding"),
            AppShortcut(
                intent: UpdateDiaperTime(),
                phrases: ["Update diaper time for ${app}", "Log ${type} diaper for ${baby}"],
                shortTitle: "Log Diaper Change"),
            AppShortcut(
                intent: LogCustomEvent(), phrases: ["Log custom event for ${app}"],
                shortTitle: "Log Custom Event"),
        ]
    }
}
