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
        in store: any Store, _ content: ChangeReport.Content = .rowBefore,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> [RowChange] {
        try await store.write { tx in
            let driver = RecordingDriver(tx.driver, schema: tx.schema, content: content)
            try WriteTransaction.run(schema: tx.schema, driver: driver, fence: nil, body)
            return driver.changes
        }
    }

    private static func row(_ ticket: Ticket.ID, number: Int64, count: Int64) -> [StoredValue] {
        [.uuid(ticket.uuid), .int(number), .null, .null, .text(""), .bool(false), .int(count)]
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
        func change(_ index: Int) -> RowChange {
            RowChange(
                entity: "Ticket", id: tickets[index].id.uuid, kind: .update,
                before: row(tickets[index].id, number: Int64(index), count: Int64(10 * index)))
        }
        try contract.expectEqual(
            Set(found.prefix(2)), [change(0), change(1)], "the changes of an update by condition")
        try contract.expectEqual(Array(found.dropFirst(2)), [change(4)], "the change of one row's update")
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
                RowChange(
                    entity: "Parent", id: mia.id.uuid, kind: .delete,
                    before: [.uuid(mia.id.uuid), .text("Mia")]),
                RowChange(
                    entity: "CascadeChild", id: gone.id.uuid, kind: .delete,
                    before: [.uuid(gone.id.uuid), .uuid(mia.id.uuid), .int(3)]),
                RowChange(
                    entity: "NullifyChild", id: orphan.id.uuid, kind: .update,
                    before: [.uuid(orphan.id.uuid), .uuid(mia.id.uuid)]),
            ], "the changes of a delete that cascades and nullifies")
        try contract.expectEqual(found.count, 3, "the number of these changes")
        let rest = try await changes(in: store) { try $0.delete(NullifyChild.all) }
        try contract.expectEqual(
            rest,
            [
                RowChange(
                    entity: "NullifyChild", id: orphan.id.uuid, kind: .delete,
                    before: [.uuid(orphan.id.uuid), .null])
            ], "the change of a delete of a row that nobody refers to")
    }

    /// A stored row keeps its id, which the report names.
    private static func upserts(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let present = (0..<3).map { Ticket(number: $0, count: 5) }
        try await store.write { try $0.insert(contentsOf: present) }
        let new = (2..<100).map { Ticket(number: $0, count: 6) }
        let found = try await changes(in: store) { try $0.upsert(new, on: \.number) }
        let expected =
            [
                RowChange(
                    entity: "Ticket", id: present[2].id.uuid, kind: .update,
                    before: row(present[2].id, number: 2, count: 5))
            ] + new.dropFirst().map { RowChange(entity: "Ticket", id: $0.id.uuid, kind: .insert) }
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
            again,
            [
                RowChange(
                    entity: "Badge", id: badge.id.uuid, kind: .update, before: [.uuid(badge.id.uuid), .null])
            ], "the change of an upsert whose key is nil, of which there is one")
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
            "the changes of a write of which a part was undone")
    }

    /// A report of ids contains no values.
    private static func ids(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let tickets = (0..<3).map { Ticket(number: $0) }
        try await store.write { try $0.insert(contentsOf: tickets) }
        let updated = try await changes(in: store, .id) { tx in
            try tx.update(
                Ticket.where(#Predicate { $0.number != 1 }),
                set: [.set(\.count, to: #Expression { $0.count + 10 })])
        }
        try contract.expectEqual(
            Set(updated),
            Set([tickets[0], tickets[2]].map { RowChange(entity: "Ticket", id: $0.id.uuid, kind: .update) }),
            "the ids of an update")
        let deleted = try await changes(in: store, .id) {
            try $0.delete(Ticket.where(#Predicate { $0.count > 1 }))
        }
        try contract.expectEqual(
            Set(deleted),
            Set([tickets[0], tickets[2]].map { RowChange(entity: "Ticket", id: $0.id.uuid, kind: .delete) }),
            "the ids of a delete")
    }
}
