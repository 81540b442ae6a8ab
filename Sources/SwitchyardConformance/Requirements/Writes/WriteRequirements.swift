internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements T5 to T10: what a write does to rows.
enum WriteRequirements {
    static let all: [Requirement] = rows + references

    private static let rows: [Requirement] = [
        Requirement("T5", "an upsert names its key, keeps the stored id, and the last of a key wins") {
            contract in
            let store = try await contract.makeStore()
            let first = try await store.write { try $0.insert(Ticket(number: 1, gate: "A")) }
            let stored = try await store.write { tx in
                try tx.upsert(
                    [
                        Ticket(number: 1, gate: "B"), Ticket(number: 2, gate: "C"),
                        Ticket(number: 1, gate: "D"),
                    ], on: \.number)
            }
            try contract.expectEqual(stored.map(\.gate), ["D", "C"], "the rows of the upsert")
            try contract.expectEqual(stored.first?.id, first.id, "the id of the row that was there")
            try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 2, "rows afterwards")
            try await contract.expectError(.unsupported, "an upsert on an attribute that is no key") {
                try await store.write { try $0.upsert([Ticket(number: 3)], on: \.count) }
            }
            try await contract.expectError(.unique, "an upsert that takes another row's second key") {
                try await store.write { tx in
                    try tx.insert(Ticket(number: 8, row: "A", seat: 1))
                    try tx.upsert([Ticket(number: 2, row: "A", seat: 1)], on: \.number)
                }
            }
        },
        Requirement("T6", "nils are distinct in a unique constraint, unless it says otherwise") { contract in
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Ticket(number: 1, row: "A"), Ticket(number: 2, row: "A"),
                    Ticket(number: 3, row: "A", seat: 1),
                ])
            }
            let error = try await contract.expectError(.unique, "a second row A, seat 1") {
                try await store.write { try $0.insert(Ticket(number: 4, row: "A", seat: 1)) }
            }
            try contract.expectEqual(error.entity, "Ticket", "the entity of the error")
            try contract.expectEqual(
                error.constraint, "unique_Ticket_row_seat", "the constraint of the error")
            try await contract.expectError(.unique, "row A, seat 1 for a ticket that had no seat") {
                try await store.write { tx in
                    try tx.update(
                        Ticket.where(#Predicate { $0.number == 2 }), set: [.set(\.seat, to: 1)])
                }
            }
            try await contract.expectError(.unique, "one number for all tickets") {
                try await store.write { try $0.update(Ticket.all, set: [.set(\.number, to: 9)]) }
            }
            try await contract.expectError(.unique, "the number of another ticket") {
                try await store.write { tx in
                    var ticket = try contract.require(
                        try tx.first(Ticket.where(#Predicate { $0.number == 3 })), "ticket 3")
                    ticket.number = 1
                    try tx.update(ticket)
                }
            }
            try await store.write { try $0.insert(contentsOf: [Badge(), Badge(holder: "Mia")]) }
            try await contract.expectError(.unique, "a second badge without holder") {
                try await store.write { try $0.insert(Badge()) }
            }
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Ticket(number: 5, gate: "G"), Ticket(number: 6, gate: "G", isOpen: true),
                ])
            }
            try await contract.expectError(.unique, "a second open ticket at one gate") {
                try await store.write { try $0.insert(Ticket(number: 7, gate: "G", isOpen: true)) }
            }
        },
        Requirement("T9", "a batch of any size is one transaction, and a late fault undoes all of it") {
            contract in
            let store = try await contract.makeStore()
            let count = try await store.write { tx in
                try tx.insert(contentsOf: (0..<20_000).lazy.map { Ticket(number: $0) })
            }
            try contract.expectEqual(count, 20_000, "rows inserted")
            let sum = try await store.read { try $0.fetch(Ticket.all).reduce(0) { $0 + $1.number } }
            try contract.expectEqual(sum, 199_990_000, "the sum of the numbers")
            try await contract.expectError(.unique, "a batch whose last row is there already") {
                try await store.write { tx in
                    try tx.insert(
                        contentsOf: (20_000...25_000).lazy.map { Ticket(number: $0 == 25_000 ? 0 : $0) })
                }
            }
            try contract.expectEqual(
                try await store.read { try $0.count(Ticket.all) }, 20_000, "rows afterwards")
        },
        Requirement("T9+skip", "a batch can leave out the rows whose ids are there already") { contract in
            let store = try await contract.makeStore()
            let ids = (0..<600).map { _ in StoredValue.uuid(OperationID().uuid) }
            @Sendable func rows(_ range: Range<Int>, _ body: String) -> [[StoredValue]] {
                ids[range].map { [$0, .text(body), .null] }
            }
            let (present, all) = (rows(200..<300, "first"), rows(0..<600, "second"))
            try await store.write { try $0.insertRows(into: "Note", present) }
            try await contract.expectError(.unique, "rows that are there already") {
                try await store.write { try $0.insertRows(into: "Note", all) }
            }
            let counts = try await store.write { tx in
                [
                    try tx.insertRows(into: "Note", all, skippingExisting: true),
                    try tx.insertRows(into: "Note", all, skippingExisting: true),
                ]
            }
            try contract.expectEqual(counts, [500, 0], "rows inserted where 100, and then all, were there")
            let bodies = try await store.read { tx in
                [
                    try tx.count(Note.where(#Predicate { $0.body == "first" })),
                    try tx.count(Note.where(#Predicate { $0.body == "second" })),
                ]
            }
            try contract.expectEqual(bodies, [100, 500], "rows as they were, and new ones")
        },
        Requirement("T10", "updating a missing row is notFound, deleting it counts 0") { contract in
            let store = try await contract.makeStore()
            try await contract.expectError(.notFound, "an update of a missing row") {
                try await store.write { try $0.update(Ticket(number: 1)) }
            }
            let missing = Ticket.ID()
            let deleted = try await store.write { try $0.delete(missing) }
            try contract.expectEqual(deleted, 0, "deleted rows")
            let ticket = try await store.write { try $0.insert(Ticket(number: 1, gate: "A")) }
            let changed = try await store.write { tx in
                var ticket = ticket
                ticket.gate = "B"
                try tx.update(ticket)
                return try tx.update(Ticket.where(#Predicate { $0.gate == "B" }), set: [.set(\.row, to: "R")])
            }
            try contract.expectEqual(changed, 1, "rows of an update by predicate")
            try contract.expectEqual(
                try await store.read { try $0.find(ticket.id)?.row }, "R", "the attribute afterwards")
            try contract.expectEqual(try await store.write { try $0.delete(ticket.id) }, 1, "deleted rows")
        },
    ]

    private static let references: [Requirement] = [
        Requirement("T7", "delete rules cascade, nullify, deny and leave alone") { contract in
            try await DeleteRuleChecks.verify(contract)
        },
        Requirement("T8", "references are checked at commit") { contract in
            let store = try await contract.makeStore()
            let parent = Parent(name: "late")
            try await store.write { tx in
                try tx.insert(CascadeChild(parent: parent.id))
                try tx.insert(parent)
            }
            try contract.expectEqual(
                try await store.read { try $0.count(CascadeChild.all) }, 1, "a child before its parent")
            try await contract.expectError(.foreignKey, "a reference to nothing") {
                try await store.write { try $0.insert(CascadeChild(parent: Parent.ID())) }
            }
            let nobody = Parent.ID()
            try await contract.expectError(.foreignKey, "a reference updated to nothing") {
                try await store.write { tx in
                    var child = try contract.require(try tx.first(CascadeChild.all), "the child")
                    child.parent = nobody
                    try tx.update(child)
                }
            }
            try await contract.expectError(.foreignKey, "references of all rows updated to nothing") {
                try await store.write { try $0.update(CascadeChild.all, set: [.set(\.parent, to: nobody)]) }
            }
            try await contract.expectError(.foreignKey, "an upsert that refers to nothing") {
                try await store.write { tx in
                    let child = try tx.fetch(CascadeChild.all).map { CascadeChild(id: $0.id, parent: nobody) }
                    try tx.upsert(child, on: \.id)
                }
            }
            let later = Parent(name: "later")
            try await store.write { tx in
                try tx.update(CascadeChild.all, set: [.set(\.parent, to: later.id)])
                try tx.insert(later)
            }
            try contract.expectEqual(
                try await store.read { try $0.fetch(CascadeChild.all).map(\.parent) }, [later.id],
                "the children's references afterwards")
        },
    ]
}
