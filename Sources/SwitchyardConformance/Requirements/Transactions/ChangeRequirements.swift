internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What a backend's driver reports about the rows it changes.
enum ChangeRequirements {
    static let all: [Requirement] = [
        Requirement("T+changes", "every operation can tell which rows it changes, and what they were") {
            contract in
            try await inserts(contract)
            try await updates(contract)
            try await deletes(contract)
            try await upserts(contract)
            try await savepoints(contract)
            try await ids(contract)
        }
    ]

    private struct Undo: Error {}

    /// The changes of a write; those of one operation are in order of their rows' ids.
    private static func changes(
        in store: any Store,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> [RowChange] {
        try await store.write { tx in
            let driver = RecordingDriver(tx.driver, schema: tx.schema)
            try WriteTransaction.run(schema: tx.schema, driver: driver, session: nil, body)
            var changes: [RowChange] = []
            try driver.forEachChange { changes.append($0) }
            return changes
        }
    }

    private static func row(_ ticket: Ticket.ID, number: Int64, count: Int64) -> [StoredValue] {
        [.uuid(ticket.uuid), .int(number), .null, .null, .text(""), .bool(false), .int(count)]
    }

    private static func count(of ticket: Ticket, before count: Int64) -> RowChange {
        RowChange(entity: "Ticket", id: ticket.id.uuid, kind: .update, attributes: [6], before: [.int(count)])
    }

    private static func deleted(_ entity: String, _ id: UUID, _ rest: [StoredValue]) -> RowChange {
        RowChange(
            entity: entity, id: id, kind: .delete, attributes: Array(0...rest.count),
            before: [.uuid(id)] + rest)
    }

    private static func inserts(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        // More than a database accepts in one statement.
        let notes = (0..<200).map { Note(body: "note \($0)") }
        let ticket = Ticket(number: 1)
        let found = try await changes(in: store) { tx in
            try tx.insert(ticket)
            try tx.insert(contentsOf: notes)
        }
        try contract.expectEqual(
            found,
            [RowChange(entity: "Ticket", id: ticket.id.uuid, kind: .insert)]
                + notes.map { RowChange(entity: "Note", id: $0.id.uuid, kind: .insert) },
            "the changes of two inserts")
    }

    private static func updates(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let tickets = (0..<5).map { Ticket(number: $0, count: 10 * $0) }
        try await store.write { try $0.insert(contentsOf: tickets) }
        let found = try await changes(in: store) { tx in
            try tx.update(
                Ticket.where(#Predicate { $0.number < 2 }),
                set: [.set(\.count, to: #Expression { $0.count + 1 })])
            var last = tickets[4]
            last.count = 7
            try tx.update(last)
            try tx.update(Ticket.where(#Predicate { $0.number > 9 }), set: [.set(\.count, to: 0)])
        }
        try contract.expectEqual(
            Set(found), Set([0, 1, 4].map { count(of: tickets[$0], before: Int64(10 * $0)) }),
            "the changes of an update by condition and of one row's")
        try contract.expectEqual(found.count, 3, "the number of these changes")
        try await repeated(contract, in: store, tickets)
    }

    /// What a transaction does to a row several times is one change, or none.
    private static func repeated(
        _ contract: Contract, in store: any Store, _ tickets: [Ticket]
    ) async throws {
        let new = Ticket(number: 77)
        let found = try await changes(in: store) { tx in
            var again = new
            try tx.insert(new)
            again.count = 8
            try tx.update(again)
            try tx.insert(Ticket(number: 78))
            try tx.delete(Ticket.where(#Predicate { $0.number == 78 }))
            for step in [1, 2] {
                try tx.update(
                    Ticket.where(#Predicate { $0.number == 3 }),
                    set: [.set(\.count, to: #Expression { $0.count + step })])
            }
            try tx.update(Ticket.where(#Predicate { $0.number == 4 }), set: [.set(\.count, to: 900)])
            try tx.delete(tickets[4])
            // As it was, whether it is known beforehand or calculated.
            try tx.update(Ticket.where(#Predicate { $0.number == 0 }), set: [.set(\.number, to: 0)])
            for step in [1, -1] {
                try tx.update(
                    Ticket.where(#Predicate { $0.number == 1 }),
                    set: [.set(\.count, to: #Expression { $0.count + step })])
            }
            try tx.delete(tickets[2])
            try tx.insert(Ticket(id: tickets[2].id, number: 2, count: 21))
        }
        try contract.expectEqual(
            Set(found),
            [
                RowChange(entity: "Ticket", id: new.id.uuid, kind: .insert),
                count(of: tickets[3], before: 30), count(of: tickets[2], before: 20),
                deleted(
                    "Ticket", tickets[4].id.uuid, Array(row(tickets[4].id, number: 4, count: 7).dropFirst())),
            ], "the changes of rows that were changed several times")
        try contract.expectEqual(found.count, 4, "the number of these changes")
    }

    private static func deletes(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let (mia, leo) = (Parent(name: "Mia"), Parent(name: "Leo"))
        let (gone, kept) = (CascadeChild(parent: mia.id, size: 3), CascadeChild(parent: leo.id))
        let orphan = NullifyChild(parent: mia.id)
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, leo])
            try tx.insert(contentsOf: [gone, kept])
            try tx.insert(orphan)
        }
        let found = try await changes(in: store) { try $0.delete(mia.id) }
        try contract.expectEqual(
            Set(found),
            [
                deleted("Parent", mia.id.uuid, [.text("Mia")]),
                deleted("CascadeChild", gone.id.uuid, [.uuid(mia.id.uuid), .int(3)]),
                RowChange(
                    entity: "NullifyChild", id: orphan.id.uuid, kind: .update, attributes: [1],
                    before: [.uuid(mia.id.uuid)]),
            ], "the changes of a delete that cascades and nullifies")
        try contract.expectEqual(found.count, 3, "the number of these changes")
        let rest = try await changes(in: store) { try $0.delete(NullifyChild.all) }
        try contract.expectEqual(
            rest, [deleted("NullifyChild", orphan.id.uuid, [.null])],
            "the change of a delete of a row that nobody refers to")
    }

    /// A stored row keeps its id, which the report names.
    private static func upserts(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let present = (0..<3).map { Ticket(number: $0, count: 5) }
        try await store.write { try $0.insert(contentsOf: present) }
        let new = (2..<100).map { Ticket(number: $0, count: 6) }
        let found = try await changes(in: store) { try $0.upsert(new, on: \.number) }
        let expected =
            [count(of: present[2], before: 5)]
            + new.dropFirst().map { RowChange(entity: "Ticket", id: $0.id.uuid, kind: .insert) }
        try contract.expectEqual(Set(found), Set(expected), "the changes of an upsert")
        try contract.expectEqual(found.count, 98, "the number of these changes")

        let more = Ticket.ID().uuid
        let skipped = try await changes(in: store) { tx in
            try tx.insertRows(
                into: "Ticket",
                [row(present[0].id, number: 0, count: 9), row(Ticket.ID(more), number: 500, count: 0)],
                skippingExisting: true)
        }
        try contract.expectEqual(
            skipped, [RowChange(entity: "Ticket", id: more, kind: .insert)],
            "the changes of an insert that leaves out what is there")

        let badge = Badge()
        try await store.write { try $0.insert(badge) }
        let again = try await changes(in: store) { try $0.upsert(Badge(), on: \.holder) }
        try contract.expectEqual(
            again, [], "the changes of an upsert that finds the row of its key, a nil, as it is to be")
    }

    /// A rolled-back operation reports nothing.
    private static func savepoints(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let (first, second) = (Ticket(number: 1), Ticket(number: 2))
        let found = try await changes(in: store) { tx in
            try tx.nested { try tx.insert(first) }
            do {
                try tx.nested {
                    try tx.delete(first)
                    try tx.nested { try tx.insert(Ticket(number: 3)) }
                    throw Undo()
                }
            } catch is Undo {}
            try tx.insert(second)
        }
        try contract.expectEqual(
            found,
            [first, second].map { RowChange(entity: "Ticket", id: $0.id.uuid, kind: .insert) },
            "the changes of a write that was undone in part")
    }

    /// A driver that is only asked for ids reports those.
    private static func ids(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let tickets = (0..<3).map { Ticket(number: $0) }
        try await store.write { try $0.insert(contentsOf: tickets) }
        let (updated, deleted) = try await store.write { tx in
            let entity = try tx.schema.require("Ticket")
            let even = Condition.compare(.attribute("number"), .notEqual, .value(.int(1)))
            var (updated, deleted): ([UUID], [UUID]) = ([], [])
            _ = try tx.driver.update(
                entity, set: [Assignment(attribute: "count", value: .value(.int(10)))], where: even,
                report: ChangeReport(.id) { updated.append(try UUID(from: &$0)) })
            _ = try tx.driver.delete(
                from: entity, where: .compare(.attribute("count"), .greater, .value(.int(1))),
                report: ChangeReport(.id) { deleted.append(try UUID(from: &$0)) })
            return (updated, deleted)
        }
        let expected = [tickets[0], tickets[2]].map(\.id.uuid)
        try contract.expectEqual(updated.sorted(), expected.sorted(), "the ids of an update")
        try contract.expectEqual(deleted.sorted(), expected.sorted(), "the ids of a delete")
    }
}
