internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement S4 for a store of an older version that is opened by a migration plan.
enum MigrationRequirements {
    static let all: [Requirement] = [
        Requirement(
            "S4+plan", "a lightweight stage carries all rows over to the next version", needs: .durability
        ) { contract in
            let store = try await contract.makeStore(try Pantry1.schema)
            let shelf = Pantry1.Shelf(label: "top")
            let jars = (0..<300).map { number in
                Pantry1.Jar(
                    name: "Jar \(number)", grams: number, size: number.isMultiple(of: 2) ? nil : number,
                    shelf: shelf.id)
            }
            try await store.write { tx in
                try tx.insert(shelf)
                try tx.insert(contentsOf: jars)
                try tx.insert(Pantry1.Note(text: "gone"))
            }
            try await store.close()
            let plan = try MigrationPlan(PantryPlan.self)
            let preview = try await plan.preview(OpenOptions()) { schema, options in
                try await contract.reopen(store, schema, options)
            }
            try contract.expectEqual(
                preview.unknownParts.map(\.description), [],
                "what a dry run finds in the tables beside their schema")
            let migrated = try await plan.open(OpenOptions(), status: { _ in }) { schema, options in
                try await contract.reopen(store, schema, options)
            }
            try await verify(migrated, jars, contract)
            try await migrated.close()
            try await contract.expectError(.schemaTooNew, "opening with the older version") {
                try await contract.reopen(store, try Pantry1.schema)
            }
            let again = try await contract.reopen(store, try Pantry2.schema)
            let count = try await again.read { try $0.count(Pantry2.Glass.all) }
            try await again.close()
            try contract.expectEqual(count, 299, "the rows when the store is opened again")
            await contract.dispose(store)
        },
        Requirement(
            "S4+limit", "a stage refuses a row that does not fit a new index, and leaves the store as it was",
            needs: .durability
        ) { contract in
            let store = try await contract.makeStore(try Attic1.schema)
            let label = String(repeating: "a", count: Limits.indexEntryBytes + 1)
            let box = try await store.write { try $0.insert(Attic1.Box(label: label)) }
            try await store.close()
            try await contract.expectError(.valueNotRepresentable, "a stage that indexes a long text") {
                try await MigrationPlan(AtticPlan.self).open(OpenOptions(), status: { _ in }) {
                    try await contract.reopen(store, $0, $1)
                }
            }
            let again = try await contract.reopen(store, try Attic1.schema)
            let found = try await again.read { try $0.find(box.id) }
            try await again.close()
            try contract.expectEqual(found?.label, label, "the text, in the store of the older version")
        },
    ]

    private static func verify(
        _ store: any Store, _ jars: [Pantry1.Jar], _ contract: Contract
    ) async throws {
        let glasses = try await store.read { try $0.fetch(Pantry2.Glass.all) }
        func texts(_ values: (Pantry2.Glass) -> Any) -> [String] { glasses.map { "\(values($0))" }.sorted() }
        func expected(_ values: (Pantry1.Jar) -> Any) -> [String] { jars.map { "\(values($0))" }.sorted() }
        try contract.expectEqual(texts { $0.id }, expected { $0.id }, "the ids")
        try contract.expectEqual(texts { $0.title }, expected { $0.name }, "values under another name")
        try contract.expectEqual(texts { $0.grams }, expected { $0.grams }, "integers as decimals")
        try contract.expectEqual(
            texts { $0.size }, expected { $0.size ?? 5 }, "values, some of them missing before")
        try contract.expectEqual(
            texts { $0.isFull }, expected { _ in true }, "the default of a new attribute")
        try contract.expectEqual(
            texts { $0.shelf.map { "\($0)" } ?? "" }, expected { $0.shelf.map { "\($0)" } ?? "" },
            "references")
        let found = try await store.read { tx in
            try tx.count(Pantry2.Glass.where(#Predicate { $0.title.localizedStandardContains("JAR 29") }))
        }
        try contract.expectEqual(found, 11, "the rows found by a text that could not be searched before")
        try contract.expectEqual(
            try await store.read { try $0.count(Pantry2.Recipe.all) }, 0, "the rows of a new entity")
        try contract.expectEqual(try await store.check(), [], "what the check found")
        let first = try contract.require(glasses.first, "a row")
        try await contract.expectError(.unique, "a second row with the id of one that was carried over") {
            try await store.write { try $0.insert(first) }
        }
        try await contract.expectError(.foreignKey, "a reference to a row that is not there") {
            try await store.write {
                try $0.insert(Pantry2.Glass(title: "x", grams: 1, size: 1, shelf: Pantry2.Shelf.ID()))
            }
        }
        try await store.write { _ = try $0.delete(first.id) }
        try contract.expectEqual(
            try await store.marker().stages?.map(\.to), [SchemaVersion(2)], "the stages in the marker")
    }
}

private enum Pantry1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Jar.self, Shelf.self, Note.self]

    @Model
    struct Jar {
        #Index<Jar>([\.name])

        let id: ID
        var name: String
        var grams: Int
        var size: Int?
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }

    @Model
    struct Note {
        let id: ID
        var text: String
    }
}

private enum Pantry2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Glass.self, Shelf.self, Recipe.self]

    @Model
    struct Glass {
        #Index<Glass>([\.grams])

        let id: ID
        @Attribute(.searchable) var title: String
        var grams: Decimal
        var size: Int
        var isFull: Bool = true
        var shelf: Shelf.ID?
    }

    @Model
    struct Shelf {
        let id: ID
        var label: String
    }

    @Model
    struct Recipe {
        let id: ID
        var text: String
    }
}

private enum Attic1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Box.self]

    @Model
    struct Box {
        let id: ID
        var label: String
    }
}

private enum Attic2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Box.self]

    @Model
    struct Box {
        #Index<Box>([\.label])

        let id: ID
        var label: String
    }
}

private enum AtticPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Attic1.self, Attic2.self]
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: Attic1.self, toVersion: Attic2.self)]
    }
}

private enum PantryPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Pantry1.self, Pantry2.self]
    static var stages: [MigrationStage] {
        [
            .lightweight(
                fromVersion: Pantry1.self, toVersion: Pantry2.self,
                .rename(Pantry1.Jar.self, to: Pantry2.Glass.self),
                .rename(\Pantry1.Jar.name, to: \Pantry2.Glass.title),
                .fill(\Pantry2.Glass.size, with: 5), .drop(Pantry1.Note.self))
        ]
    }
}
