import Foundation
import PostgresStore
import PostgresTestServer
import SQLiteStore
import Switchyard
import SwitchyardCore
import TestBackends
import Testing

private enum Shop1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Item.self, Shelf.self]

    @Model
    struct Item {
        #Index<Item>([\.name])

        let id: ID
        var name: String
        var price: Int?
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }
}

/// An attribute is new.
private enum Shop2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Item.self, Shelf.self]

    @Model
    struct Item {
        #Index<Item>([\.name])

        let id: ID
        var name: String
        var price: Int?
        var shelf: Shelf.ID?
        var note: String?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }
}

/// The price is required, and an entity is new.
private enum Shop3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Item.self, Shelf.self, Label.self]

    @Model
    struct Item {
        #Index<Item>([\.name], [\.note])

        let id: ID
        var name: String
        var price: Int
        var shelf: Shelf.ID?
        var note: String?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }

    @Model
    struct Label {
        let id: ID
        var text: String
    }
}

private enum ShopPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Shop1.self, Shop2.self, Shop3.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: Shop1.self, toVersion: Shop2.self),
            .lightweight(
                fromVersion: Shop2.self, toVersion: Shop3.self, .fill(\Shop3.Item.price, with: 0)),
        ]
    }
}

/// The stage's code writes the rows of a new table.
private enum CopiedShopPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Shop1.self, Shop2.self]
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Shop1.self, toVersion: Shop2.self, .rewrite(Shop2.Item.self)) { old, new in
                for item in try old.fetch(Shop1.Item.all) {
                    try new.insert(Shop2.Item(name: item.name, price: item.price))
                }
            }
        ]
    }
}

@Suite("Parts that others have added to a store's tables")
struct UnknownPartTests {
    private let registry: PluginRegistry

