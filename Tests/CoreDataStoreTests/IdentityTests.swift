import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

@testable import CoreDataStore

private enum Nursery: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [BabyProfile.self, FeedSession.self, Tag.self, FeedTag.self]

    @Model
    struct BabyProfile {
        let id: ID
        var name: String
    }

    @Model
    struct FeedSession {
        let id: ID
        var profile: BabyProfile.ID?
        var endTime: Date?
    }

    @Model
    struct Tag {
        let id: ID
        var name: String
    }

    @Model
    struct FeedTag {
        let id: ID
        var feeds: FeedSession.ID
        var tags: Tag.ID
    }
}

@Suite("Ids of adopted Core Data rows")
struct IdentityTests {
    private static let ada = UUID(uuid: (0xAD, 0xA0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
    private static let bo = UUID(uuid: (0xB0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 2))

    /// A store of BabyMonitor's kind; the keys begin after `offset`.
    private static func shape(offset: Int64 = 0) -> Shape {
        var shape = Shape(entities: [
            .init(
                name: "BabyProfile",
                attributes: [.init(name: "id", type: 1100), .init(name: "name", type: 700)],
                relationships: [
                    .init(name: "feeds", destination: "FeedSession", inverse: "profile", isToMany: true)
                ]),
            .init(
                name: "FeedSession", attributes: [.init(name: "endTime", type: 900)],
                relationships: [
                    .init(name: "profile", destination: "BabyProfile", inverse: "feeds"),
                    .init(name: "tags", destination: "Tag", inverse: "feeds", isToMany: true),
                ]),
            .init(
                name: "Tag", attributes: [.init(name: "name", type: 700)],
                relationships: [
                    .init(name: "feeds", destination: "FeedSession", inverse: "tags", isToMany: true)
                ]),
        ])
        func profile(_ key: Int64) -> [String: Shape.Target] {
            ["profile": .init(entity: "BabyProfile", key: key + offset)]
        }
        shape.rows = [
            .init(entity: "BabyProfile", key: 1 + offset, values: ["id": .uuid(ada), "name": .text("Ada")]),
            .init(entity: "BabyProfile", key: 2 + offset, values: ["id": .uuid(bo), "name": .text("Bo")]),
            .init(
                entity: "FeedSession", key: 1 + offset, values: ["endTime": .date(10)], references: profile(2)
            ),
            .init(
                entity: "FeedSession", key: 2 + offset, values: ["endTime": .date(20)], references: profile(1)
            ),
            .init(entity: "FeedSession", key: 3 + offset, values: ["endTime": .date(30)]),
            .init(entity: "Tag", key: 1 + offset, values: ["name": .text("good")]),
        ]
        shape.pairs = [
            .init(entity: "FeedSession", relationship: "tags", owner: 2 + offset, target: 1 + offset)
        ]
        return shape
    }

    private static func records(of shape: Shape) -> [Shape.Record] {
        shape.rows.map { row in
            // The record's name is of the row and not of its key.
            let name = row.values["name"] ?? row.values["endTime"]
            return Shape.Record(
                entity: row.entity, key: row.key, name: "\(row.entity) \(String(describing: name))")
        }
    }

    private static func plan(
        _ profile: AdoptedColumn<Nursery.BabyProfile> = .id(from: "id"),
        acknowledging: Set<ForeignFinding.Code> = []
    ) throws -> AdoptionPlan {
        try AdoptionPlan(
            Nursery.self, .table("BabyProfile", as: Nursery.BabyProfile.self, profile),
            .table("FeedSession_tags", as: Nursery.FeedTag.self), acknowledging: acknowledging)
    }

    private static func faults(_ plan: AdoptionPlan, _ database: any ForeignDatabase) async throws -> [String]
    {
        try await plan.preview(database).faults.map(\.description)
    }

    @Test(
        "a row's own UUID becomes its id, and references by key arrive as that id",
        arguments: TestBackend.available)
    func ownUUID(backend: TestBackend) async throws {
        try await withFile(of: Self.shape()) { database, _ in
            try await backend.withPlace(of: Nursery.schema) { place in
                let report = try await Self.plan().run(from: database, into: place)
                #expect(
                    report.tables.map { "\($0.name) \($0.rows) \($0.derivedIDs) \($0.idsFromKeys)" } == [
                        "BabyProfile 2 0 0", "FeedSession 3 3 0", "FeedSession_tags 1 1 0", "Tag 1 1 0",
                    ])
                try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                    let (babies, feeds, tags, pairs) = try await store.read { tx in
                        (
                            try tx.fetch(Nursery.BabyProfile.all.sorted(by: \.name)),
                            try tx.fetch(Nursery.FeedSession.all.sorted(by: \.endTime)),
                            try tx.fetch(Nursery.Tag.all), try tx.fetch(Nursery.FeedTag.all)
                        )
                    }
                    #expect(babies.map(\.id.uuid) == [Self.ada, Self.bo])
                    #expect(feeds.map { $0.profile?.uuid } == [Self.bo, Self.ada, nil])
                    #expect(feeds[0].endTime == Date(timeIntervalSinceReferenceDate: 10))
                    // UUID version 5 of ["feedsession","1"] in the store's UUID, by Python.
                    #expect(feeds[0].id.description == "a7d5f5e5-f0c5-5bde-8ea6-03ad0d6b6377")
                    #expect(pairs.map(\.feeds) == [feeds[1].id] && pairs.map(\.tags) == [tags[0].id])
                    #expect(try await store.check() == [])
                }
            }
        }
    }

