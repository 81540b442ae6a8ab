import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@testable import SwitchyardHistory

@Suite("The history of a store in memory")
struct HistoryTests {
    @Test("pruning deletes more transactions than one step holds", arguments: [500, 501, 1_250])
    func steps(count: Int) async throws {
        let store = try Nursery.store()
        try await store.keepHistory()
        for badge in 0..<count + 3 { try await store.write { try $0.insert(Baby(badge: badge)) } }
        #expect(try await store.pruneHistory(keepingLast: 3) == count)
        let kept = try await store.read { try $0.history() }
        #expect(kept.map(\.sequence) == (1...3).map { Int64(count + $0) })
        #expect(try await store.read { try $0.count(Baby.all) } == count + 3)
    }

    @Test("changed entities are reported for many transactions and for each block of a large one")
    func changedEntities() async throws {
        let store = try Nursery.store()
        try await store.keepHistory()
        let start = try await store.read { try $0.historyToken() }
        #expect(try await store.read { try $0.changedEntities(after: start) } == [])
        for badge in 0..<130 { try await store.write { try $0.insert(Baby(badge: badge)) } }
        let middle = try await store.read { try $0.historyToken() }
        try await store.write { tx in
            // The changes of a block of their own, and then others.
            try tx.insert(contentsOf: (0..<20_000).map { Baby(badge: 1_000 + $0) })
            try tx.insert(Nursery.Room())
        }
        let before = try await store.read { try $0.historyToken() }
        try await store.write { try $0.insert(Baby(badge: 999)) }
        let read = { (token: HistoryToken) in
            try await store.read { tx in (try tx.changedEntities(after: token), try tx.history(after: token))
            }
        }
        for token in [start, middle, before] {
            let (names, transactions) = try await read(token)
            #expect(names == (token == before ? ["Baby"] : ["Baby", "Room"]))
            #expect(names == transactions.reduce(into: []) { $0.formUnion($1.entities) })
        }
    }

    @Test("concurrent undos of the last change each undo another one")
    func undoLastAtOnce() async throws {
        let store = try Nursery.store()
        try await store.keepHistory()
        for badge in 0..<10 { try await store.write { try $0.insert(Baby(badge: badge)) } }
        let undone = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for _ in 0..<6 { group.addTask { try await store.undoLast()?.sequence } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(undone) == Set((5...10).map { Optional(Int64($0)) }))
        #expect(try await store.read { try $0.count(Baby.all) } == 4)
        for _ in 0..<4 { try await store.undoLast() }
        #expect(try await store.undoLast() == nil)
    }

    @Test("an observed read of the history runs again after each commit")
    func observed() async throws {
        let store = try Nursery.store()
        try await store.keepHistory()
        var places = store.observe { try $0.historyToken().sequence }.makeAsyncIterator()
        #expect(try await places.next() == 0)
        try await store.write { try $0.insert(Baby(badge: 1)) }
        #expect(try await places.next() == 1)
    }

    @Test("an observation ends when the store is closed, also if something was committed before")
    func closed() async throws {
        let store = try Nursery.store()
        var counts = store.observe { try $0.count(Baby.all) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await store.write { try $0.insert(Baby(badge: 1)) }
        try await store.close()
        #expect(try await counts.next() == nil)
    }
}
