internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// A follower of a store learns of its commits.
enum ObservationRequirements {
    static let all: [Requirement] = [
        Requirement(
            "L1", "a follower of a store learns of each commit, and of the entities that it changed"
        ) {
            contract in
            try await changes(contract)
            try await quiet(contract)
            try await closing(contract)
        },
        Requirement("L2", "an observed read gives its result whenever it has changed, and only then") {
            contract in
            try await results(contract)
            try await related(contract)
            try await burst(contract)
        },
        Requirement(
            "L3", "commits of another opening are noticed where a history is kept", needs: .durability
        ) { contract in
            try await others(contract)
        },
    ]

    private struct Stop: Error {}

    private static func changes(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        var changes = store.changes().makeAsyncIterator()
        try await store.write { try $0.insert(Ticket(number: 1)) }
        try contract.expect(
            try await changes.next()?.entities?.contains("Ticket") != false, "the change of a ticket",
            expected: "it names the entity", found: "others")
        try await store.write { tx in
            try tx.insert(Note(body: "a"))
            try tx.delete(Ticket.all)
        }
        try await store.write { try $0.insert(Parent(name: "Mia")) }
        var told: Set<String> = []
        let expected: Set<String> = ["Note", "Ticket", "Parent"]
        while !told.isSuperset(of: expected) {
            guard let change = try await changes.next() else { break }
            told.formUnion(change.entities ?? expected)
        }
        try contract.expectEqual(
            told.intersection(expected), expected, "the entities of two commits that came together")
    }

    /// What changes nothing is not told: the next change is the next commit's.
    private static func quiet(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { try $0.insert(Ticket(number: 1)) }
        var results = store.observe { try $0.count(Ticket.all) }.makeAsyncIterator()
        try contract.expectEqual(try await results.next(), 1, "the first result")
        do {
            try await store.write { tx in
                try tx.insert(Ticket(number: 2))
                throw Stop()
            }
        } catch is Stop {}
        try await store.write { try $0.insert(Note(body: "a")) }
        try await store.write { try $0.insert(contentsOf: [Ticket(number: 3), Ticket(number: 4)]) }
        try contract.expectEqual(
            try await results.next(), 3, "the result after a write that was undone and one of another entity")
    }

    private static func closing(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let following = Task {
            var count = 0
            for try await _ in store.changes() { count += 1 }
            return count
        }
        try await store.close()
        try contract.expectEqual(try await following.value, 0, "the changes of a store that is closed")
    }

    private static func results(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let (first, second) = (Ticket(number: 1), Ticket(number: 2))
        var numbers = store.observe { tx in
            try tx.fetch(Ticket.all.sorted(by: \.number)).map(\.number)
        }.makeAsyncIterator()
        try contract.expectEqual(try await numbers.next(), [], "the first result")
        try await store.write { try $0.insert(first) }
        try contract.expectEqual(try await numbers.next(), [1], "the result after an insert")
        try await store.write { tx in
            try tx.insert(second)
            try tx.update(Ticket(id: first.id, number: 5))
        }
        try contract.expectEqual(try await numbers.next(), [2, 5], "the result after two changes")
        // An update of what the body does not return.
        try await store.write { tx in
            try tx.update(Ticket.where(#Predicate { $0.number == 5 }), set: [.set(\.count, to: 9)])
        }
        try await store.write { _ = try $0.delete(Ticket.where(#Predicate { $0.number == 2 })) }
        try contract.expectEqual(try await numbers.next(), [5], "the result after a delete")
    }

    /// A read that depends on rows of another entity, by its condition alone.
    private static func related(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let mia = Parent(name: "Mia")
        try await store.write { try $0.insert(mia) }
        let condition = Condition.exists(relationship: "cascading", .constant(true))
        var parents = store.observe { try $0.countRows(of: "Parent", where: condition) }.makeAsyncIterator()
        try contract.expectEqual(try await parents.next(), 0, "the parents with children")
        try await store.write { try $0.insert(CascadeChild(parent: mia.id)) }
        try contract.expectEqual(try await parents.next(), 1, "those after a child was born")
    }

    /// A slow consumer gets the newest result, not each of them.
    private static func burst(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        var counts = store.observe { try $0.count(Ticket.all) }.makeAsyncIterator()
        try contract.expectEqual(try await counts.next(), 0, "the first result")
        for number in 1...50 { try await store.write { try $0.insert(Ticket(number: number)) } }
        try contract.expectEqual(try await counts.next(), 50, "the result after 50 commits")
    }

    private static func others(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.keepHistory()
        let other = try await contract.reopen(store)
        var counts = store.observe { try $0.count(Ticket.all) }.makeAsyncIterator()
        try contract.expectEqual(try await counts.next(), 0, "the first result")
        for number in 1...20 { try await other.write { try $0.insert(Ticket(number: number)) } }
        var last = 0
        while last < 20, let count = try await counts.next() { last = count }
        try contract.expectEqual(last, 20, "the last result after 20 commits of another opening")
        try await other.close()
    }
}
