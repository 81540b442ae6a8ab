import Foundation
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

private enum Menu1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Dish.self, Guest.self]

    @Model
    struct Dish {
        let id: ID
        /// As in `Soup: leek, potato`.
        var text: String
        var rank: Int
    }

    @Model
    struct Guest {
        let id: ID
        var name: String
        var dish: Dish.ID?
    }
}

private enum Menu2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Dish.self, Part.self, Guest.self]

    @Model
    struct Dish {
        #Unique<Dish>([\.title])

        let id: ID
        @Attribute(.searchable) var title: String
        var rank: String
    }

    @Model
    struct Part {
        #Index<Part>([\.dish])

        let id: ID
        var name: String
        var dish: Dish.ID
    }

    @Model
    struct Guest {
        let id: ID
        var name: String
        var dish: Dish.ID?
        var seat: Int = 1
    }
}

private enum MenuRows {
    static let ids: [Menu1.Dish.ID] = (0..<1_200).map { _ in .init() }

    static func insert(_ tx: WriteTransaction) throws {
        try tx.insert(
            contentsOf: ids.enumerated().map { number, id in
                Menu1.Dish(id: id, text: "Soup \(number): leek, salt", rank: number)
            })
        try tx.insert(Menu1.Guest(name: "G", dish: ids[7]))
    }

    /// Reads the old rows page by page, and writes the new ones.
    static func split(_ old: ReadTransaction, _ new: WriteTransaction) throws {
        var cursor: PageCursor?
        repeat {
            let page = try old.page(Menu1.Dish.all, size: 500, after: cursor)
            for dish in page.items {
                let words = dish.text.split(separator: ": ")
                let id = Menu2.Dish.ID(dish.id.uuid)
                try new.insert(Menu2.Dish(id: id, title: String(words[0]), rank: "№ \(dish.rank)"))
                try new.insert(
                    contentsOf: words[1].split(separator: ", ").map {
                        Menu2.Part(name: String($0), dish: id)
                    })
            }
            cursor = page.next
        } while cursor != nil
    }
}

private enum MenuPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Menu1.self, Menu2.self]
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Menu1.self, toVersion: Menu2.self, .rewrite(Menu2.Dish.self)) { old, new in
                try MenuRows.split(old, new)
            }
        ]
    }
}

@Suite("Custom stages")
struct CustomStageTests {
    private static let beside = StoreScope()

    private func fill(_ open: TestBackend.Opener, _ options: OpenOptions = OpenOptions()) async throws {
        try await open(try Menu1.schema, options).closing { store in
            try await store.write { try MenuRows.insert($0) }
            guard options.scope != nil else { return }
            try await store.write(WriteOptions(scope: Self.beside)) { try MenuRows.insert($0) }
        }
    }

    private func requireFirst(_ open: TestBackend.Opener) async throws {
        try await open(try Menu1.schema, OpenOptions(createsIfMissing: false)).closing { store in
            let count = try await store.read { try $0.count(Menu1.Dish.all) }
            let faults = try await store.check()
            #expect(count == 1_200)
            #expect(faults == [])
        }
    }