    @Test("a missing or doubled UUID is a fault, unless the plan takes the key then")
    func unusable() async throws {
        var shape = Self.shape()
        shape.rows[1].values["id"] = .uuid(Self.ada)
        shape.rows.append(.init(entity: "BabyProfile", key: 3, values: ["name": .text("Cy")]))
        shape.rows.append(
            .init(
                entity: "BabyProfile", key: 4,
                values: [
                    "name": .text("Di"),
                    "id": .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
                ]))
        try await withFile(of: shape) { database, _ in
            let faults = try await Self.faults(Self.plan(), database)
            #expect(
                faults == [
                    "BabyProfile.id: another row has the same id: correct it, or let the plan take the key then; in 1 rows, the first "
                        + "of them the row with the key 2",
                    "BabyProfile.id: the id has no value: correct it, or let the plan take the key then; in 2 rows, the first of them "
                        + "the row with the key 3",
                    "FeedSession.profile: the row that it refers to does not exist; in 1 rows, the first of them the row with the key 1",
                ])
            let plan = try Self.plan(.id(from: "id", ifUnusable: .fromKey))
            try await TestBackend.memory.withPlace(of: Nursery.schema) { place in
                let report = try await plan.run(from: database, into: place)
                #expect(report.tables[0].idsFromKeys == 3 && report.tables[0].derivedIDs == 3)
                try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                    let (babies, feeds) = try await store.read { tx in
                        (
                            try tx.fetch(Nursery.BabyProfile.all.sorted(by: \.name)),
                            try tx.fetch(Nursery.FeedSession.all.sorted(by: \.endTime))
                        )
                    }
                    #expect(babies[0].id.uuid == Self.ada && babies[1].id.uuid != Self.ada)
                    #expect(feeds[0].profile == babies[1].id && feeds[1].profile == babies[0].id)
                }
            }
        }
    }

    @Test(
        "two devices of one person get equal ids from CloudKit's records, also for the pairs of a relationship"
    )
    func twoDevices() async throws {
        var (phone, tablet) = (Self.shape(), Self.shape(offset: 40))
        tablet.storeID = "99999999-1111-4222-8333-444455556666"
        (phone.records, tablet.records) = (Self.records(of: phone), Self.records(of: tablet))
        let plan = try AdoptionPlan(
            Nursery.self,
            .table(
                "BabyProfile", as: Nursery.BabyProfile.self, .id(from: "$recordName", "$zone", "$zoneOwner"),
                .ignored("id")),
            .table(
                "FeedSession", as: Nursery.FeedSession.self, .id(from: "$recordName", "$zone", "$zoneOwner")),
            .table("Tag", as: Nursery.Tag.self, .id(from: "$recordName", "$zone", "$zoneOwner")),
            .table("FeedSession_tags", as: Nursery.FeedTag.self, .id(from: "feeds", "tags")))
        var digests: [[String: RowsDigest]] = []
        for shape in [phone, tablet] {
            try await withFile(of: shape) { database, _ in
                try await TestBackend.memory.withPlace(of: Nursery.schema) { place in
                    digests.append(try await plan.run(from: database, into: place).digests)
                }
            }
        }
        #expect(digests[0] == digests[1] && digests[0].count == 4)
        // Keys, in contrast, are of a device.
        try await withFile(of: phone) { one, _ in
            try await withFile(of: tablet) { other, _ in
                let plan = try Self.plan()
                var digests: [[String: RowsDigest]] = []
                for database in [one, other] {
                    try await TestBackend.memory.withPlace(of: Nursery.schema) { place in
                        digests.append(try await plan.run(from: database, into: place).digests)
                    }
                }
                #expect(digests[0]["BabyProfile"] == digests[1]["BabyProfile"])
                #expect(digests[0]["FeedSession"] != digests[1]["FeedSession"])
            }
        }
    }

    @Test("ids that two tables share are a fault, unless the plan keeps them")
    func shared() async throws {
        var shape = Self.shape()
        shape.entities[2].attributes.append(.init(name: "id", type: 1100))
        shape.rows[5].values["id"] = .uuid(Self.bo)
        try await withFile(of: shape) { database, _ in
            func plan(_ shared: SharedID) throws -> AdoptionPlan {
                try AdoptionPlan(
                    Nursery.self,
                    .table("BabyProfile", as: Nursery.BabyProfile.self, .id(from: "id", ifShared: shared)),
                    .table("Tag", as: Nursery.Tag.self, .id(from: "id", ifShared: shared)),
                    .table("FeedSession_tags", as: Nursery.FeedTag.self))
            }
            let sentence =
                "rows of other tables have 1 of its ids as well: let the plan keep them, or take the key"
            let (refused, kept) = (
                try await Self.faults(plan(.refused), database), try await Self.faults(plan(.kept), database)
            )
            #expect(refused == ["BabyProfile: \(sentence)", "Tag: \(sentence)"])
            #expect(kept == [])
        }
    }

    @Test("what was not uploaded is counted and named, and refused until the plan acknowledges it")
    func uploads() async throws {
        var shape = Self.shape()
        var records = Self.records(of: shape)
        records[2].needsUpload = true
        records[3].name = nil
        records.remove(at: 4)
        records.append(.init(entity: "FeedSession", key: 99, name: "gone", needsCloudDelete: true))
        shape.records = records
        try await withFile(of: shape) { database, _ in
            let preview = try await Self.plan().preview(database)
            let waiting = preview.findings.filter(\.needsAcknowledgement)
            #expect(
                waiting.map { "\($0.code) \($0.table ?? "") \($0.rows)" } == [
                    "pendingUploads FeedSession 3", "pendingCloudDeletes FeedSession 1",
                ])
            #expect(waiting.map(\.firstKeys) == [[.integer(1), .integer(2), .integer(3)], [.integer(99)]])
            #expect(preview.faults.map(\.table) == ["FeedSession", "FeedSession"])
            try await TestBackend.memory.withPlace(of: Nursery.schema) { place in
                #expect(
                    await code { try await Self.plan().run(from: database, into: place) }
                        == .valueNotRepresentable)
                let plan = try Self.plan(acknowledging: [.pendingUploads, .pendingCloudDeletes])
                #expect(try await plan.run(from: database, into: place).tables.map(\.rows) == [2, 3, 1, 1])
            }
        }
    }

    @Test("rows that other devices have deleted are left out or kept, by choice")
    func deletes() async throws {
        var shape = Self.shape()
        shape.records = Self.records(of: shape)
        shape.records?[4].needsLocalDelete = true
        for (setting, rows, faults) in [("refused", 3, 1), ("applied", 2, 0), ("kept", 3, 0)] {
            try await withFile(of: shape, settings: "pendingDeletes=\(setting)") { database, _ in
                let preview = try await Self.plan().preview(database)
                #expect(preview.faults.count == faults, "\(preview.faults)")
                #expect(preview.findings.contains { $0.code == .pendingLocalDeletes && $0.rows == 1 })
                guard faults == 0 else { return }
                #expect(preview.tables.first { $0.name == "FeedSession" }?.rows == rows)
            }
        }
    }
}
