import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

@testable import SwitchyardMirror
@testable import SwitchyardMirrorEngine

@Model
private struct Guest {
    let id: ID
    var name: String = ""
    @Attribute(.merge(.counter)) var cups: Int = 0
    @Attribute(.merge(.counter)) var owes: Decimal = 0
    @Attribute(.merge(.maximum)) var best: Int?
    @Attribute(.merge(.minimum)) var arrived: Date?
    @Attribute(.merge(.union)) var likes: [String] = []
    @Attribute(.merge(.custom("longer"))) var note: String = ""
    @Attribute(.merge(.serverOrder)) var seat: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Tagging.guest) var tags: ToMany<Tagging>
}

@Model(.merge(.resurrect))
private struct Table {
    #Unique<Table>([\.label], merge: .rename)
    let id: ID
    var label: String?
    var chairs: Int = 2
}

@Model
private struct Tag {
    // A tag that is put away makes room for another one.
    #Unique<Tag>([\.name], where: { $0.isHidden == false }, merge: .mergeInto)
    let id: ID
    @Attribute(.searchable) var name: String
    var color: String?
    @Attribute(.merge(.counter)) var uses: Int = 0
    var isHidden: Bool = false
    @Relationship(deleteRule: .deny, inverse: \Tagging.tag) var guests: ToMany<Tagging>
}

@Model
private struct Tagging {
    #Unique<Tagging>([\.guest, \.tag], merge: .mergeInto)
    let id: ID
    var guest: Guest.ID
    var tag: Tag.ID
}

private enum Cafe: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Guest.self, Table.self, Tag.self, Tagging.self]
}

@Suite("Merge policies of a mirror between stores")
struct PolicyTests {
    private static let functions = MergeFunctions([
        "longer": { _, current, edit in
            guard case (.text(let mine), .text(let theirs)) = (current, edit) else { return nil }
            return mine.count < theirs.count ? edit : current
        }
    ])

    /// Two devices and their server.
    private struct Household {
        let server: any Store
        let first: any Store
        let second: any Store
        let sessions: (MirrorSession, MirrorSession)

        init(_ server: any Store, _ first: any Store, _ second: any Store) async throws {
            let remote = StoreRemote(server, functions: PolicyTests.functions)
            (self.server, self.first, self.second) = (server, first, second)
            sessions = (
                try await MirrorSession.open(first, remote: remote, name: "first"),
                try await MirrorSession.open(second, remote: remote, name: "second")
            )
        }

        /// Exchanges until all three agree, which they must.
        func settle(firstComes: Bool = true) async throws {
            if firstComes { try await sessions.0.exchange() }
            try await sessions.1.exchange()
            try await sessions.0.exchange()
            try await sessions.1.exchange()
            for model in Cafe.models {
                let expected = try await rows(server, model)
                #expect(try await rows(first, model) == expected)
                #expect(try await rows(second, model) == expected)
            }
        }

        private func rows(_ store: any Store, _ model: any Model.Type) async throws -> [[StoredValue]] {
            try await store.read { try $0.fetchRows(of: model.entityName, sortedBy: [SortKey("id")]) }
        }

        func all<Row: Model>(_: Row.Type) async throws -> [Row] {
            try await server.read { try $0.fetch(Row.all) }
        }

        /// The conflicts of the server's log.
        func conflicts() async throws -> [Conflict] {
            try await server.write { tx in
                try MirrorRecords(tx).all(.conflict).compactMap {
                    try LoggedConflict(id: $0.id, $0.data, tx.schema)?.conflict
                }
            }
        }
    }

