import Foundation
import GRDB
import SwitchyardCore
import TestBackends
import Testing

@testable import CoreDataStore
@testable import SwitchyardTransfer

@Suite("Scaffolds of Core Data stores")
struct ScaffoldTests {
    /// Adopts a database by its scaffold on each backend.
    ///
    /// - Returns: The digests, by entity.
    private static func adopt(
        _ database: any ForeignDatabase, on backends: [TestBackend] = TestBackend.available
    ) async throws -> [[String: RowsDigest]] {
        let scaffold = try await AdoptionScaffold(of: database, named: "old")
        #expect(scaffold.preview.faults.isEmpty, "\(scaffold.preview.faults)")
        var digests: [[String: RowsDigest]] = []
        for backend in backends {
            try await backend.withPlace(of: scaffold.schema) { place in
                digests.append(try await scaffold.plan.run(from: database, into: place).digests)
                let faults = try await place.withStore(OpenOptions(createsIfMissing: false)) {
                    try await $0.check()
                }
                #expect(faults == [])
            }
        }
        return digests
    }

    @Test(
        "a generated file is adopted by its scaffold, alike on every backend",
        arguments: UInt64(1)...(Nightly.isOn ? 200 : 40))
    func generated(seed: UInt64) async throws {
        let shape = ShapeGenerator.shape(seed: seed)
        try await withFile(of: shape) { database, _ in
            let digests = try await Self.adopt(database)
            #expect(digests.allSatisfy { $0 == digests[0] }, "seed \(seed)")
            let rows = digests[0].values.reduce(0) { $0 + $1.count }
            #expect(rows == shape.rows.count + shape.pairs.count, "seed \(seed)")
        }
    }

    @Test(
        "a real store is adopted by its scaffold, alike on every backend",
        .enabled(if: RealFiles.areThere, "needs ../shared/data/coredata"),
        arguments: [("kik", 192), ("Accounts3", 453), ("RMAdminStore-Local", 2_912), ("DataUsage", 1_258)])
    func real(name: String, rows: Int) async throws {
        let digests = try await Self.adopt(database(URL(filePath: RealFiles.path(name))))
        #expect(digests.allSatisfy { $0 == digests[0] })
        #expect(digests[0].values.reduce(0) { $0 + $1.count } == rows)
    }

    /// Adopts a shape by its scaffold, as a command does that acknowledges everything.
    ///
    /// - Returns: What the scaffold loses, and the rows of each entity by the names of its attributes, without nulls.
    private static func adopted(
        _ shape: Shape, _ sql: String = ""
    ) async throws -> (losses: [ForeignFinding], rows: [String: [[String: StoredValue]]]) {
        try await withFile(of: shape) { database, file in
            let queue = try DatabaseQueue(path: file.path)
            try await queue.write { try $0.execute(sql: sql) }
            try queue.close()
            let scaffold = try await AdoptionScaffold(of: database, named: "old")
            let plan = scaffold.plan.acknowledging(scaffold.preview.findings.map(\.code))
            let rows = try await TestBackend.memory.withPlace(of: scaffold.schema) { place in
                try await plan.run(from: database, into: place)
                return try await place.withStore(OpenOptions(createsIfMissing: false)) { store in
                    try await store.read { tx in
                        var rows: [String: [[String: StoredValue]]] = [:]
                        for entity in tx.schema.entities {
                            let names = entity.attributes.map(\.name)
                            try tx.forEachRow(of: entity.name, sortedBy: []) { values in
                                let row = Dictionary(uniqueKeysWithValues: zip(names, values))
                                rows[entity.name, default: []].append(row.filter { !$0.value.isNull })
                            }
                        }
                        return rows
                    }
                }
            }
            return (scaffold.losses, rows)
        }
    }

    @Test("a column with a date that no store can have becomes a double of seconds, in every row")
    func dates() async throws {
        var shape = Shape(entities: [.init(name: "Process", attributes: [.init(name: "time", type: 900)])])
        shape.rows = [
            .init(entity: "Process", key: 1, values: ["time": .date(700_000_000.25)]),
            .init(entity: "Process", key: 2, values: ["time": .real(-63_114_076_800)]),
            .init(entity: "Process", key: 3),
        ]
        try await withFile(of: shape) { database, _ in
            let faults = try await AdoptionScaffold(of: database, named: "old").preview.faults
            #expect(faults.count == 1 && faults[0].reason.contains("acknowledge datesAsNumbers"))
        }
        let found = try await Self.adopted(shape).rows["Process"]?.compactMap { $0["time"] }
        #expect(Set(found ?? []) == [.double(700_000_000.25), .double(-63_114_076_800)])
    }

