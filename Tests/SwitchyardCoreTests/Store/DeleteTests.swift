import MemoryStore
import Switchyard
import Testing

@Suite("Deleting by cascade")
struct DeleteTests {
    typealias Room = House.Room
    typealias Box = House.Box
    typealias Thing = House.Thing
    typealias Lamp = House.Lamp

    @Test("a cascade continues below one branch if another has no rows")
    func branches() async throws {
        let store = MemoryStore(schema: try House.schema)
        let (room, other) = (Room(), Room())
        let (box, otherBox) = (Box(room: room.id), Box(room: other.id))
        try await store.write { tx in
            try tx.insert(contentsOf: [room, other])
            try tx.insert(contentsOf: [box, otherBox])
            try tx.insert(contentsOf: [Thing(box: box.id), Thing(box: box.id), Thing(box: otherBox.id)])
        }
        #expect(try await store.write { try $0.delete(room.id) } == 1)
        let left = try await store.read { tx in
            (try tx.count(Room.all), try tx.count(Box.all), try tx.count(Thing.all), try tx.count(Lamp.all))
        }
        #expect(left == (1, 1, 1, 0))
    }

    @Test("a delete of no rows does nothing")
    func none() async throws {
        let store = MemoryStore(schema: try House.schema)
        try await store.write { try $0.insert(Room()) }
        #expect(try await store.write { try $0.delete(Room.ID()) } == 0)
        #expect(try await store.read { try $0.count(Room.all) } == 1)
    }
}
