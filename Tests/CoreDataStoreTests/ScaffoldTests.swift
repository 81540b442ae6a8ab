import Foundation
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
