import Foundation
import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

private struct Hue: Codable, Hashable, Sendable {
    var name: String?
}

private enum Box1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Box.self]

    @Model
    struct Box {
        let id: ID
        var tags: [String]
        var sizes: [String: Int]
        var hue: Hue
        var hues: [Hue]?
    }
}

private enum Box2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Box.self, Tag.self]

    @Model
    struct Box {
        let id: ID
        var tags: [String] = ["none"]
        var sizes: [String: Int]
        var hue: Hue
        var hues: [Hue]?
    }

    @Model
    struct Tag {
        let id: ID
        var count: Int
    }
}

/// The stage reads the models, and makes rows.
private enum BoxPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Box1.self, Box2.self]
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Box1.self, toVersion: Box2.self) { old, new in
                for box in try old.fetch(Box1.Box.all) {
                    let id = Box2.Tag.ID(derivedFrom: box.id)
                    try new.insert(Box2.Tag(id: id, count: box.tags.count + (box.hues?.count ?? 0)))
                }
            }
        ]
    }
}

/// The same with new ids each time.
private enum FreshPlan: SchemaMigrationPlan {
    static let schemas = BoxPlan.schemas
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Box1.self, toVersion: Box2.self) { old, new in
                for box in try old.fetch(Box1.Box.all) {
                    try new.insert(Box2.Tag(count: box.tags.count))
                }
            }
        ]
    }
}

@Suite("The matrix of a migration plan")
struct MigrationMatrixTests {
    private static func matrix(
        expecting: @escaping MigrationMatrix.Expectation = { _, _ in }
    ) throws -> MigrationMatrix {
        try MigrationMatrix(
            KitchenPlan.self, seed: 3, rows: 40,
            reference: { MemoryStore.opener() }, expecting: expecting)
    }

    @Test(
        "the migration matrix finds nothing wrong with the backends",
        arguments: KitchenPlan.schemas.map { $0.version })
    func backends(from version: SchemaVersion) async throws {
        try await Self.matrix { before, after in
            guard before.schema.version == SchemaVersion(1) else { return }
            let isThird = after.schema.version == SchemaVersion(3)
            let names = before.values("Meal", "name")
            try after.expect(isThird ? "Menu" : "Dish", isThird ? "code" : "title", names)
        }.verify(
            from: version, on: TestBackend.available.map(\.ofMatrix))
    }

    /// A backend that does something to each store of a version that is opened.
    private static func meddling(
        in version: SchemaVersion, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) -> MigrationMatrix.Backend {
        MigrationMatrix.Backend("meddling", hasScopes: false) { lend in
            let open = MemoryStore.opener()
            try await lend { schema, options in
                let store = try open(schema, options)
                if schema.version == version { try await store.write { try body($0) } }
                return store
            }
        }
    }