    @Test("a custom stage splits rows into two models, page by page", arguments: MigrationTests.places)
    func split(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope, keepsHistory: true)
            try await fill(open, options)
            try await MigrationPlan(MenuPlan.self).open(open, options).closing { store in
                for scope in scope == nil ? [nil] : [scope, Self.beside] {
                    let reading = scope.map { ReadOptions(scopes: [$0]) } ?? ReadOptions()
                    let (dishes, parts, guest, found) = try await store.read(reading) { tx in
                        (
                            try tx.fetch(Menu2.Dish.all), try tx.fetch(Menu2.Part.all),
                            try tx.fetch(Menu2.Guest.all).first,
                            try tx.count(
                                Menu2.Dish.where(
                                    #Predicate { $0.title.localizedStandardContains("SOUP 119") }))
                        )
                    }
                    #expect(Set(dishes.map { "\($0.id)" }) == Set(MenuRows.ids.map { "\($0)" }))
                    #expect(Set(dishes.map(\.title)) == Set((0..<1_200).map { "Soup \($0)" }))
                    #expect(Set(dishes.map(\.rank)) == Set((0..<1_200).map { "№ \($0)" }))
                    #expect(parts.count == 2_400)
                    #expect(parts.filter { $0.name == "leek" }.count == 1_200)
                    #expect(guest?.dish.map { "\($0)" } == "\(MenuRows.ids[7])")
                    #expect(guest?.seat == 1)
                    #expect(found == 11)
                }
                let faults = try await store.check()
                #expect(faults == [])
                let error = await #expect(throws: StoreError.self) {
                    try await store.write { try $0.insert(Menu2.Dish(title: "Soup 3", rank: "")) }
                }
                #expect(error?.code == .unique)
                let counts = try await store.read { try $0.history(after: nil).map(\.changes.count) }
                #expect(counts == [1_201, 0])
            }
        }
    }

    @Test("a custom stage writes rows while it reads others one by one", arguments: TestBackend.available)
    func oneByOne(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open)
            try await plan { old, new in
                var count = 0
                try old.forEach(Menu1.Dish.all.sorted(by: \.rank, .descending)) { dish in
                    count += 1
                    guard try old.find(dish.id)?.rank == dish.rank else { throw Unfit() }
                    try new.insert(
                        Menu2.Dish(id: .init(dish.id.uuid), title: "\(dish.rank)", rank: "\(count)"))
                }
                try old.forEachRow(of: "Dish") { row in
                    guard case .uuid(let id) = row[0] else { throw Unfit() }
                    let dish = Menu2.Dish.ID(id)
                    try new.insert(Menu2.Part(id: .init(derivedFrom: dish, "salt"), name: "salt", dish: dish))
                }
            }.open(open).closing { store in
                let (dishes, parts) = try await store.read { tx in
                    (try tx.fetch(Menu2.Dish.all), try tx.count(Menu2.Part.all))
                }
                #expect(dishes.count == 1_200)
                #expect(dishes.allSatisfy { Int($0.title).map { 1_200 - $0 } == Int($0.rank) })
                #expect(parts == 1_200)
                #expect(try await store.check() == [])
            }
        }
    }

    private struct Unfit: Error {}

    /// A plan whose code does one thing.
    private func plan(_ rewrite: @escaping MigrationStage.Rewrite) throws -> MigrationPlan {
        try MigrationPlan(
            [Menu1.self, Menu2.self],
            [
                .custom(
                    fromVersion: Menu1.self, toVersion: Menu2.self, .rewrite(Menu2.Dish.self),
                    rewrite: rewrite)
            ])
    }

    @Test("a custom stage whose code fails leaves the store unchanged", arguments: TestBackend.available)
    func refused(_ backend: TestBackend) async throws {
        let wrongs: [(StoreError.Code?, MigrationStage.Rewrite)] = [
            (nil, { _, _ in throw Unfit() }),
            // The guest's dish is gone.
            (.foreignKey, { _, _ in }),
            (
                .unique,
                { old, new in
                    try MenuRows.split(old, new)
                    try new.insert(Menu2.Dish(title: "Soup 1", rank: ""))
                }
            ),
            (
                .foreignKey,
                { old, new in
                    try MenuRows.split(old, new)
                    try new.insert(Menu2.Part(name: "x", dish: .init()))
                }
            ),
            // An error that is not told.
            (
                .transactionAborted,
                { old, new in
                    try MenuRows.split(old, new)
                    _ = try? new.update(Menu2.Dish(title: "none", rank: ""))
                }
            ),
            // A model that is neither new nor rewritten is not there yet.
            (
                .schemaMismatch,
                { old, new in
                    try MenuRows.split(old, new)
                    try new.insert(Menu2.Guest(name: "H"))
                }
            ),
        ]
        try await backend.withPlace { open in
            try await fill(open)
            for (code, rewrite) in wrongs {
                let plan = try plan(rewrite)
                do {
                    try await plan.open(open).close()
                    Issue.record("It was migrated, though \(code?.description ?? "its code threw").")
                } catch let error as StoreError {
                    #expect(error.code == code, "\(error)")
                } catch is Unfit { #expect(code == nil) }
                try await requireFirst(open)
            }
            try await MigrationPlan(MenuPlan.self).open(open).close()
        }
    }

    @Test("a custom stage whose code and steps do not fit is refused")
    func plans() throws {
        func fault(_ stage: MigrationStage) throws -> String {
            let error = #expect(throws: StoreError.self) {
                try MigrationPlan([Menu1.self, Menu2.self], [stage])
            }
            #expect(error?.code == .schemaInvalid)
            return error?.message ?? ""
        }
        #expect(
            try fault(.lightweight(fromVersion: Menu1.self, toVersion: Menu2.self, .rewrite(Menu2.Dish.self)))
                .contains("rewrites Dish without code"))
        #expect(
            try fault(.custom(fromVersion: Menu1.self, toVersion: Menu2.self) { _, _ in })
                .contains("Dish.title is new"))
        #expect(
            try fault(
                .custom(
                    fromVersion: Menu1.self, toVersion: Menu2.self, .rewrite(Menu2.Dish.self),
                    .rewrite(Kitchen1.Shelf.self)
                ) { _, _ in }
            ).contains("rewrites Shelf, which version 2.0.0 does not have"))
    }
}
