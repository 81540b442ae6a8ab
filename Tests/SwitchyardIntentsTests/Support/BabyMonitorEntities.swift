import Foundation
import SwitchyardIntents

struct BabyEntity: IntentEntity, Hashable {
    let id: UUID
    let name: String

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Baby"
    static let defaultQuery = BabyQuery()
    var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct BabyQuery: EntityQuery {
    func entities(for identifiers: [UUID], in context: IntentContext) async throws -> [BabyEntity] {
        try context.dependency(Nursery.self).read { rows in rows.babies.filter { identifiers.contains($0.id) }
        }
    }

    func suggestedEntities(in context: IntentContext) async throws -> [BabyEntity] {
        try context.dependency(Nursery.self).read { rows in rows.babies.sorted { $0.name < $1.name } }
    }
}

struct EventTypeEntity: IntentEntity, Hashable {
    let id: UUID
    let name: String
    let emoji: String

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Event Type"
    static let defaultQuery = EventTypeQuery()
    var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct EventTypeQuery: EntityQuery {
    func entities(for identifiers: [UUID], in context: IntentContext) async throws -> [EventTypeEntity] {
        try context.dependency(Nursery.self).read { rows in
            rows.eventTypes.filter { identifiers.contains($0.id) }
        }
    }

    func suggestedEntities(in context: IntentContext) async throws -> [EventTypeEntity] {
        try context.dependency(Nursery.self).read(\.eventTypes)
    }
}

enum FeedType: String, IntentEnum {
    case babyFormula, breastFeed, solid

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Feed Type"
    static let caseDisplayRepresentations: [Self: DisplayRepresentation] = [
        .babyFormula: "Baby Formula", .breastFeed: "Breast Feed", .solid: "Solid Food",
    ]
}

enum DiaperType: String, IntentEnum {
    case pee, poo

    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Diaper Type"
    static let caseDisplayRepresentations: [Self: DisplayRepresentation] = [.pee: "Pee", .poo: "Poo"]
}
