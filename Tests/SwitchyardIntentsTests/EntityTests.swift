import Foundation
import SwitchyardCore
import SwitchyardIntents
import Testing

/// Finds guests by what they are called at home.
private struct Nicknamed: IntentEntity {
    let id: String
    static let typeDisplayRepresentation: TypeDisplayRepresentation = "Animal"
    static let defaultQuery = NicknameQuery()
    var displayRepresentation: DisplayRepresentation { DisplayRepresentation(title: id) }
}

private struct NicknameQuery: EntityQuery {
    func entities(for identifiers: [String], in context: IntentContext) async throws -> [Nicknamed] {
        identifiers.filter { ["bear", "bee"].contains($0) }.map { Nicknamed(id: $0) }
    }
    func suggestedEntities(in context: IntentContext) async throws -> [Nicknamed] { [] }
    func entities(matching text: String, in context: IntentContext) async throws -> [Nicknamed] {
        text == "fluffy"
            ? [Nicknamed(id: "bear")] : text == "animal" ? [Nicknamed(id: "bear"), Nicknamed(id: "bee")] : []
    }
}

@Suite("Entities found by text")
struct EntityTests {
    private func guest(_ text: String, among guests: [GuestEntity]? = nil) async throws -> IntentResolution<
        GuestEntity
    > {
        let room = guests.map { TeaRoom(TeaRoom.Rows(guests: $0)) } ?? .usual()
        return try await GuestEntity.resolve(.text(text), in: try Miniature(room).context)
    }

    private func names(_ resolution: IntentResolution<GuestEntity>) -> [String] {
        switch resolution {
        case .value(let guest): [guest.name]
        case .ambiguous(let guests): ["one of"] + guests.map(\.name)
        }
    }

    @Test("an entity is found by its id in any case")
    func id() async throws {
        #expect(names(try await guest("ab000000-0000-4000-8000-000000000001")) == ["Mia"])
        #expect(names(try await guest(" AB000000-0000-4000-8000-000000000002 ")) == ["Max"])
    }

    @Test(
        "an entity is found by its name without regard to case, diacritics and white space",
        arguments: [
            ("Mia", "Mia"), ("mIA", "Mia"), (" mia ", "Mia"), ("amelie rose", "Amélie Rose"),
            ("AMÉLIE   ROSE", "Amélie Rose"),
        ])
    func name(text: String, name: String) async throws {
        #expect(names(try await guest(text)) == [name])
    }

    @Test("an entity is found by the beginning of its name, if it is unique")
    func prefix() async throws {
        #expect(names(try await guest("am")) == ["Amélie Rose"])
        #expect(names(try await guest("ma")) == ["Max"])
        #expect(names(try await guest("m")) == ["one of", "Max", "Mia"])
    }

    @Test("a whole name wins over a beginning, and the exact spelling over another")
    func better() async throws {
        let guests = ["Mia", "Mia Rose", "mia"].enumerated().map {
            GuestEntity(id: TeaRoom.id(UInt8($0)), name: $1)
        }
        #expect(names(try await guest("mia", among: guests)) == ["mia"])
        #expect(names(try await guest("MIA", among: guests)) == ["one of", "Mia", "mia"])
        #expect(names(try await guest("mia r", among: guests)) == ["Mia Rose"])
    }

    @Test("a missing entity is an error with the likeliest first")
    func missing() async throws {
        let error = await #expect(throws: IntentError.self) { try await guest("Mxa") }
        #expect(error?.code == .notFound)
        #expect(error?.message == "There is no guest `Mxa`.")
        #expect(error?.choices == ["Max", "Mia", "Amélie Rose"])
        #expect(error?.description == "notFound: There is no guest `Mxa`.")
        #expect(
            await #expect(throws: IntentError.self) {
                try await guest("AB000000-0000-4000-8000-000000000009")
            }?.code == .notFound)
        #expect(await #expect(throws: IntentError.self) { try await guest("  ") }?.code == .invalidValue)
    }

    @Test("two entities of one name are told apart by their ids")
    func twins() async throws {
        let app = try Miniature(
            TeaRoom(
                TeaRoom.Rows(guests: [TeaRoom.mia, GuestEntity(id: TeaRoom.id(7), name: "Mia"), TeaRoom.max]))
        )
        let error = await #expect(throws: IntentError.self) {
            try await app.said("StartPouring", ["guest": "Mia"])
        }
        #expect(error?.code == .needsDisambiguation)
        #expect(
            error?.choices == [
                "Mia (ab000000-0000-4000-8000-000000000001)", "Mia (ab000000-0000-4000-8000-000000000007)",
            ])
        let id = "AB000000-0000-4000-8000-000000000007"
        #expect(try await app.said("StartPouring", ["guest": id]) == "Started pouring Mia.")
        #expect(app.room.read { Array($0.pouring.keys) } == [TeaRoom.id(7)])
    }

    @Test("an entity query of its own decides what matches")
    func nicknames() async throws {
        let context = try Miniature().context
        guard case .value(let bear) = try await Nicknamed.resolve("fluffy", in: context) else {
            Issue.record("a nickname is not ambiguous")
            return
        }
        #expect(bear.id == "bear")
        guard case .ambiguous(let animals) = try await Nicknamed.resolve("animal", in: context) else {
            Issue.record("a word for two is ambiguous")
            return
        }
        #expect(animals.map(\.id) == ["bear", "bee"])
    }

    @Test("ids of several types are read and written as parameters")
    func identifiers() {
        #expect(Int(entityIdentifier: "12") == 12)
        #expect(Int(entityIdentifier: "x") == nil)
        #expect(12.entityIdentifierString == "12")
        #expect(String(entityIdentifier: "x") == "x")
        #expect(UUID(entityIdentifier: "ab000000-0000-4000-8000-000000000001") == TeaRoom.id(1))
        #expect(TeaRoom.id(1).entityIdentifierString == "ab000000-0000-4000-8000-000000000001")
        let typed = Identifier<Int>(entityIdentifier: "AB000000-0000-4000-8000-000000000001")
        #expect(typed?.uuid == TeaRoom.id(1))
        #expect(typed?.entityIdentifierString == "ab000000-0000-4000-8000-000000000001")
    }
}