    @Test("the migration matrix names the plan, versions, entity and backend of a difference")
    func differences() async throws {
        let lost = Self.meddling(in: SchemaVersion(3)) { tx in
            guard let first = try tx.fetch(Kitchen3.Guest.all).first else { return }
            _ = try tx.delete(first.id)
        }
        let changed = Self.meddling(in: SchemaVersion(3)) { tx in
            guard var first = try tx.fetch(Kitchen3.Jar.all).first else { return }
            first.label += " "
            _ = try tx.update(first)
        }
        let invented = Self.meddling(in: SchemaVersion(3)) { try $0.insert(Kitchen3.Jar(label: "new")) }
        for (backend, entity) in [(lost, "Guest"), (invented, "Jar")] {
            let failure = await #expect(throws: ConformanceFailure.self) {
                try await Self.matrix().verify(from: SchemaVersion(2), on: [backend])
            }
            let text = failure?.description ?? ""
            #expect(text.contains("meddling"), "\(text)")
            #expect(text.contains("KitchenPlan from 2.0.0 to 3.0.0"), "\(text)")
            #expect(text.contains("the number of rows of \(entity)"), "\(text)")
        }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await Self.matrix().verify(from: SchemaVersion(2), on: [changed])
        }
        #expect(failure?.description.contains("a row of Jar") == true, "\(failure?.description ?? "")")
    }

    @Test(
        "the migration matrix finds a backend's mistake with the rows",
        arguments: [
            "migration-empties", "migration-keeps", "migration-references", "migration-default",
            "migration-fill",
        ])
    func faults(_ name: String) async throws {
        let harness = FaultyHarness(SQLiteHarness(), fault: try #require(Fault.named(name)))
        let backend = MigrationMatrix.Backend(name) { body in
            let made = Mutex<(any Store)?>(nil)
            let result: Result<Void, any Error>
            do {
                try await body { schema, options in
                    if let store = made.withLock(\.self) {
                        return try await harness.reopen(
                            store, schema: schema, options: options, busyTimeout: .seconds(60))
                    }
                    let store = try await harness.makeStore(schema, busyTimeout: .seconds(60))
                    made.withLock { $0 = store }
                    return store
                }
                result = .success(())
            } catch { result = .failure(error) }
            if let store = made.withLock(\.self) {
                await harness.dispose(store)
                try? FileManager.default.removeItem(atPath: store.info.location + ".1.0.0.backup")
            }
            try result.get()
        }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await Self.matrix().verify(from: SchemaVersion(1), on: [backend])
        }
        #expect(failure?.backend.hasPrefix(name) == true, "\(failure?.description ?? "")")
    }

    private struct Unexpected: Error {}

    @Test("the migration matrix passes on the messages of expectations")
    func expectations() async throws {
        let matrix = try Self.matrix { before, after in
            if before.schema.version == SchemaVersion(1), after.schema.version == SchemaVersion(3) {
                throw Unexpected()
            }
        }
        let memory = Self.meddling(in: SchemaVersion(9)) { _ in }
        try await matrix.verify(from: SchemaVersion(2), on: [memory])
        let wrong = try Self.matrix { _, after in try after.expect("Guest", "seat", .int(9)) }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await wrong.verify(from: SchemaVersion(2), on: [memory])
        }
        let text = failure?.description ?? ""
        #expect(text.hasPrefix("meddling"), "\(text)")
        #expect(text.contains("KitchenPlan from 2.0.0 to 3.0.0"), "\(text)")
        #expect(text.contains("Guest.seat of "), "\(text)")
        await #expect(throws: Unexpected.self) {
            try await matrix.verify(from: SchemaVersion(1), on: [memory])
        }
    }

    private func verify(_ plan: any SchemaMigrationPlan.Type) async throws {
        try await MigrationMatrix(
            plan, seed: 4, rows: 40, reference: { MemoryStore.opener() },
            expecting: { before, after in
                #expect(before.values("Box", "tags").values.allSatisfy { $0 == .json("[]") })
                #expect(before.values("Box", "sizes").values.allSatisfy { $0 == .json("{}") })
                try after.expect("Tag", "count", .int(0))
            }
        ).verify(
            from: SchemaVersion(1),
            on: [MigrationMatrix.Backend("memory", hasScopes: false) { try await $0(MemoryStore.opener()) }])
    }

    @Test("the migration matrix draws JSON that the models can read, and accepts derived ids")
    func json() async throws { try await verify(BoxPlan.self) }

    @Test("the migration matrix says how to derive ids that differ from run to run")
    func freshIDs() async throws {
        let failure = await #expect(throws: ConformanceFailure.self) { try await verify(FreshPlan.self) }
        let text = failure?.description ?? ""
        #expect(text.contains("the ids of Tag"), "\(text)")
        #expect(text.contains("Identifier(derivedFrom:_:)"), "\(text)")
    }

    @Test("a migration plan can be cut at any of its versions, and at no other")
    func upTo() throws {
        let plan = try MigrationPlan(KitchenPlan.self)
        let versions = try plan.upTo(SchemaVersion(2)).schemas.map(\.version)
        #expect(versions == [SchemaVersion(1), SchemaVersion(2)])
        #expect(try plan.upTo(SchemaVersion(1)).schema.version == SchemaVersion(1))
        let error = #expect(throws: StoreError.self) { try plan.upTo(SchemaVersion(4)) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("it has 1.0.0, 2.0.0, 3.0.0") == true)
    }

    @Test("generated rows satisfy their schema, and are equal for one seed")
    func drawn() async throws {
        let schema = try Kitchen1.schema
        let rows = SchemaRows(of: schema, seed: 5, count: { $0.name == "Shelf" ? 0 : 300 })
        #expect(rows.rows(of: "Meal").count == 300)
        #expect(rows.rows(of: "Shelf").isEmpty)
        #expect(Set(rows.values("Meal", "code").values).count == 300)
        let notes = rows.values("Meal", "note").values
        #expect(notes.contains { $0.isNull } && notes.contains { !$0.isNull })
        let again = SchemaRows(of: schema, seed: 5, count: { $0.name == "Shelf" ? 0 : 300 })
        #expect(again.rows(of: "Meal") == rows.rows(of: "Meal"))
        // Nobody has a table, so that no guest can be.
        let guests = SchemaRows(of: try Strict.schema, seed: 5, count: { $0.name == "Table" ? 0 : 20 })
        #expect(guests.count == 0)
    }
}
