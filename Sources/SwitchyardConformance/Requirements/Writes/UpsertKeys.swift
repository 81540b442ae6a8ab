internal import Switchyard

/// Requirement T5 for keys other than the id: with several attributes, and with nil.
enum UpsertKeys {
    static func verify(_ contract: Contract) async throws {
        try await number(contract)
        try await distinctNils(contract)
        try await equalNils(contract)
    }

    /// A key of one attribute, in batches larger than any that a backend sends at once.
    private static func number(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let first = (0..<700).map { Ticket(number: $0 * 2, gate: "old", count: $0) }
        try await store.write { _ = try $0.insert(contentsOf: first) }
        let given = (0..<1_400).map { Ticket(number: $0, gate: "new \($0)") }
        let last = given.map { Ticket(number: $0.number, gate: "last \($0.number)") }
        let stored = try await store.write { try $0.upsert(given + last, on: \.number) }
        let ids = (0..<1_400).map { $0.isMultiple(of: 2) ? first[$0 / 2].id : last[$0].id }
        try contract.expectEqual(stored.map(\.number), Array(0..<1_400), "the numbers that an upsert gives")
        try contract.expectEqual(stored.map(\.id), ids, "the ids that an upsert gives")
        let found = try await store.read { try $0.fetch(Ticket.sorted(by: \.number)) }
        try contract.expectEqual(found.map(\.id), ids, "the ids after an upsert")
        try contract.expectEqual(
            found.map(\.gate), (0..<1_400).map { "last \($0)" }, "what was set by an upsert")
        try contract.expectEqual(
            found.map(\.count), Array(repeating: 0, count: 1_400), "numbers set to 0 by an upsert")
    }

    /// If nils are distinct, a key that contains nil matches no row.
    private static func distinctNils(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let tickets = [
            Ticket(number: 1, row: "A", seat: 1), Ticket(number: 2, row: "A"), Ticket(number: 3),
        ]
        try await store.write { _ = try $0.insert(contentsOf: tickets) }
        let given = [
            Ticket(number: 11, row: "A", seat: 1), Ticket(number: 12, row: "A"), Ticket(number: 13),
            Ticket(number: 14, row: "", seat: 0),
        ]
        let stored = try await store.write { try $0.upsert(given, on: \.row, \.seat) }
        try contract.expectEqual(
            stored.map(\.id), [tickets[0].id, given[1].id, given[2].id, given[3].id],
            "the ids of an upsert whose key has nils")
        let numbers = try await store.read { try $0.fetch(Ticket.sorted(by: \.number), \.number) }
        try contract.expectEqual(
            numbers, [2, 3, 11, 12, 13, 14], "the numbers after an upsert whose key has nils")
    }

    /// If nils are equal, a key that contains nil matches the row that has it, and not one with 0 or "".
    private static func equalNils(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let keys: [(Int?, String?)] = [(nil, nil), (0, nil), (nil, ""), (0, ""), (1, "x")]
        let places = keys.map { Place(number: $0.0, name: $0.1) }
        try await store.write { _ = try $0.insert(contentsOf: places) }
        let given = keys.reversed().map { Place(number: $0.0, name: $0.1, visits: 7) }
        let stored = try await store.write { try $0.upsert(given, on: \.number, \.name) }
        try contract.expectEqual(
            stored.map(\.id), places.reversed().map(\.id), "the ids of an upsert whose key has equal nils")
        let visits = try await store.read { try $0.fetch(Place.all, \.visits) }
        try contract.expectEqual(
            visits, [7, 7, 7, 7, 7], "what an upsert has set in rows with nils in the key")
    }
}
