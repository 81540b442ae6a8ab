import Foundation
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("Rows that a store has when it is mirrored")
struct MirrorJoinTests {
    /// People, each a child of another, with a photo of a megabyte.
    private static let schema = Result {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Person",
                    attributes: [
                        Attribute("id", type: .uuid),
                        Attribute("parent", type: .uuid, isOptional: true, reference: "Person"),
                        Attribute("photo", type: .blob),
                    ],
                    relationships: [
                        // A child that arrived before its parent would be gone.
                        Relationship("children", target: "Person", inverse: "parent", deleteRule: .cascade)
                    ])
            ])
    }

    private static let photo = Data(repeating: 7, count: 1 << 20)

    private static func person(_ number: Int, childOf parent: Int?) -> [StoredValue] {
        func id(_ number: Int) -> StoredValue {
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number))))
        }
        return [id(number), parent.map(id) ?? .null, .blob(photo)]
    }

    @Test(
        "more rows than one mutation holds are sent in several, the referred ones first",
        arguments: TestBackend.available)
    func manyRows(_ backend: TestBackend) async throws {
        let schema = try Self.schema.get()
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { device in
                // Fifteen in a chain, each the child of the next; three in a circle, whose first is the sixteenth to be sent; and twenty
                // without a parent.
                let chain = (1...15).map { Self.person($0, childOf: $0 < 15 ? $0 + 1 : nil) }
                let circle = [(50, 52), (51, 50), (52, 51)].map { Self.person($0, childOf: $1) }
                let people = chain + circle + (60..<80).map { Self.person($0, childOf: nil) }
                try await device.write { try $0.insertRows(into: "Person", people) }
                let remote = StoreRemote(server)
                let id = try await remote.connect(expecting: nil)
                try await device.keepHistory()
                try await device.write(.ofMarker) { tx in
                    try LocalMirror(tx, server: id).join(bytes: 16 << 20)
                    try tx.setMirrorRole(.device(of: id))
                }
                #expect(try await device.read { try MirrorCounts($0).pending } == 3)
                let status = try await MirrorSession(device, remote: remote, name: nil).exchange()
                #expect(
                    status.counts.pending == 0 && status.counts.conflicts == 0 && status.counts.rejected == 0)
                for store in [server, device] {
                    let rows = try await store.read { tx in
                        try tx.fetchRows(of: "Person", sortedBy: [SortKey("id")])
                    }
                    #expect(rows == people)
                }
            }
        }
    }
}
