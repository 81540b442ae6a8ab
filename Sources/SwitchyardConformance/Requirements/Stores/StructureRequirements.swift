internal import Foundation
internal import Switchyard

/// Requirement S2 for a structure that is changed under an open store: no answer is wrong.
enum StructureRequirements {
    static let all: [Requirement] = [
        Requirement("S2+column", "a column that is removed under an open store is a schema mismatch") {
            contract in
            let store = try await contract.makeStore()
            try await fill(store)
            try await answers(contract, store, isWhole: true)
            guard
                try await contract.change(.columnRemoved(entity: "Ticket", attribute: "count"), under: store)
            else { return }
            // Twice, since a stale plan is retried.
            for _ in 0..<2 { try await answers(contract, store, isWhole: false) }
            let found = try await store.check()
            try contract.expect(
                found.contains { $0.contains("Ticket") && $0.contains("count") },
                "what the check finds where a column is missing", expected: "the column, by its name",
                found: "\(found)")
        },
        Requirement("S2+table", "a table that is removed under an open store is a schema mismatch") {
            contract in
            let store = try await contract.makeStore()
            try await fill(store)
            try await answers(contract, store, isWhole: true)
            guard try await contract.change(.entityRemoved("Ticket"), under: store) else { return }
            for _ in 0..<2 { try await answers(contract, store, isWhole: false) }
            try await contract.expectError(.schemaMismatch, "a count of rows whose table is gone") {
                try await store.read { try $0.count(Ticket.all) }
            }
            let found = try await store.check()
            try contract.expect(
                found.contains { $0.contains("Ticket") }, "what the check finds where a table is missing",
                expected: "the table, by its name", found: "\(found)")
        },
    ]

    private static func fill(_ store: any Store) async throws {
        try await store.write { tx in
            _ = try tx.insert(contentsOf: [Ticket(number: 1, count: 5), Ticket(number: 2, count: 6)])
            _ = try tx.insert(Note(body: "other"))
        }
    }

    /// Every kind of query that needs the column; each succeeds while the column exists.
    private static func answers(_ contract: Contract, _ store: any Store, isWhole: Bool) async throws {
        let reads: [(String, @Sendable (ReadTransaction) throws -> Int, Int)] = [
            ("a fetch", { try $0.fetch(Ticket.sorted(by: \.number)).reduce(0) { $0 + $1.count } }, 11),
            ("a fetch of one attribute", { try $0.fetch(Ticket.all, \.count).reduce(0, +) }, 11),
            ("a count by a condition", { try $0.count(Ticket.where(#Predicate { $0.count > 5 })) }, 1),
            ("a sum", { try $0.aggregate(Ticket.all, .sum(\.count)) }, 11),
            ("an order", { try $0.fetch(Ticket.sorted(by: \.count, .descending), \.number).first ?? 0 }, 2),
        ]
        for (what, read, answer) in reads {
            if isWhole {
                try contract.expectEqual(try await store.read { try read($0) }, answer, what)
            } else {
                try await contract.expectError(.schemaMismatch, "\(what) without the column") {
                    try await store.read { try read($0) }
                }
            }
        }
        let writes: [(String, @Sendable (WriteTransaction) throws -> Void)] = [
            ("an insert", { try $0.insert(Ticket(number: 3)) }),
            ("an upsert", { try $0.upsert([Ticket(number: 1, count: 5)], on: \.number) }),
            (
                "an update",
                { try $0.update(Ticket.where(#Predicate { $0.number == 1 }), set: [.set(\.count, to: 5)]) }
            ),
            ("a delete", { try $0.delete(Ticket.where(#Predicate { $0.count > 99 })) }),
        ]
        for (what, write) in writes {
            if isWhole {
                try await store.write { tx in
                    try write(tx)
                    try tx.delete(Ticket.where(#Predicate { $0.number == 3 }))
                }
            } else {
                try await contract.expectError(.schemaMismatch, "\(what) without the column") {
                    try await store.write { try write($0) }
                }
            }
        }
        try contract.expectEqual(
            try await store.read { try $0.fetch(Note.all, \.body) }, ["other"], "rows of another entity")
    }
}
