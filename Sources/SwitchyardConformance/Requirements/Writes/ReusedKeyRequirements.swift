internal import Foundation
internal import Switchyard

/// Requirement T6 for keys freed by an update or a delete: they can be reused immediately.
enum ReusedKeyRequirements {
    static let all: [Requirement] = [
        Requirement("T6+freed", "a key that is freed can be taken again, in the transaction and after it") {
            contract in
            for (what, way) in ways {
                for inOne in [true, false] { try await check(contract, what, way, inOneTransaction: inOne) }
            }
            try await taken(contract)
        }
    ]

    /// The first ticket has number 1, row A, seat 1, and is open at gate G; the key of the badge and of the place
    /// is nil.
    private static func fill(_ tx: WriteTransaction) throws {
        try tx.insert(contentsOf: [
            Ticket(id: Ticket.ID(BatchSpecimen.id(1)), number: 1, row: "A", seat: 1, gate: "G", isOpen: true),
            Ticket(id: Ticket.ID(BatchSpecimen.id(2)), number: 2, row: "B", seat: 2, gate: "H", isOpen: true),
        ])
        try tx.insert(Badge())
        try tx.insert(Place())
    }

    private struct Way: Sendable {
        let free: @Sendable (WriteTransaction) throws -> Void
        let take: @Sendable (WriteTransaction) throws -> Void
    }

    private static let first = Ticket.where(#Predicate { $0.number == 1 })
    private static let ways: [(String, Way)] = [
        (
            "an id",
            Way {
                try $0.delete(first)
            } take: {
                try $0.insert(
                    Ticket(
                        id: Ticket.ID(BatchSpecimen.id(1)), number: 1, row: "A", seat: 1, gate: "G",
                        isOpen: true))
            }
        ),
        (
            "a number, by a delete",
            Way {
                try $0.delete(first)
            } take: {
                try $0.insert(Ticket(number: 1))
            }
        ),
        (
            "a number, by an update",
            Way {
                try $0.update(first, set: [.set(\.number, to: 9)])
            } take: {
                try $0.update(Ticket.where(#Predicate { $0.number == 2 }), set: [.set(\.number, to: 1)])
            }
        ),
        (
            "a number, by an update of a row",
            Way { tx in
                guard var ticket = try tx.first(first) else { return }
                ticket.number = 9
                try tx.update(ticket)
            } take: {
                try $0.insert(contentsOf: [Ticket(number: 1, gate: "new")])
            }
        ),
        (
            "two attributes, by nil in one",
            Way {
                try $0.update(first, set: [.set(\.seat, to: nil)])
            } take: {
                try $0.insert(Ticket(number: 3, row: "A", seat: 1))
            }
        ),
        (
            "a row that leaves the constraint's filter",
            Way {
                try $0.update(first, set: [.set(\.isOpen, to: false)])
            } take: {
                try $0.insert(Ticket(number: 3, gate: "G", isOpen: true))
            }
        ),
        (
            "the one nil, by an update",
            Way {
                try $0.update(Badge.all, set: [.set(\.holder, to: "")])
            } take: {
                try $0.insert(Badge())
            }
        ),
        (
            "two nils, by a delete",
            Way {
                try $0.delete(Place.all)
            } take: {
                try $0.insert(Place())
            }
        ),
    ]

    private static func check(
        _ contract: Contract, _ what: String, _ way: Way, inOneTransaction: Bool
    ) async throws {
        let store = try await contract.makeStore()
        try await store.write { try fill($0) }
        try await contract.expectError(.unique, "\(what) that is not free") {
            try await store.write { try way.take($0) }
        }
        if inOneTransaction {
            // Twice, because freeing, taking and rolling back must leave everything as it was.
            try await store.write { tx in
                do {
                    try tx.nested {
                        try way.free(tx)
                        try way.take(tx)
                        throw StoreError(.invalidArgument, "undone")
                    }
                } catch let error as StoreError where error.code == .invalidArgument {}
                try way.free(tx)
                try way.take(tx)
            }
        } else {
            try await store.write { try way.free($0) }
            try await store.write { try way.take($0) }
        }
        let rows = try await store.read { tx in
            try ["Ticket", "Badge", "Place"].map { try tx.countRows(of: $0) }.reduce(0, +)
        }
        try contract.expect(
            (4...5).contains(rows), "rows after \(what) was freed and taken", expected: "4 or 5",
            found: "\(rows)")
        try await contract.expectError(.unique, "\(what), freed and taken") {
            // A key that was taken is not free for the rows that had it first.
            try await store.write { tx in
                try tx.insert(
                    Ticket(
                        id: Ticket.ID(BatchSpecimen.id(1)), number: 1, row: "A", seat: 1, gate: "G",
                        isOpen: true))
                try tx.insert(Badge())
                try tx.insert(Place())
            }
        }
        try contract.expectEqual(
            try await store.check(), [], "what the check finds after \(what) was freed and taken")
    }

    /// A key is free only once no row has it: two rows swap theirs through a third value.
    private static func taken(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { try fill($0) }
        try await contract.expectError(.unique, "a swap of two keys, one after the other") {
            try await store.write { tx in
                try tx.update(first, set: [.set(\.number, to: 2)])
                try tx.update(Ticket.where(#Predicate { $0.row == "B" }), set: [.set(\.number, to: 1)])
            }
        }
        let numbers = try await store.write { tx in
            try tx.update(first, set: [.set(\.number, to: -1)])
            try tx.update(Ticket.where(#Predicate { $0.row == "B" }), set: [.set(\.number, to: 1)])
            try tx.update(Ticket.where(#Predicate { $0.row == "A" }), set: [.set(\.number, to: 2)])
            return try tx.fetch(Ticket.sorted(by: \.row), \.number)
        }
        try contract.expectEqual(numbers, [2, 1], "two keys swapped through a third")
    }
}
