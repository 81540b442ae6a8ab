import Foundation
import MemoryStore
import Switchyard
import Testing

@Suite("The history of a store in memory")
struct HistoryTests {
    @Test("more transactions are pruned than one step deletes", arguments: [500, 501, 1_250])
    func steps(count: Int) async throws {
        let store = try Nursery.store()
        try await store.keepHistory()
        for badge in 0..<count + 3 { try await store.write { try $0.insert(Baby(badge: badge)) } }
        #expect(try await store.pruneHistory(keepingLast: 3) == count)
        let kept = try await store.read { try $0.history() }
        #expect(kept.map(\.sequence) == (1...3).map { Int64(count + $0) })
        #expect(try await store.read { try $0.count(Baby.all) } == count + 3)
    }
}
