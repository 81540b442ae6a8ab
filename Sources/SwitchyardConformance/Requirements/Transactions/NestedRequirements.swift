internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement T2 for nested savepoints: each rolls back its own work and that inside it, and nothing else.
enum NestedRequirements {
    static let all: [Requirement] = [
        Requirement("T2+deep", "savepoints three deep are kept and undone each by itself") { contract in
            try await depths(contract)
            try await everyOperation(contract)
            try await siblings(contract)
        }
    ]

    private struct Undo: Error {}

    /// Runs a savepoint, and rolls it back at its end if `isKept` is false.
    private static func nested(
        _ tx: WriteTransaction, isKept: Bool, _ body: () throws -> Void
    ) throws {
        do {
            try tx.nested {
                try body()
                if !isKept { throw Undo() }
            }
        } catch is Undo {}
    }

    /// Three savepoints, each kept or rolled back: which of the numbers inserted at the four depths, before and
    /// after the inner savepoint, exist at the end.
    private static func depths(_ contract: Contract) async throws {
        let expected: [(kept: [Bool], numbers: [Int])] = [
            ([true, true, true], [0, 1, 2, 3, 12, 11, 10]), ([true, true, false], [0, 1, 2, 12, 11, 10]),
            ([true, false, true], [0, 1, 11, 10]), ([true, false, false], [0, 1, 11, 10]),
            ([false, true, true], [0, 10]), ([false, true, false], [0, 10]),
            ([false, false, true], [0, 10]),
            ([false, false, false], [0, 10]),
        ]
        let store = try await contract.makeStore()
        for (kept, numbers) in expected {
            let seen = try await store.write { tx in
                try tx.delete(Ticket.all)
                var seen: [[Int]] = []
                func look() throws { seen.append(try tx.fetch(Ticket.sorted(by: \.number), \.number)) }
                func level(_ depth: Int) throws {
                    try tx.insert(Ticket(number: depth))
                    guard depth < 3 else { return try look() }
                    try nested(tx, isKept: kept[depth]) { try level(depth + 1) }
                    try look()
                    try tx.insert(Ticket(number: 10 + depth))
                }
                try level(0)
                try look()
                return seen
            }
            let what = kept.map { $0 ? "kept" : "undone" }.joined(separator: ", ")
            // The reads inside: after the innermost insert, and after the end of each savepoint.
            let inside = [
                [0, 1, 2, 3], kept[2] ? [0, 1, 2, 3] : [0, 1, 2],
                kept[1] ? (kept[2] ? [0, 1, 2, 3, 12] : [0, 1, 2, 12]) : [0, 1],
            ]
            try contract.expectEqual(Array(seen.prefix(3)), inside, "rows read inside savepoints \(what)")
            try contract.expectEqual(
                seen.last, numbers.sorted(), "rows at the end of savepoints \(what)")
            try contract.expectEqual(
                try await store.read { try $0.fetch(Ticket.sorted(by: \.number), \.number) },
                numbers.sorted(),
                "rows after the commit of savepoints \(what)")
        }
    }

    /// Each kind of write at the second depth, rolled back by the first and by the second savepoint.
    private static func everyOperation(_ contract: Contract) async throws {
        let writes: [(String, @Sendable (WriteTransaction) throws -> Void)] = [
            (
                "an insert of many rows",
                { tx in _ = try tx.insert(contentsOf: (10..<400).map { Ticket(number: $0) }) }
            ),
            (
                "an update",
                { tx in _ = try tx.update(Ticket.all, set: [.set(\.count, to: 9), .set(\.row, to: nil)]) }
            ),
            ("a delete", { tx in _ = try tx.delete(Ticket.all) }),
            (
                "an upsert",
                { tx in _ = try tx.upsert([Ticket(number: 1, gate: "new"), Ticket(number: 9)], on: \.number) }
            ),
            ("a cascade", { tx in _ = try tx.delete(Parent.all) }),
            (
                "a key that is freed and taken",
                { tx in
                    try tx.delete(Ticket.where(#Predicate { $0.number == 1 }))
                    try tx.insert(Ticket(number: 1, gate: "other"))
                }
            ),
        ]
        for (what, write) in writes {
            for undone in [1, 2] {
                let store = try await contract.makeStore()
                try await store.write { tx in
                    let mia = try tx.insert(Parent(name: "Mia"))
                    try tx.insert(contentsOf: [CascadeChild(parent: mia.id), CascadeChild()])
                    _ = try tx.insert(contentsOf: [Ticket(number: 1, row: "A", gate: "G"), Ticket(number: 2)])
                }
                let before = try await contents(store)
                try await store.write { tx in
                    try nested(tx, isKept: undone != 1) {
                        try tx.nested { _ = try tx.count(Ticket.all) }
                        try nested(tx, isKept: undone != 2) { try write(tx) }
                    }
                    // A key freed inside is used again.
                    try tx.nested {
                        try tx.insert(Ticket(number: 3))
                        try tx.delete(Ticket.where(#Predicate { $0.number == 3 }))
                    }
                }
                try contract.expectEqual(
                    try await contents(store), before,
                    "the rows after \(what) two savepoints deep and a rollback to the \(undone == 1 ? "outer" : "inner")"
                )
                try await contract.expectError(.unique, "a key that an undone savepoint had freed") {
                    try await store.write { try $0.insert(Ticket(number: 1)) }
                }
            }
        }
    }

    private static func contents(_ store: any Store) async throws -> String {
        try await store.read { tx in
            try CanonicalJSON.text(
                try ["Ticket", "Parent", "CascadeChild"].map { try tx.fetchRows(of: $0) })
        }
    }

    /// Consecutive savepoints at one depth, with errors of the store inside and a read after each.
    private static func siblings(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let counts = try await store.write { tx in
            var counts: [Int] = []
            for number in 0..<40 {
                do {
                    try tx.nested {
                        try tx.insert(Ticket(number: number))
                        try tx.nested { _ = try tx.insert(Ticket(number: 1_000 + number)) }
                        // The second of the two already exists.
                        if number.isMultiple(of: 2) { try tx.insert(Ticket(number: number)) }
                    }
                } catch let error as StoreError where error.code == .unique {}
                counts.append(try tx.count(Ticket.all))
            }
            return counts
        }
        try contract.expectEqual(
            counts, (0..<40).map { ($0 + 1) / 2 * 2 }, "rows after each of 40 savepoints, every other undone")
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 40, "rows after 40 savepoints")
    }
}
