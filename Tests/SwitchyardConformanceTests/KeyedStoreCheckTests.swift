import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("A check of a store of bytes by key")
struct KeyedStoreCheckTests {
    enum Labels: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Label.self]
    }

    @Model
    struct Label {
        #Unique<Label>([\.name])
        let id: ID
        var name: String
    }

    @Test("a unique key that leads nowhere, or to another row, is found by a check")
    func keys() async throws {
        let map = ByteMap()
        let store = try await KeyedStore.open(
            schema: Labels.schema, options: OpenOptions(), backend: "bytes", location: "labels",
            busyTimeout: .zero
        ) { ByteStorage(map) }
        let first = try await store.write { tx in
            try tx.insert(Label(name: "red"))
            return try tx.insert(Label(name: "blue")).id
        }
        #expect(try await store.check() == [])

        // Every key leads to one row, which is the wrong one for the other.
        let id = withUnsafeBytes(of: first.uuid.uuid) { Array($0) }
        map.change([2]) { _ in id }
        let misled = try await store.check()
        #expect(misled.count == 1)
        #expect(misled.allSatisfy { $0.contains("Another row has the same name") })

        map.remove([2])
        let missing = try await store.check()
        #expect(missing.count == 2)
        #expect(missing.allSatisfy { $0.contains("not found by its unique key") })
        try await store.close()
    }
}
