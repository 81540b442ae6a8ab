import Foundation
import SwitchyardIntents

struct StartPouring: Intent {
    static let title = "Start Pouring"
    static let description = "Starts a new pouring session for a guest."

    @Parameter(title: "Guest") var guest: GuestEntity

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let room = try run.dependency(TeaRoom.self)
        let isKnown = room.write { rows in
            guard rows.guests.contains(where: { $0.id == guest.id }) else { return false }
            rows.pouring[guest.id] = run.now
            return true
        }
        guard isKnown else { return .result(value: "Could not find guest.", dialog: "Could not find guest.") }
        return .result(value: "Started pouring \(guest.name).", dialog: "Started pouring \(guest).")
    }
}

struct FinishPouring: Intent {
    static let title = "Finish Pouring"

    @Parameter(title: "Guest") var guest: GuestEntity?
    @Parameter(title: "Amount", requestValueDialog: "How much did you pour?")
    var amount: Measurement<UnitVolume>
    @Parameter(title: "Type", default: .greenTea, requestValueDialog: "What type of drink?")
    var drinkType: DrinkType

    func perform(_ run: IntentRun) async throws -> IntentResult {
        let room = try run.dependency(TeaRoom.self)
        let pouring = room.read { rows in rows.guests.filter { rows.pouring[$0.id] != nil } }
        let poured: GuestEntity
        if let guest {
            poured = guest
        } else if pouring.isEmpty {
            return .result(dialog: "No one is currently pouring.")
        } else {
            poured = try await $guest.requestDisambiguation(
                among: pouring, dialog: "Which guest did you mean?", in: run)
        }
        guard pouring.contains(poured) else {
            return .result(dialog: "No pouring session in progress for \(poured).")
        }
        room.write { rows in
            rows.pouring[poured.id] = nil
            rows.log.append("\(poured.name) \(VolumeText.text(amount)) \(drinkType.rawValue)")
        }
        return .result(
            value: "\(poured.name), \(amount.value), \(amount.unit.symbol)",
            dialog: "Poured \(poured) \(amount).")
    }
}

struct UpdatePotTime: Intent {
    static let title = "Log Pot Change"

    @Parameter(title: "Guest") var guest: GuestEntity
    @Parameter(title: "Type", default: .glass) var type: PotType

    func perform(_ run: IntentRun) async throws -> IntentResult {
        try run.dependency(TeaRoom.self).write { rows in rows.log.append("\(guest.name) \(type.rawValue)") }
        return .result(dialog: "Logged \(type) pot for \(guest)")
    }
}

struct LogCustomOrder: Intent {
    static let title = "Log Custom Order"

    @Parameter(title: "Guest") var guest: GuestEntity
    @Parameter(title: "Order Type") var orderType: OrderTypeEntity

    func perform(_ run: IntentRun) async throws -> IntentResult {
        try run.dependency(TeaRoom.self).write { rows in rows.log.append("\(guest.name) \(orderType.name)") }
        return .result(dialog: "Logged \(orderType.emoji) \(orderType.name) for \(guest)")
    }
}

enum TeaHouseShortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
        [
            AppShortcut(
                intent: StartPouring(),
                phrases: ["Start pouring for ${app}", "Start pouring ${guest} in ${app}"],
                shortTitle: "Start Pouring"),
            AppShortcut(
                intent: FinishPouring(), phrases: ["Finish pouring for ${app}", "Poured ${guest} ${amount}"],
                shortTitle: "Finish Pouring"),
            AppShortcut(
                intent: UpdatePotTime(),
                phrases: ["Update pot time for ${app}", "Log ${type} pot for ${guest}"],
                shortTitle: "Log Pot Change"),
            AppShortcut(
                intent: LogCustomOrder(), phrases: ["Log custom order for ${app}"],
                shortTitle: "Log Custom Order"),
        ]
    }
}
