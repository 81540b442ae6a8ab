import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

extension MigrationPlan {
    /// Opens a store in the newest version.
    func open(_ open: TestBackend.Opener, _ options: OpenOptions = OpenOptions()) async throws -> any Store {
        try await self.open(options, status: { _ in }, open)
    }
}

@Suite("Migrations on every backend")
struct MigrationTests {
    /// Each backend, with and without scopes where it has any.
    static let places: [(TestBackend, StoreScope?)] =
        TestBackend.available.map { ($0, nil) }
        + (TestBackend.shared + TestBackend.distributed).map { ($0, StoreScope()) }

    /// Makes a store of the first version.
    private func fill(_ open: TestBackend.Opener, _ options: OpenOptions) async throws {
        try await open(try Kitchen1.schema, options).closing { store in
            try await store.write { try KitchenRows.insert($0) }
            guard options.scope != nil else { return }
            try await store.write(WriteOptions(scope: Self.beside)) { try KitchenRows.insert($0) }
        }
    }

    /// Another scope of the same store, with the same rows.
    static let beside = StoreScope()

    @Test("a migration changes names, types, values, indexes, references and tables", arguments: places)
    func everything(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope)
            try await fill(open, options)
            let plan = try MigrationPlan(UpToSecond.self)
            let shown = Mutex<[String]>([])
            let store = try await plan.open(
                options, status: { status in shown.withLock { $0.append("\(status)") } }, open)
            #expect(shown.withLock(\.count) == 3)
            try await store.closing { store in
                #expect(store.schema.version == SchemaVersion(2))
                let dishes = try await store.read { try $0.fetch(Kitchen2.Dish.all.sorted(by: \.weight)) }
                #expect(dishes.count == 600)
                #expect(dishes.map { "\($0.id)" } == KitchenRows.meals.map { "\($0)" })
                for (number, dish) in dishes.enumerated() {
                    #expect(dish.title == "Crème \(number)")
                    #expect(dish.code == "C\(number)")
                    #expect(dish.size == (number % 2 == 0 ? number : 7))
                    #expect(dish.portions == Decimal(number))
                    #expect(dish.weight == Double(number))
                    #expect(dish.course == (number % 3 == 0 ? .main : .dessert))
                    #expect(dish.note == (number % 5 == 0 ? "Süß \(number)" : nil))
                    #expect(
                        dish.basis.map { "\($0)" } == (number == 0 ? nil : "\(KitchenRows.meals[number - 1])")
                    )
                    #expect(dish.menu.map { "\($0)" } == (number == 1 ? nil : "\(KitchenRows.menu.id)"))
                    #expect(dish.isHot)
                    #expect(dish.since == nil)
                    #expect(dish.rating == 2.5)
                }
                let guests = try await store.read { try $0.fetch(Kitchen2.Guest.all) }
                #expect(guests.map(\.seat) == [4])
                #expect(guests.map { "\($0.meal!)" } == ["\(KitchenRows.meals[3])"])
                let found = try await store.read { tx in
                    (
                        try tx.count(
                            Kitchen2.Dish.where(#Predicate { $0.title.localizedStandardContains("CREME 59") })
                        ),
                        try tx.count(
                            Kitchen2.Dish.where(
                                #Predicate { $0.note?.localizedStandardContains("SU") == true })),
                        try tx.count(Kitchen2.Jar.all)
                    )
                }
                #expect(found.0 == 11)
                #expect(found.1 == 120)
                #expect(found.2 == 0)
                if scope != nil {
                    let beside = try await store.read(ReadOptions(scopes: [Self.beside])) { tx in
                        try tx.count(
                            Kitchen2.Dish.where(#Predicate { $0.title.localizedStandardContains("CREME 59") })
                        )
                    }
                    #expect(beside == 11)
                }
                try await requireKept(store)
                #expect(try await store.check() == [])
                let stages = try #require(try await store.marker().stages)
                #expect(stages.map(\.from) == [SchemaVersion(1)])
                #expect(
                    stages.map(\.fingerprint) == [
                        "1e6d84875ade492944e6714bf1256d84625ab9f596d76a5ccec96e222c9d4f26"
                    ])
            }
            let error = await #expect(throws: StoreError.self) {
                try await open(try Kitchen1.schema, options)
            }
            #expect(error?.code == .schemaTooNew)
        }
    }

    /// What the new schema forbids is forbidden, and what it no longer forbids is not.
    private func requireKept(_ store: any Store) async throws {
        let dish = try await store.read { try $0.fetch(Kitchen2.Dish.all.sorted(by: \.weight)).first }
        var twin = try #require(dish)
        twin = Kitchen2.Dish(
            title: "T", code: twin.code, size: 1, portions: 0.5, weight: 1.5, course: .starter, rating: 0)
        let copy = twin
        try await store.write { try $0.insert(copy) }
        let dangling = Kitchen2.Dish(
            title: "T", code: "x", size: 1, portions: 1, weight: 1, course: .main, basis: .init(), rating: 0)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { try $0.insert(dangling) }
        }
        #expect(error?.code == .foreignKey)
        try await store.write { _ = try $0.delete(copy.id) }
    }

    private enum UpToSecond: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Kitchen1.self, Kitchen2.self]
        static var stages: [MigrationStage] { [KitchenPlan.stages[0]] }
    }

    @Test("a migration swaps the names of two entities, and of two attributes", arguments: places)
    func swap(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope)
            try await fill(open, options)
            try await MigrationPlan(KitchenPlan.self).open(open, options).closing { store in
                let all = try await store.read { try $0.fetch(Kitchen3.Menu.all.sorted(by: \.weight)) }
                #expect(all.count == 600)
                #expect(all[599].code == "Crème 599")
                #expect(all[599].title == "C599")
                #expect(all[599].size == 7)
                #expect(try await store.read { try $0.fetch(Kitchen3.Dish.all) }.map(\.name) == ["M"])
                let found = try await store.read {
                    try $0.count(
                        Kitchen3.Menu.where(#Predicate { $0.code.localizedStandardContains("creme 598") }))
                }
                #expect(found == 1)
                #expect(try await store.check() == [])
                #expect(try await store.marker().stages?.map(\.to) == [SchemaVersion(2), SchemaVersion(3)])
            }
            // Nothing is left to do.
            try await open(try Kitchen3.schema, options).close()
        }
    }

    @Test(
        "a migration is one transaction of the history, without changes of rows",
        arguments: TestBackend.available)
    func history(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(keepsHistory: true)
            try await fill(open, options)
            let token = try await open(try Kitchen1.schema, options).closing { store in
                try await store.read { try $0.historyToken() }
            }
            try await MigrationPlan(KitchenPlan.self).open(open, options).closing { store in
                let all = try await store.read { try $0.history(after: nil) }
                #expect(all.map(\.author) == [nil, "migration", "migration"])
                #expect(all.map(\.changes.count) == [603, 0, 0])
                #expect(
                    all.map(\.fingerprint) == [
                        "bd628b368110b01dbef2c32064daaec5", "1e6d84875ade492944e6714bf1256d84",
                        "5fa91a40ee0a455d02a46488132759a9",
                    ])
                #expect(Set(all[0].entities) == ["Guest", "Meal", "Menu", "Shelf"])
                #expect(try await store.read { try $0.history(after: token) }.count == 2)
                #expect(try await store.read { try $0.undoable(limit: 5) }.isEmpty)
                let error = await #expect(throws: StoreError.self) { try await store.undo(all[0]) }
                #expect(error?.code == .schemaMismatch)
                try await store.write { try $0.insert(Kitchen3.Dish(name: "later")) }
                #expect(try await store.read { try $0.undoable(limit: 5) }.count == 1)
                #expect(try await store.read { try $0.history(after: token) }.count == 3)
            }
        }
    }

    private enum Dangling: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Loose.self, Strict.self]
        static var stages: [MigrationStage] {
            [
                .lightweight(
                    fromVersion: Loose.self, toVersion: Strict.self,
                    .fill(\Strict.Guest.table, with: Strict.Table.ID()))
            ]
        }
    }

    @Test("a stage that the rows do not allow leaves the store as it was", arguments: places)
    func refused(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope)
            let guest = Loose.Guest()
            _ = try await open(try Loose.schema, options).closing { store in
                // In another scope than the one in which the store is opened, where there are any.
                try await store.write(WriteOptions(scope: scope.map { _ in Self.beside })) {
                    try $0.insert(guest)
                }
            }
            let plan = try MigrationPlan(Dangling.self)
            let error = await #expect(throws: StoreError.self) { try await plan.open(open, options) }
            #expect(error?.code == .foreignKey)
            try await open(try Loose.schema, options).closing { store in
                let reading = scope.map { _ in ReadOptions(scopes: [Self.beside]) } ?? ReadOptions()
                let found = try await store.read(reading) { try $0.find(guest.id) }
                #expect(found?.table == nil)
                #expect(found != nil)
                #expect(try await store.marker().stages == nil)
                #expect(try await store.check() == [])
            }
        }
    }

    private enum Long: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [Plain.self, Indexed.self]
        static let stages = [MigrationStage.lightweight(fromVersion: Plain.self, toVersion: Indexed.self)]
    }

    @Test("a row that a new index cannot hold is refused alike by all backends", arguments: places)
    func tooLong(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope)
            let other = WriteOptions(scope: scope.map { _ in Self.beside })
            try await open(try Plain.schema, options).closing { store in
                try await store.write(other) { tx in
                    for length in [10, 2_048, 2_049] {
                        try tx.insert(Plain.Page(text: String(repeating: "x", count: length)))
                    }
                }
            }
            let plan = try MigrationPlan(Long.self)
            let error = await #expect(throws: StoreError.self) { try await plan.open(open, options) }
            #expect(error?.code == .valueNotRepresentable)
            #expect(error?.attribute == "text")
            try await open(try Plain.schema, options).closing { store in
                try await store.write(other) { tx in
                    for page in try tx.fetch(Plain.Page.all) where page.text.count > 2_048 {
                        try tx.delete(page.id)
                    }
                }
            }
            try await plan.open(open, options).close()
        }
    }

    @Test(
        "of several concurrent migrations one does the work, and the others open the result",
        arguments: TestBackend.available)
    func atOnce(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open, OpenOptions())
            let plan = try MigrationPlan(KitchenPlan.self)
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await plan.open(open).closing { store in
                            #expect(try await store.read { try $0.count(Kitchen3.Menu.all) } == 600)
                            return try await store.marker().stages?.count
                        }
                    }
                }
                for try await count in group { #expect(count == 2) }
            }
        }
    }
}
