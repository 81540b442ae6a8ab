import MemoryStore
import Switchyard
import Testing

@Suite("A model of another version, under the name of one that the store holds")
struct OtherModelTests {
    enum Old: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Bottle.self]

        @Model
        struct Bottle {
            let id: ID
            var ounces: Double
        }
    }

    enum New: VersionedSchema {
        static let version = SchemaVersion(2)
        static let models: [any Model.Type] = [Bottle.self]

        @Model
        struct Bottle {
            let id: ID
            var millilitres: Double
        }
    }

    @Test("a model of another version under a stored name is neither written nor read")
    func refusal() async throws {
        let store = MemoryStore(schema: try New.schema)
        try await store.write { try $0.insert(New.Bottle(millilitres: 120)) }
        let write = await #expect(throws: StoreError.self) {
            try await store.write { try $0.insert(Old.Bottle(ounces: 4)) }
        }
        #expect(write?.code == .schemaMismatch)
        #expect(write?.message.contains("Old.Bottle") == true)
        let read = await #expect(throws: StoreError.self) {
            try await store.read { try $0.fetch(Old.Bottle.all) }
        }
        #expect(read?.code == .schemaMismatch)
        #expect(try await store.read { try $0.fetch(New.Bottle.all).map(\.millilitres) } == [120])
    }
}
