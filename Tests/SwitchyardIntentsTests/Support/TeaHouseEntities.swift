import Foundation
import SwitchyardIntents

struct GuestEntity: IntentEntity, Hashable {
    let id: UUID
    let name: String

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Guest"
    static let defaultQuery = GuestQuery()
    var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct GuestQuery: EntityQuery {
    func entities(for identifiers: [UUID], in context: IntentContext) async throws -> [GuestEntity] {
        try context.dependency(TeaRoom.self).read { rows in rows.guests.filter { identifiers.contains($0.id) }
        }
    }

    func suggestedEntities(in context: IntentContext) async throws -> [GuestEntity] {
        try context.dependency(TeaRoom.self).read { rows in rows.guests.sorted { $0.name < $1.name } }
    }
}

struct OrderTypeEntity: IntentEntity, Hashable {
    let id: UUID
    let name: String
    let emoji: String

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Order Type"
    static let defaultQuery = OrderTypeQuery()
    var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct OrderTypeQuery: EntityQuery {
    func entities(for identifiers: [UUID], in context: IntentContext) async throws -> [OrderTypeEntity] {
        try context.dependency(TeaRoom.self).read { rows in
            rows.orderTypes.filter { identifiers.contains($0.id) }
        }
    }

    func suggestedEntities(in context: IntentContext) async throws -> [OrderTypeEntity] {
        try context.dependency(TeaRoom.self).read(\.orderTypes)
    }
}

enum DrinkType: String, IntentEnum {
    case greenTea, blackTea, cocoa

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Drink Type"
    static let caseDisplayRepresentations: [Self: DisplayRepresentation] = [
        .greenTea: "Green Tea", .blackTea: "Black Tea", .cocoa: "Hot Cocoa",
    ]
}

enum PotType: String, IntentEnum {
    case glass, iron

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Pot Type"
    static let caseDisplayRepresentations: [Self: DisplayRepresentation] = [.glass: "Glass", .iron: "Iron"]
}