    init() throws { registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self]) }

    /// Makes a store of the first version with a row, beside an empty one of the newest, and changes it by hand.
    private func withStore(
        _ backend: TestBackend, _ statements: [String], _ body: (DamagedPlace) async throws -> Void
    ) async throws {
        try await DamagedPlace.with(backend) { place in
            try await registry.open(url: try place.url("other"), schema: Shop3.self).close()
            try await registry.open(url: try place.url(), schema: Shop1.self).closing { store in
                try await store.write { tx in
                    let shelf = Shop1.Shelf(label: "top")
                    try tx.insert(shelf)
                    try tx.insert(Shop1.Item(name: "Tea", price: nil, shelf: shelf.id))
                }
            }
            try await place.run(statements)
            try await body(place)
        }
    }

    private func migrate(_ place: DamagedPlace) async throws {
        try await registry.open(
            url: try place.url(), migrating: ShopPlan.self, options: OpenOptions(createsIfMissing: false)
        ).closing { store in
            let items = try await store.read { try $0.fetch(Shop3.Item.all) }
            #expect(items.map(\.name) == ["Tea"])
            #expect(items.map(\.price) == [0])
            #expect(try await store.check() == [])
        }
    }

    /// Expects that no stage is carried out, that the reason has some words, and that a preview, a diagnosis and a repair
    /// say the same.
    private func requireRefused(
        _ place: DamagedPlace, _ kind: UnknownPart.Kind, _ words: [String]
    ) async throws {
        let error = await #expect(throws: StoreError.self) { try await migrate(place) }
        #expect(error?.code == .schemaMismatch)
        for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
        let url = try place.url()
        try await registry.open(
            url: url, schema: Shop1.self, options: OpenOptions(createsIfMissing: false)
        ).closing { store in
            let (count, marker) = (
                try await store.read { try $0.count(Shop1.Item.all) }, try await store.marker()
            )
            #expect(count == 1)
            #expect(marker.stages == nil)
        }
        let preview = try await registry.preview(url: url, migrating: ShopPlan.self)
        #expect(!preview.isPossible)
        #expect(preview.unknownParts.filter { $0.obstacle != nil }.map(\.kind) == [kind])
        let diagnosis = try await registry.diagnose(url: url, migrating: ShopPlan.self)
        #expect(diagnosis.faults.map(\.code) == [.partInTheWay])
        #expect(diagnosis.isOnlyObstructed)
        #expect(diagnosis.version == Shop1.version)
        let refusal = await #expect(throws: StoreError.self) {
            try await registry.repair(url: url, migrating: ShopPlan.self)
        }
        #expect(refusal?.code == .schemaMismatch)
    }

    @Test(
        "an added column whose name any later version uses blocks the migration",
        arguments: TestBackend.shared)
    func takenColumn(_ backend: TestBackend) async throws {
        let statements = [
            #"ALTER TABLE $"Item" ADD COLUMN "note" INTEGER"#, #"UPDATE $"Item" SET "note" = 7"#,
        ]
        try await withStore(backend, statements) { place in
            try await requireRefused(
                place, .column, ["from 1.0.0 to 3.0.0", "column note", "Version 2.0.0", "Rename it"])
            #expect(try await place.rows(#"SELECT "note" FROM $"Item""#) == [["7"]])
            try await place.run([#"ALTER TABLE $"Item" DROP COLUMN "note""#])
            try await migrate(place)
        }
    }

    @Test(
        "an added column keeps its values, or blocks the migration if the table is rebuilt",
        arguments: TestBackend.shared)
    func otherColumn(_ backend: TestBackend) async throws {
        let statements = [
            #"ALTER TABLE $"Item" ADD COLUMN "colour" TEXT"#, #"UPDATE $"Item" SET "colour" = 'red'"#,
        ]
        try await withStore(backend, statements) { place in
            if backend == .sqlite {
                try await requireRefused(
                    place, .column, ["column colour", "Version 3.0.0 makes the table anew"])
            } else {
                try await migrate(place)
            }
            #expect(try await place.rows(#"SELECT "colour" FROM $"Item""#) == [["red"]])
        }
    }

    @Test(
        "an added column of a table that only gets columns is kept, and is not a fault",
        arguments: TestBackend.shared)
    func quietColumn(_ backend: TestBackend) async throws {
        let statements = [
            #"ALTER TABLE $"Shelf" ADD COLUMN "colour" TEXT"#, #"UPDATE $"Shelf" SET "colour" = 'red'"#,
        ]
        try await withStore(backend, statements) { place in
            let url = try place.url()
            let preview = try await registry.preview(url: url, migrating: ShopPlan.self)
            #expect(
                preview.unknownParts.map(\.description) == [
                    "The table Shelf has a column colour that its version does not know."
                ])
            try await migrate(place)
            #expect(try await place.rows(#"SELECT "colour" FROM $"Shelf""#) == [["red"]])
            let diagnosis = try await registry.diagnose(url: url, migrating: ShopPlan.self)
            #expect(diagnosis.isSound)
            #expect(diagnosis.findings.map(\.code) == [.partUnknown])
            #expect(try await registry.repair(url: url, migrating: ShopPlan.self).backup == nil)
        }
    }

    @Test(
        "an added index, trigger and view are kept, even if the table is rebuilt",
        arguments: TestBackend.shared)
    func dependents(_ backend: TestBackend) async throws {
        let trigger =
            backend == .sqlite
            ? [#"CREATE TRIGGER $"watch" AFTER DELETE ON "Item" BEGIN DELETE FROM "Shelf"; END"#]
            : [
                "CREATE FUNCTION $\"watching\"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                #"CREATE TRIGGER "watch" AFTER DELETE ON $"Item" EXECUTE FUNCTION $"watching"()"#,
            ]
        let on = backend == .sqlite ? #""Item""# : #"$"Item""#
        let index = backend == .sqlite ? #"$"by_hand""# : #""by_hand""#
        let statements =
            ["CREATE INDEX \(index) ON \(on) (\"name\", \"shelf\")"] + trigger
            + ["CREATE VIEW $\"names\" AS SELECT \"name\" FROM \(on)"]
        try await withStore(backend, statements) { place in
            let url = try place.url()
            let preview = try await registry.preview(url: url, migrating: ShopPlan.self)
            #expect(Set(preview.unknownParts.map(\.name)) == ["by_hand", "watch", "names"])
            #expect(preview.isPossible, "\(preview.unknownParts)")
            try await migrate(place)
            #expect(try await place.rows(#"SELECT "name" FROM $"names""#) == [["Tea"]])
            let diagnosis = try await registry.diagnose(url: url, migrating: ShopPlan.self)
            #expect(diagnosis.isSound)
            let kept = diagnosis.findings.map(\.message).joined()
            for name in ["by_hand", "watch", "names"] { #expect(kept.contains(" \(name) "), "\(kept)") }
        }
    }

    @Test(
        "privileges and comments outlast a table that a stage's code replaces",
        .enabled(if: PostgresServer.url != nil, "There is no PostgreSQL server."))
    func privileges() async throws {
        let role = PostgresServer.newSchemaName()
        let statements = [
            "CREATE ROLE \"\(role)\"", "GRANT SELECT ON $\"Item\" TO PUBLIC",
            "GRANT UPDATE (\"name\", \"price\") ON $\"Item\" TO \"\(role)\" WITH GRANT OPTION",
            "COMMENT ON TABLE $\"Item\" IS 'for reports'",
            "COMMENT ON COLUMN $\"Item\".\"price\" IS 'the shop''s own'",
        ]
        try await withStore(.postgres, statements) { place in
            try await registry.open(url: try place.url(), migrating: CopiedShopPlan.self).closing { store in
                let names = try await store.read { try $0.fetch(Shop2.Item.all, \.name) }
                #expect(names == ["Tea"])
            }
            let found = try await place.rows(
                """
                SELECT has_table_privilege('public', '$"Item"', 'SELECT')::text,
                    has_column_privilege('\(role)', '$"Item"', 'price', 'UPDATE WITH GRANT OPTION')::text,
                    has_column_privilege('\(role)', '$"Item"', 'shelf', 'UPDATE')::text,
                    obj_description('$"Item"'::regclass, 'pg_class'), col_description('$"Item"'::regclass, 3)
                """)
            #expect(found == [["true", "true", "false", "for reports", "the shop's own"]])
            try await place.run(["DROP OWNED BY \"\(role)\"", "DROP ROLE \"\(role)\""])
        }
    }

    @Test(
        "privileges and comments outlast a table that a repair rebuilds",
        .enabled(if: PostgresServer.url != nil, "There is no PostgreSQL server."))
    func privilegesOfRepairedTable() async throws {
        try await DamagedPlace.with(.postgres) { place in
            let url = try place.url()
            try await registry.open(url: try place.url("other"), schema: Shop1.self).close()
            try await registry.open(url: url, schema: Shop3.self).closing { store in
                try await store.write { _ = try $0.insert(Shop3.Label(text: "new")) }
            }
            try await place.mix(dropping: ["Item"], taking: ["Item"], of: try Shop1.schema)
            try await place.run([
                "GRANT SELECT ON $\"Item\" TO PUBLIC", "COMMENT ON TABLE $\"Item\" IS 'for reports'",
            ])
            _ = try await registry.repair(url: url, migrating: ShopPlan.self)
            let found = try await place.rows(
                """
                SELECT has_table_privilege('public', '$"Item"', 'SELECT')::text,
                    obj_description('$"Item"'::regclass, 'pg_class')
                """)
            #expect(found == [["true", "for reports"]])
        }
    }

    @Test("an added view of a column that changes blocks the migration", arguments: TestBackend.shared)
    func view(_ backend: TestBackend) async throws {
        let on = backend == .sqlite ? #""Item""# : #"$"Item""#
        // SQLite keeps what reads the column, which has the same name and type afterwards.
        let statement =
            backend == .sqlite
            ? #"CREATE VIEW $"Label" AS SELECT "price" FROM "Item""#
            : "CREATE VIEW $\"prices\" AS SELECT \"price\" FROM \(on)"
        try await withStore(backend, [statement]) { place in
            try await requireRefused(
                place, .view,
                backend == .sqlite
                    ? ["The view Label", "Version 3.0.0 makes a table or an index of that name"]
                    : [
                        "The view prices", "Version 3.0.0 changes what it needs",
                        "Drop it before the migration",
                    ])
        }
    }

    @Test("an added table with the name of a new one blocks the migration", arguments: TestBackend.shared)
    func table(_ backend: TestBackend) async throws {
        try await withStore(backend, [#"CREATE TABLE $"Label" ("text" TEXT)"#]) { place in
            let error = await #expect(throws: StoreError.self) { try await migrate(place) }
            #expect(error?.code == .schemaMismatch)
            #expect(
                error?.message.contains(
                    "There is a table or view Label that is not the store's. Version 3.0.0 makes a table")
                    == true)
            try await registry.open(url: try place.url(), schema: Shop1.self).close()
        }
    }

    @Test(
        "a store that lacks an index of its version is refused before the first stage",
        arguments: TestBackend.shared)
    func lacking(_ backend: TestBackend) async throws {
        try await withStore(backend, [#"DROP INDEX $"index_Item_name""#]) { place in
            let error = await #expect(throws: StoreError.self) { try await migrate(place) }
            #expect(error?.code == .corrupted)
            #expect(error?.message.contains("the index index_Item_name is missing") == true)
            _ = try await registry.repair(url: try place.url(), migrating: ShopPlan.self)
            try await migrate(place)
        }
    }

    @Test(
        "a marker of one version with a table of a later one is refused before the first stage, and repaired",
        arguments: TestBackend.shared)
    func halfWay(_ backend: TestBackend) async throws {
        try await withStore(backend, []) { place in
            try await place.mix(dropping: [], taking: ["Label"], of: try Shop3.schema)
            let error = await #expect(throws: StoreError.self) { try await migrate(place) }
            #expect(error?.message.contains("Label") == true)
            let diagnosis = try await registry.diagnose(url: try place.url(), migrating: ShopPlan.self)
            #expect(diagnosis.findings.map(\.table) == ["Label"])
            #expect(diagnosis.findings.map(\.code) == [.tableLeftOver])
            _ = try await registry.repair(url: try place.url(), migrating: ShopPlan.self)
            try await migrate(place)
        }
    }

    @Test(
        "an index of another version is not an addition, and a repair removes it",
        arguments: TestBackend.shared)
    func otherIndex(_ backend: TestBackend) async throws {
        try await DamagedPlace.with(backend) { place in
            let url = try place.url()
            try await registry.open(url: try place.url("other"), schema: Shop3.self).close()
            try await registry.open(url: url, schema: Shop2.self).closing { store in
                try await store.write { _ = try $0.insert(Shop2.Item(name: "Tea", price: 1)) }
            }
            try await place.run([
                backend == .sqlite
                    ? #"CREATE INDEX $"index_Item_note" ON "Item" ("note")"#
                    : #"CREATE INDEX "index_Item_note" ON $"Item" ("note")"#
            ])
            let diagnosis = try await registry.diagnose(url: url, migrating: ShopPlan.self)
            #expect(diagnosis.findings.map(\.code) == [.constraintMissing])
            #expect(diagnosis.findings.map(\.message) == ["In this table there is an index index_Item_note."])
            await #expect(throws: StoreError.self) { try await migrate(place) }
            _ = try await registry.repair(url: url, migrating: ShopPlan.self)
            #expect(try await registry.diagnose(url: url, migrating: ShopPlan.self).findings == [])
            try await registry.open(url: url, migrating: ShopPlan.self).close()
        }
    }

    @Test("a repair keeps what others have added", arguments: TestBackend.shared)
    func repair(_ backend: TestBackend) async throws {
        try await DamagedPlace.with(backend) { place in
            let url = try place.url()
            try await registry.open(url: try place.url("other"), schema: Shop1.self).close()
            try await registry.open(url: url, schema: Shop3.self).closing { store in
                try await store.write { _ = try $0.insert(Shop3.Label(text: "new")) }
            }
            try await place.mix(dropping: ["Item"], taking: ["Item"], of: try Shop1.schema)
            try await place.run([
                #"ALTER TABLE $"Item" ADD COLUMN "colour" TEXT"#,
                backend == .sqlite
                    ? #"INSERT INTO $"Item" ("id", "name", "colour") VALUES (zeroblob(16), 'Tea', 'red')"#
                    : "INSERT INTO $\"Item\" (\"id\", \"name\", \"colour\") "
                        + "VALUES ('00000000-0000-0000-0000-000000000000', 'Tea', 'red')",
            ])
            let diagnosis = try await registry.diagnose(url: url, migrating: ShopPlan.self)
            #expect(diagnosis.findings.contains { $0.code == .partInTheWay && $0.table == "Item" })
            #expect(!diagnosis.canBeRepaired)
            let error = await #expect(throws: StoreError.self) {
                try await registry.repair(url: url, migrating: ShopPlan.self)
            }
            #expect(error?.message.contains("column colour") == true, "\(error?.message ?? "")")
            #expect(try await place.rows(#"SELECT "colour" FROM $"Item""#) == [["red"]])
        }
    }
}