    @Test("without a model, the keys stay that references of no known target name")
    func keys() async throws {
        var shape = Shape(entities: [
            .init(name: "Baby", attributes: [.init(name: "name", type: 700)]),
            .init(
                name: "Feed", relationships: [.init(name: "baby", destination: "Baby", inverse: nil)]),
        ])
        shape.rows = [
            .init(entity: "Baby", key: 4, values: ["name": .text("Mia")]),
            .init(entity: "Baby", key: 9, values: ["name": .text("Zoe")]),
            .init(entity: "Feed", key: 7, references: ["baby": .init(entity: "Baby", key: 9)]),
        ]
        shape.hasModel = false
        func withoutID(_ rows: [[String: StoredValue]]?) -> Set<[String: StoredValue]> {
            Set((rows ?? []).map { $0.filter { $0.key != "id" } })
        }
        let found = try await Self.adopted(shape).rows
        #expect(
            withoutID(found["Baby"]) == [
                ["zPk": .int(4), "name": .text("Mia")], ["zPk": .int(9), "name": .text("Zoe")],
            ])
        #expect(withoutID(found["Feed"]) == [["zPk": .int(7), "baby": .int(9)]])
        shape.hasModel = true
        let modelled = try await Self.adopted(shape).rows
        let zoe = modelled["Baby"]?.first { $0["name"] == .text("Zoe") }?["id"]
        #expect(withoutID(modelled["Feed"]) == [["baby": try #require(zoe)]])
    }

    @Test("references that lead nowhere, ids that two rows have, and tables without a key are losses")
    func losses() async throws {
        let id = try #require(UUID(uuidString: "6D696100-0000-4000-8000-0000000000A1"))
        var shape = Shape(entities: [
            .init(name: "Baby", attributes: [.init(name: "id", type: 1100)]),
            .init(
                name: "Feed", relationships: [.init(name: "baby", destination: "Baby", inverse: nil)]),
        ])
        shape.rows = [
            .init(entity: "Baby", key: 1, values: ["id": .uuid(id)]),
            .init(entity: "Feed", key: 1, references: ["baby": .init(entity: "Baby", key: 1)]),
        ]
        #expect(try await Self.adopted(shape).losses == [])
        shape.rows += [
            .init(entity: "Baby", key: 2, values: ["id": .uuid(id)]),
            .init(entity: "Feed", key: 2, references: ["baby": .init(entity: "Baby", key: 99_999)]),
            .init(entity: "Feed", key: 3, references: ["baby": .init(entity: "Baby", key: 99_999)]),
        ]
        let found = try await Self.adopted(
            shape,
            "CREATE TABLE app_notes (a, b); INSERT INTO app_notes VALUES (1, 2), (3, 4); CREATE TABLE app_none (a)"
        )
        #expect(
            found.losses.map { "\($0.code) \($0.table ?? "") \($0.rows) \($0.needsAcknowledgement)" } == [
                "referencesRemoved Feed 2 false", "idsReplaced Baby 1 false",
                "tablesLeftOut app_notes 2 true",
            ])
        #expect(found.rows["Feed"]?.count { $0["baby"] == .uuid(id) } == 1)
        #expect(found.rows["Feed"]?.count { $0["baby"] == nil } == 2)
    }

    @Test("a fault of an external value says what is wrong with it")
    func externalFault() async throws {
        var shape = Shape(entities: [
            .init(name: "Photo", attributes: [.init(name: "data", type: 1000, isExternal: true)])
        ])
        shape.rows = [
            .init(entity: "Photo", key: 1, values: ["data": .data([UInt8](repeating: 9, count: 500))])
        ]
        try await withFile(of: shape) { database, file in
            try FileManager.default.removeItem(
                at: file.deletingLastPathComponent().appending(path: ".default_SUPPORT"))
            let faults = try await AdoptionScaffold(of: database, named: "old").preview.faults
            #expect(faults.map(\.reason) == ["its file in _EXTERNAL_DATA is missing"])
        }
    }

    @Test("names of models and attributes are Swift's, and each is unlike the others")
    func names() {
        var models = ScaffoldNames()
        #expect(
            ["feed_session", "KIKUser", "Date", "9lives", "feed-session", "ÄÖ"].map { models.model($0) }
                == ["FeedSession", "KIKUser", "DateRow", "Model9lives", "FeedSession2", "Model"])
        var attributes = ScaffoldNames(taken: ["id"])
        #expect(
            ["created_at", "URLPath", "NAME", "name", "class", "ID", "xmin", "1st"].map {
                attributes.attribute($0)
            }
                == ["createdAt", "urlPath", "name", "name2", "classValue", "id2", "xminValue", "value1st"])
    }
}
