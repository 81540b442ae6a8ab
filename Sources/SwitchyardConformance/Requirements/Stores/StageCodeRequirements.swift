internal import Foundation
internal import Switchyard
internal import SwitchyardCore
internal import Synchronization

/// Requirement S4 for stages with code, and for rows that a new unique constraint does not allow.
enum StageCodeRequirements {
    static let all: [Requirement] = [
        Requirement(
            "S4+code", "a stage's code reads the older version and writes the newer one", needs: .durability
        ) { contract in
            let store = try await contract.makeStore(try Cellar1.schema)
            let racks = (0..<3).map { Cellar1.Rack(name: "Rack", place: $0) }
            let bottles = (0..<600).map { number in
                Cellar1.Bottle(label: "Red \(number)", litres: "0.\(number)", rack: racks[number % 3].id)
            }
            try await store.write { tx in
                try tx.insert(contentsOf: racks)
                try tx.insert(contentsOf: bottles)
            }
            try await store.close()
            let migrated = try await MigrationPlan(CellarPlan.self).open(OpenOptions(), status: { _ in }) {
                try await contract.reopen(store, $0, $1)
            }
            let (kept, found, words) = try await migrated.read { tx in
                (
                    try tx.fetch(Cellar2.Rack.all), try tx.fetch(Cellar2.Bottle.all),
                    try tx.fetch(Cellar2.Word.all)
                )
            }
            try contract.expectEqual(kept.map(\.place), [0], "the one of several equal rows that stays")
            try contract.expectEqual(
                Set(found.map { "\($0.id) \($0.litres)" }),
                Set(bottles.map { "\($0.id) \(Double($0.litres) ?? -1)" }), "converted values")
            try contract.expectEqual(
                Set(found.map { "\($0.rack)" }), ["\(racks[0].id)"],
                "what referred to the rows that made way")
            try contract.expectEqual(
                words.map(\.text).sorted(),
                bottles.flatMap { $0.label.split(separator: " ") }.map(String.init).sorted(),
                "the rows that the stage's code wrote")
            try contract.expectEqual(try await migrated.check(), [], "what the check found")
            try await contract.expectError(.unique, "a row that the new constraint does not allow") {
                try await migrated.write { try $0.insert(Cellar2.Rack(name: "Rack", place: 9)) }
            }
            try await migrated.close()
            await contract.dispose(store)
        },
        Requirement(
            "S4+backfill", "rows are filled in several transactions, and from where they were left",
            needs: .durability
        ) { contract in
            let store = try await contract.makeStore(try Cellar1.schema)
            // More than one transaction fills.
            let racks = (0..<10_400).map { Cellar1.Rack(name: "Rack \($0)", place: $0) }
            try await store.write { try $0.insert(contentsOf: racks) }
            try await store.close()
            let limit = Mutex<Int?>(10_300)
            let plan = try FilledPlan.plan { rack in
                if rack.place == limit.withLock({ $0 }) { throw CancellationError() }
                return "\(rack.name), \(rack.place)"
            }
            let open = { @Sendable schema, options in try await contract.reopen(store, schema, options) }
            do {
                try await plan.open(OpenOptions(), status: { _ in }, open).close()
                throw contract.fail(
                    "what a calculation throws", expected: "the end of the migration", found: "no error")
            } catch is CancellationError {}
            for access in [OpenOptions.Access.readWrite, .readOnly] {
                try await contract.expectError(.migrationUnfinished, "a store whose rows are being filled") {
                    try await open(try Cellar3.schema, OpenOptions(access: access)).close()
                }
            }
            let preview = try await plan.preview(OpenOptions(), open)
            try contract.expectEqual(preview.unfilled, ["Rack.label"], "what is still to be filled")
            limit.withLock { $0 = nil }
            let migrated = try await plan.open(OpenOptions(), status: { _ in }, open)
            let found = try await migrated.read { try $0.fetch(Cellar3.Rack.all) }
            try contract.expectEqual(
                Set(found.map { "\($0.place): \($0.label)" }),
                Set((0..<10_400).map { "\($0): Rack \($0), \($0)" }), "calculated values")
            try contract.expectEqual(try await migrated.check(), [], "what the check found")
            try await migrated.close()
            await contract.dispose(store)
        },
    ]
}

private enum Cellar1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Bottle.self, Rack.self]

    @Model
    struct Bottle {
        let id: ID
        var label: String
        var litres: String
        var rack: Rack.ID
    }

    @Model
    struct Rack {
        let id: ID
        var name: String
        var place: Int
    }
}

private enum Cellar2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Bottle.self, Rack.self, Word.self]

    @Model
    struct Bottle {
        let id: ID
        var label: String
        var litres: Double
        var rack: Rack.ID
    }

    @Model
    struct Rack {
        #Unique<Rack>([\.name])

        let id: ID
        var name: String
        var place: Int
    }

    @Model
    struct Word {
        let id: ID
        var text: String
        var bottle: Bottle.ID
    }
}

private enum Cellar3: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Bottle.self, Rack.self]

    @Model
    struct Bottle {
        let id: ID
        var label: String
        var litres: String
        var rack: Rack.ID
    }

    @Model
    struct Rack {
        let id: ID
        var name: String
        var place: Int
        var label: String = ""
    }
}

private enum FilledPlan {
    static func plan(_ label: @escaping @Sendable (Cellar3.Rack) throws -> String) throws -> MigrationPlan {
        try MigrationPlan(
            [Cellar1.self, Cellar3.self],
            [
                .lightweight(
                    fromVersion: Cellar1.self, toVersion: Cellar3.self,
                    .backfill(\Cellar3.Rack.label, label))
            ])
    }
}

private enum CellarPlan: SchemaMigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Cellar1.self, Cellar2.self]
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: Cellar1.self, toVersion: Cellar2.self,
                .convert(\Cellar1.Bottle.litres, to: \Cellar2.Bottle.litres) { Double($0) ?? -1 },
                .deduplicate(Cellar2.Rack.self, keepingLeast: \Cellar2.Rack.place)
            ) { old, new in
                for bottle in try old.fetch(Cellar1.Bottle.all) {
                    try new.insert(
                        contentsOf: bottle.label.split(separator: " ").map {
                            Cellar2.Word(text: String($0), bottle: .init(bottle.id.uuid))
                        })
                }
            }
        ]
    }
}