    private static func withHousehold(
        _ backend: TestBackend, _ body: (Household) async throws -> Void
    ) async throws {
        let schema = try Schema(version: SchemaVersion(1), models: Cafe.models)
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    try await body(Household(server, first, second))
                }
            }
        }
    }

    /// A guest that both devices have edited without having seen each other; the first device's edit arrives first.
    private static func guest(
        on backend: TestBackend, _ guest: Guest, first: @escaping @Sendable (inout Guest) -> Void,
        second: @escaping @Sendable (inout Guest) -> Void, _ check: (Guest, [Conflict]) throws -> Void
    ) async throws {
        try await withHousehold(backend) { household in
            try await household.first.write { _ = try $0.insert(guest) }
            try await household.settle()
            try await household.first.write { try edit(guest, in: $0, first) }
            try await household.second.write { try edit(guest, in: $0, second) }
            try await household.settle()
            let merged = try #require(try await household.all(Guest.self).first)
            try check(merged, try await household.conflicts())
        }
    }

    private static func edit(
        _ guest: Guest, in tx: WriteTransaction, _ change: (inout Guest) -> Void
    ) throws {
        var edited = guest
        change(&edited)
        try tx.update(edited)
    }

    // MARK: Attributes

    @Test(
        "counters add up what both devices counted, even to the same number", arguments: TestBackend.available
    )
    func counter(backend: TestBackend) async throws {
        try await Self.guest(on: backend, Guest(cups: 2, owes: 1)) {
            $0.cups = 3
            $0.owes = 1.25
        } second: {
            $0.cups = 3
            $0.owes = 0.5
        } _: { guest, conflicts in
            #expect(guest.cups == 4)
            #expect(guest.owes == 0.75)
            #expect(conflicts.isEmpty)
        }
    }

    @Test("the greater and the lesser value win, whoever was later", arguments: TestBackend.available)
    func extremes(backend: TestBackend) async throws {
        let (early, late) = (Date(timeIntervalSince1970: 1_000), Date(timeIntervalSince1970: 2_000))
        try await Self.guest(on: backend, Guest()) {
            $0.best = 70
            $0.arrived = early
        } second: {
            $0.best = 60
            $0.arrived = late
        } _: { guest, _ in
            #expect(guest.best == 70)
            #expect(guest.arrived == early)
        }
    }

    @Test("a union keeps what either added, and loses what either removed", arguments: TestBackend.available)
    func union(backend: TestBackend) async throws {
        try await Self.guest(on: backend, Guest(likes: ["bread", "cake", "tea"])) {
            $0.likes = ["bread", "cake", "figs", "tea"]
        } second: {
            $0.likes = ["apples", "bread", "tea"]
        } _: { guest, conflicts in
            #expect(guest.likes == ["apples", "bread", "figs", "tea"])
            #expect(conflicts.isEmpty)
        }
    }

    @Test(
        "a function of the app's decides, and the log has what it did not keep",
        arguments: TestBackend.available)
    func custom(backend: TestBackend) async throws {
        try await Self.guest(on: backend, Guest(note: "none")) {
            $0.note = "allergic to nuts"
        } second: {
            $0.note = "by the window"
        } _: { guest, conflicts in
            #expect(guest.note == "allergic to nuts")
            #expect(conflicts.flatMap(\.values).map(\.losing) == [.text("by the window")])
        }
    }

    @Test("the edit that arrives last wins in server order", arguments: TestBackend.available)
    func serverOrder(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let guest = Guest()
            try await household.first.write { _ = try $0.insert(guest) }
            try await household.settle()
            try await household.first.write { try Self.edit(guest, in: $0) { $0.seat = 1 } }
            try await household.second.write { try Self.edit(guest, in: $0) { $0.seat = 2 } }
            // The older edit arrives last.
            try await household.settle(firstComes: false)
            #expect(try await household.all(Guest.self).map(\.seat) == [1])
            #expect(try await household.conflicts().flatMap(\.values).map(\.losing) == [.int(2)])
        }
    }

    @Test("a mirror without the function that a model names does not open")
    func missingFunction() async throws {
        try await Self.withHousehold(.memory) { household in
            let error = await #expect(throws: StoreError.self) {
                try await MirrorSession.open(
                    household.first, remote: StoreRemote(household.server), name: nil)
            }
            #expect(error?.code == .schemaInvalid)
            #expect(error?.attribute == "note")
            #expect(error?.message.contains("`longer`") == true)
        }
    }

    @Test("an edited row that was deleted meanwhile comes back", arguments: TestBackend.available)
    func resurrection(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let table = Table(label: "1", chairs: 4)
            try await household.first.write { _ = try $0.insert(table) }
            try await household.settle()
            try await household.first.write { _ = try $0.delete(table.id) }
            try await household.second.write { tx in
                var edited = table
                edited.chairs = 6
                try tx.update(edited)
            }
            try await household.settle()
            #expect(try await household.all(Table.self).map(\.chairs) == [6])
            #expect(try await household.all(Table.self).map(\.label) == ["1"])
        }
    }

    // MARK: Unique keys

    @Test("a taken label gets a suffix, which the log tells of", arguments: TestBackend.available)
    func rename(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let id = try #require(UUID(uuidString: "00000000-0000-4000-8000-00000000ab12"))
            try await household.first.write { _ = try $0.insert(Table(label: "Window", chairs: 4)) }
            try await household.second.write { _ = try $0.insert(Table(id: Table.ID(id), label: "Window")) }
            try await household.settle()
            let tables = try await household.all(Table.self)
            #expect(Set(tables.map(\.label)) == ["Window", "Window (ab12)"])
            #expect(tables.first { $0.id == Table.ID(id) }?.label == "Window (ab12)")
            let conflicts = try await household.conflicts()
            #expect(conflicts.map(\.reason) == [.unique])
            #expect(conflicts.flatMap(\.values).map(\.losing) == [.text("Window")])
        }
    }

    @Test(
        "two tags of one name become one, with the rows that refer to them", arguments: TestBackend.available)
    func merging(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let (ada, bo) = (Guest(name: "Ada"), Guest(name: "Bo"))
            try await household.first.write { tx in
                _ = try tx.insert(ada)
                _ = try tx.insert(bo)
            }
            try await household.settle()
            let (mine, yours) = (Tag(name: "regular", uses: 1), Tag(name: "regular", color: "red", uses: 2))
            try await household.first.write { tx in
                _ = try tx.insert(mine)
                _ = try tx.insert(Tagging(guest: ada.id, tag: mine.id))
            }
            try await household.second.write { tx in
                _ = try tx.insert(yours)
                _ = try tx.insert(Tagging(guest: ada.id, tag: yours.id))
                _ = try tx.insert(Tagging(guest: bo.id, tag: yours.id))
            }
            try await household.settle()
            let tags = try await household.all(Tag.self)
            #expect(tags.map(\.id) == [mine.id])
            #expect(tags.map(\.color) == ["red"])
            #expect(tags.map(\.uses) == [3])
            // Ada's two taggings have become one as well.
            let taggings = try await household.all(Tagging.self)
            #expect(taggings.allSatisfy { $0.tag == mine.id })
            #expect(taggings.count == 2)
            #expect(Set(taggings.map(\.guest)) == [ada.id, bo.id])
            #expect(try await household.conflicts().map(\.reason).allSatisfy { $0 == .unique })
        }
    }

    @Test(
        "edits of and references to a tag that was merged reach the other", arguments: TestBackend.available)
    func aliases(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let guest = Guest(name: "Ada")
            try await household.first.write { _ = try $0.insert(guest) }
            try await household.settle()
            let (mine, yours) = (Tag(name: "regular"), Tag(name: "regular"))
            try await household.first.write { _ = try $0.insert(mine) }
            // Each write is a mutation of its own.
            try await household.second.write { _ = try $0.insert(yours) }
            try await household.second.write { tx in
                var edited = yours
                edited.color = "blue"
                try tx.update(edited)
            }
            try await household.second.write { _ = try $0.insert(Tagging(guest: guest.id, tag: yours.id)) }
            try await household.settle()
            #expect(try await household.all(Tag.self).map(\.id) == [mine.id])
            #expect(try await household.all(Tag.self).map(\.color) == ["blue"])
            #expect(try await household.all(Tagging.self).map(\.tag) == [mine.id])
        }
    }

    @Test(
        "a reference that is set to a tag that was merged meanwhile leads to the other, which it led to before",
        arguments: TestBackend.available)
    func referenceToAlias(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let guest = Guest(name: "Ada")
            let (regular, usual) = (Tag(name: "regular"), Tag(name: "usual"))
            let tagging = Tagging(guest: guest.id, tag: regular.id)
            try await household.first.write { tx in
                _ = try tx.insert(guest)
                _ = try tx.insert(regular)
                _ = try tx.insert(usual)
                _ = try tx.insert(tagging)
            }
            try await household.settle()
            try await household.first.write { tx in
                var edited = regular
                edited.name = "often"
                try tx.update(edited)
            }
            try await household.second.write { tx in
                var edited = usual
                edited.name = "often"
                try tx.update(edited)
            }
            try await household.second.write { tx in
                var edited = tagging
                edited.tag = usual.id
                try tx.update(edited)
            }
            // Nothing is left to be written, but the device has to know.
            try await household.settle()
            #expect(try await household.all(Tag.self).map(\.id) == [regular.id])
            #expect(try await household.all(Tagging.self).map(\.tag) == [regular.id])
        }
    }

    @Test("a delete of a tag that was merged leaves the other", arguments: TestBackend.available)
    func deletedAlias(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let (mine, yours) = (Tag(name: "regular"), Tag(name: "regular"))
            try await household.first.write { _ = try $0.insert(mine) }
            try await household.second.write { _ = try $0.insert(yours) }
            try await household.second.write { _ = try $0.delete(yours.id) }
            try await household.settle()
            #expect(try await household.all(Tag.self).map(\.id) == [mine.id])
        }
    }

    @Test(
        "a tag that is renamed to a taken name is merged, and its references move",
        arguments: TestBackend.available)
    func renamedTag(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let guest = Guest(name: "Ada")
            let (regular, usual) = (
                Tag(name: "regular", color: "red", uses: 1), Tag(name: "usual", color: "blue", uses: 2)
            )
            try await household.first.write { tx in
                _ = try tx.insert(guest)
                _ = try tx.insert(usual)
                _ = try tx.insert(Tagging(guest: guest.id, tag: usual.id))
            }
            try await household.settle()
            try await household.first.write { _ = try $0.insert(regular) }
            try await household.second.write { tx in
                var edited = usual
                edited.name = "regular"
                try tx.update(edited)
            }
            try await household.settle()
            let tags = try await household.all(Tag.self)
            #expect(tags.map(\.id) == [regular.id])
            #expect(tags.map(\.color) == ["red"])
            #expect(tags.map(\.uses) == [3])
            #expect(try await household.all(Tagging.self).map(\.tag) == [regular.id])
            let lost = try await household.conflicts().filter { $0.key.id == usual.id.uuid }
            #expect(lost.flatMap(\.values).map(\.losing).contains(.text("blue")))
        }
    }

    @Test(
        "tags beyond the constraint's filter, or in other letters, stay apart",
        arguments: TestBackend.available)
    func filter(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            try await household.first.write { tx in
                _ = try tx.insert(Tag(name: "regular", isHidden: true))
                _ = try tx.insert(Tag(name: "quiet"))
            }
            try await household.second.write { tx in
                _ = try tx.insert(Tag(name: "regular"))
                _ = try tx.insert(Tag(name: "Quiet"))
            }
            try await household.settle()
            #expect(try await household.all(Tag.self).count == 4)
            #expect(try await household.conflicts().isEmpty)
        }
    }

    @Test(
        "a tag that is merged while its guest is deleted leaves no reference",
        arguments: TestBackend.available)
    func deleteRules(backend: TestBackend) async throws {
        try await Self.withHousehold(backend) { household in
            let guest = Guest(name: "Ada")
            try await household.first.write { _ = try $0.insert(guest) }
            try await household.settle()
            let (mine, yours) = (Tag(name: "regular"), Tag(name: "regular"))
            try await household.first.write { tx in
                _ = try tx.delete(guest.id)
                _ = try tx.insert(mine)
            }
            try await household.second.write { tx in
                _ = try tx.insert(yours)
                _ = try tx.insert(Tagging(guest: guest.id, tag: yours.id))
            }
            try await household.settle()
            #expect(try await household.all(Guest.self).isEmpty)
            #expect(try await household.all(Tagging.self).isEmpty)
            #expect(try await household.all(Tag.self).map(\.id) == [mine.id])
        }
    }
}
