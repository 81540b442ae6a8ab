import Foundation
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("A mirror between stores")
struct MirrorTests {
    private static let schema = Result {
        let id = Attribute("id", type: .uuid)
        return try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Baby",
                    attributes: [id, Attribute("name", type: .text), Attribute("weight", type: .int)],
                    relationships: [
                        Relationship("feeds", target: "Feed", inverse: "baby", deleteRule: .cascade)
                    ]),
                Entity(
                    "Feed",
                    attributes: [
                        id, Attribute("baby", type: .uuid, reference: "Baby"),
                        Attribute("amount", type: .int),
                        Attribute("label", type: .text, isOptional: true),
                    ], uniqueConstraints: [UniqueConstraint(["label"])]),
            ])
    }

    private static let mia = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    private static let feed = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1))

    /// Two devices and their server.
    private struct Household {
        let server: any Store
        let first: any Store
        let second: any Store

        func sessions() async throws -> (MirrorSession, MirrorSession) {
            let remote = StoreRemote(server)
            return (
                try await MirrorSession.open(first, remote: remote, name: "first"),
                try await MirrorSession.open(second, remote: remote, name: "second")
            )
        }

        /// Exchanges until all three agree.
        func settle(_ sessions: (MirrorSession, MirrorSession)) async throws {
            try await sessions.0.exchange()
            try await sessions.1.exchange()
            try await sessions.0.exchange()
        }

        /// The rows of all three, which must be the same.
        func rows(of entity: String) async throws -> [[StoredValue]] {
            func rows(_ store: any Store) async throws -> [[StoredValue]] {
                try await store.read { try $0.fetchRows(of: entity, sortedBy: [SortKey("id")]) }
            }
            let expected = try await rows(server)
            #expect(try await rows(first) == expected)
            #expect(try await rows(second) == expected)
            return expected
        }
    }

    private static func withHousehold(
        _ backend: TestBackend, _ body: (Household) async throws -> Void
    ) async throws {
        let schema = try schema.get()
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    try await body(Household(server: server, first: first, second: second))
                }
            }
        }
    }

    private static func insertMia(into store: any Store, name: String = "Mia") async throws {
        try await store.write { tx in
            try tx.insertRows(into: "Baby", [[.uuid(mia), .text(name), .int(4_000)]])
        }
    }

    private static func set(
        _ attribute: String, _ value: StoredValue, of entity: String = "Baby", _ id: UUID = mia,
        in store: any Store
    ) async throws {
        try await store.write { tx in
            try tx.updateRows(
                of: entity, set: [Assignment(attribute: attribute, value: .value(value))],
                where: .compare(.attribute("id"), .equal, .value(.uuid(id))))
        }
    }

    @Test("what one device writes arrives at the other", arguments: TestBackend.available)
    func arrival(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            try await Self.insertMia(into: household.first)
            let sessions = try await household.sessions()
            try await household.settle(sessions)
            #expect(try await household.rows(of: "Baby") == [[.uuid(Self.mia), .text("Mia"), .int(4_000)]])
        }
    }

    @Test("edits of two attributes of a row, made offline, are both kept", arguments: TestBackend.available)
    func attributes(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            try await Self.insertMia(into: household.first)
            let sessions = try await household.sessions()
            try await household.settle(sessions)
            try await Self.set("name", .text("Mia Rose"), in: household.first)
            try await Self.set("weight", .int(4_200), in: household.second)
            try await household.settle(sessions)
            #expect(
                try await household.rows(of: "Baby") == [[.uuid(Self.mia), .text("Mia Rose"), .int(4_200)]])
        }
    }

    @Test("of two edits of one attribute, made offline, the later wins", arguments: TestBackend.available)
    func laterEdit(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            try await Self.insertMia(into: household.first)
            let sessions = try await household.sessions()
            try await household.settle(sessions)
            try await Self.set("weight", .int(4_100), in: household.first)
            try await Self.set("weight", .int(4_200), in: household.second)
            // The later edit reaches the server first.
            try await sessions.1.exchange()
            try await household.settle(sessions)
            #expect(try await household.rows(of: "Baby") == [[.uuid(Self.mia), .text("Mia"), .int(4_200)]])
        }
    }

    @Test("a feed of a baby that was deleted meanwhile goes with the baby", arguments: TestBackend.available)
    func lostParent(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            try await Self.insertMia(into: household.first)
            let sessions = try await household.sessions()
            try await household.settle(sessions)
            try await household.first.write { tx in
                _ = try tx.deleteRows(of: "Baby", where: .constant(true))
            }
            try await household.second.write { tx in
                try tx.insertRows(into: "Feed", [[.uuid(Self.feed), .uuid(Self.mia), .int(120), .null]])
            }
            try await household.settle(sessions)
            #expect(try await household.rows(of: "Baby").isEmpty)
            #expect(try await household.rows(of: "Feed").isEmpty)
        }
    }

    @Test(
        "the second feed with a taken label is rejected, and the next edit is carried out",
        arguments: TestBackend.available)
    func takenLabel(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            try await Self.insertMia(into: household.first)
            let sessions = try await household.sessions()
            try await household.settle(sessions)
            let other = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2))
            try await household.first.write { tx in
                try tx.insertRows(
                    into: "Feed", [[.uuid(Self.feed), .uuid(Self.mia), .int(90), .text("night")]])
            }
            try await household.second.write { tx in
                try tx.insertRows(into: "Feed", [[.uuid(other), .uuid(Self.mia), .int(110), .text("night")]])
            }
            try await Self.set("weight", .int(4_300), in: household.second)
            try await household.settle(sessions)
            #expect(
                try await household.rows(of: "Feed") == [
                    [.uuid(Self.feed), .uuid(Self.mia), .int(90), .text("night")]
                ])
            #expect(try await household.rows(of: "Baby") == [[.uuid(Self.mia), .text("Mia"), .int(4_300)]])
        }
    }

    @Test("a device that is opened again sends what it wrote while no mirror was open")
    func reopening() async throws {
        try await Self.withHousehold(.sqlite) { household in
            try await Self.insertMia(into: household.first)
            try await household.settle(try await household.sessions())
            try await Self.set("name", .text("Mia Rose"), in: household.first)
            try await household.settle(try await household.sessions())
            #expect(
                try await household.rows(of: "Baby") == [[.uuid(Self.mia), .text("Mia Rose"), .int(4_000)]])
        }
    }

    @Test("two devices that both have rows when they join keep all of them")
    func joining() async throws {
        try await Self.withHousehold(.sqlite) { household in
            try await Self.insertMia(into: household.first)
            let ben = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))
            try await household.second.write { tx in
                try tx.insertRows(into: "Baby", [[.uuid(ben), .text("Ben"), .int(3_000)]])
            }
            try await household.settle(try await household.sessions())
            #expect(
                try await household.rows(of: "Baby") == [
                    [.uuid(Self.mia), .text("Mia"), .int(4_000)], [.uuid(ben), .text("Ben"), .int(3_000)],
                ])
        }
    }

    @Test("a store is no mirror of itself, and of one server only")
    func refusals() async throws {
        try await Self.withHousehold(.sqlite) { household in
            await #expect(throws: StoreError.self) {
                try await MirrorSession.open(
                    household.server, remote: StoreRemote(household.server), name: nil)
            }
            _ = try await household.sessions()
            await #expect(throws: StoreError.self) {
                try await MirrorSession.open(
                    household.first, remote: StoreRemote(household.second), name: nil)
            }
        }
    }
}
