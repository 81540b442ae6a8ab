import Foundation
import MemoryStore
import Observation
import Switchyard
import Testing

fileprivate enum Shelf: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Box.self]

    @Model
    struct Box: Equatable {
        let id: ID
        var number: Int
    }
}

@MainActor
@Suite("A live query")
struct LiveQueryTests {
    private let store: MemoryStore

    init() async throws {
        store = MemoryStore(schema: try Shelf.schema)
        try await store.write { tx in
            for number in 1...3 { try tx.insert(Shelf.Box(number: number)) }
        }
    }

    private static let ascending = Shelf.Box.sorted(by: \.number)
    private static let great = Shelf.Box.where(#Predicate { $0.number > 1 }).sorted(by: \.number)

    /// Waits until a condition on a live query holds, which is looked at after each change of it.
    private func wait(until condition: () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = condition()
                } onChange: {
                    continuation.resume()
                }
            }
            // A change is announced before it is made.
            await Task.yield()
        }
    }

    private func numbers(_ boxes: LiveQuery<[Shelf.Box]>) -> [Int] { boxes.value.map(\.number) }

    @Test("a live query has its initial value until the first result arrives")
    func initial() async {
        let boxes = LiveQuery(Self.ascending, of: store)
        #expect(boxes.value == [])
        #expect(boxes.phase == .reading)
        let count = LiveQuery(of: store, initialValue: -1) { try $0.count(Shelf.Box.all) }
        #expect(count.value == -1)
        await wait { boxes.phase == .following && count.phase == .following }
        #expect(numbers(boxes) == [1, 2, 3])
        #expect(count.value == 3)
    }

    @Test("a live query follows a changed query, and keeps its value until the new result arrives")
    func change() async throws {
        let boxes = LiveQuery(Self.ascending, of: store)
        await wait { boxes.phase == .following }
        boxes.follow(Self.great)
        #expect(boxes.phase == .reading)
        #expect(numbers(boxes) == [1, 2, 3])
        await wait { boxes.phase == .following }
        #expect(numbers(boxes) == [2, 3])
        try await store.write { tx in for number in [0, 4] { try tx.insert(Shelf.Box(number: number)) } }
        await wait { numbers(boxes) != [2, 3] }
        #expect(numbers(boxes) == [2, 3, 4])
    }

    @Test("a live query gives the result of the last of several changes")
    func changes() async {
        let boxes = LiveQuery(Self.ascending, of: store)
        for _ in 1...20 {
            boxes.follow(Self.ascending)
            boxes.follow(Self.great)
        }
        await wait { boxes.phase == .following }
        #expect(numbers(boxes) == [2, 3])
    }

    @Test("a live query ends with the error of its read, and goes on with another query")
    func error() async throws {
        let boxes = LiveQuery(Self.great, of: store)
        await wait { boxes.phase == .following }
        boxes.follow(Self.great.limit(-1))
        await wait { boxes.phase == .ended }
        #expect((boxes.error as? StoreError)?.code == .invalidArgument)
        #expect(numbers(boxes) == [2, 3])
        boxes.follow(Self.ascending)
        #expect(boxes.error == nil)
        await wait { boxes.phase == .following }
        #expect(numbers(boxes) == [1, 2, 3])
    }

    @Test("a live query ends without an error when the store is closed")
    func closing() async throws {
        let boxes = LiveQuery(Self.ascending, of: store)
        await wait { boxes.phase == .following }
        try await store.close()
        await wait { boxes.phase == .ended }
        #expect(boxes.error == nil)
        #expect(numbers(boxes) == [1, 2, 3])
    }
}
