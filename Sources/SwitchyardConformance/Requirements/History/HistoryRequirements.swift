internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What a store's history holds, and what its tokens are good for.
enum HistoryRequirements {
    static let all: [Requirement] = [
        Requirement("H1", "each write is one transaction of the history, in the order of the commits") {
            contract in
            try await order(contract)
            try await names(contract)
            try await nothing(contract)
            try await atOnce(contract)
        },
        Requirement("H2", "the history holds every changed row with the values before, of every type") {
            contract in
            try await values(contract)
            try await consequences(contract)
            try await many(contract)
        },
        Requirement("H3", "a token leads to what was committed after it, or is refused") { contract in
            try await tokens(contract)
            try await foreign(contract)
            try await pruned(contract)
        },
        Requirement("H4", "switching the history on or off holds for every opening", needs: .durability) {
            contract in
            try await switching(contract)
        },
    ]

    private struct Stop: Error {}

    /// A new store that keeps a history.
    private static func makeStore(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.keepHistory()
        return store
    }

    private static func history(
        _ store: any Store, after token: HistoryToken? = nil,
        where filter: TransactionFilter = TransactionFilter(),
        limit: Int? = nil
    ) async throws -> [HistoryTransaction] {
        try await store.read { try $0.history(after: token, where: filter, limit: limit) }
    }

    private static func order(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let operation = OperationID()
        let (first, second) = (Ticket(number: 1), Ticket(number: 2))
        try await store.write(WriteOptions(operation: operation, author: "widget")) { try $0.insert(first) }
        try await store.write { try $0.insert(Note(body: "a")) }
        try await store.write(WriteOptions(author: "intent")) { tx in
            try tx.insert(second)
            try tx.delete(Note.all)
        }
        let all = try await history(store)
        try contract.expectEqual(all.map(\.sequence), [1, 2, 3], "the numbers of three transactions")
        try contract.expectEqual(all.map(\.author), ["widget", nil, "intent"], "their authors")
        try contract.expectEqual(all.map(\.operation), [operation, nil, nil], "their operation ids")
        try contract.expectEqual(
            all.map(\.entities), [["Ticket"], ["Note"], ["Ticket", "Note"]], "the entities that they changed")
        try contract.expectEqual(all.map(\.changes.count), [1, 1, 2], "the numbers of their changes")
        try contract.expectEqual(
            Set(all.map(\.fingerprint)), [String(store.schema.fingerprint.prefix(32))],
            "the first half of the fingerprint of their schema")
        try contract.expectEqual(Set(all.map(\.id)).count, 3, "the number of their ids")
        let kinds = try all.map { try $0.changes.all().map(\.kind) }
        try contract.expectEqual(kinds, [[.insert], [.insert], [.insert, .delete]], "what they have done")
        let ids = try all[2].changes.all().map { $0.id(of: Ticket.self) }
        try contract.expectEqual(ids, [second.id, nil], "the tickets that the last one changed")
        try await filters(contract, store)
    }

    /// Authors and devices are text like any other: what no backend can store is refused by all.
    private static func names(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        for author in ["a\u{0}b", "\u{0}"] {
            let error = try await contract.expectError(.valueNotRepresentable, "an author with U+0000") {
                try await store.write(WriteOptions(author: author)) { try $0.insert(Ticket(number: 1)) }
            }
            try contract.expectEqual(error.attribute, "author", "what is refused")
        }
        try contract.expectEqual(try await history(store).count, 0, "the transactions after that")
        try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 0, "the rows after that")
    }

    private static func filters(_ contract: Contract, _ store: any Store) async throws {
        func numbers(_ filter: TransactionFilter, limit: Int? = nil) async throws -> [Int64] {
            try await history(store, where: filter, limit: limit).map(\.sequence)
        }
        try contract.expectEqual(
            try await numbers(TransactionFilter(entities: ["Note"])), [2, 3], "the transactions of one entity"
        )
        try contract.expectEqual(
            try await numbers(TransactionFilter(entities: ["Ticket"]), limit: 1), [1],
            "the first of an entity")
        try contract.expectEqual(
            try await numbers(TransactionFilter(authors: ["intent", "nobody"])), [3], "those of one author")
        let later = Date(timeIntervalSinceNow: 3600)
        try contract.expectEqual(
            try await numbers(TransactionFilter(since: later)), [], "the transactions of the hour to come")
        try contract.expectEqual(
            try await numbers(TransactionFilter(since: later - 7200)), [1, 2, 3], "those of the last hour")
    }

    /// What changes nothing leaves nothing.
    private static func nothing(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let ticket = Ticket(number: 1)
        try await store.write { try $0.insert(ticket) }
        do {
            try await store.write { tx in
                try tx.insert(Ticket(number: 2))
                throw Stop()
            }
        } catch is Stop {}
        try await store.write { try $0.update(ticket) }
        try await store.write { tx in
            _ = try? tx.nested {
                try tx.insert(Ticket(number: 3))
                throw Stop()
            }
        }
        try await store.write { tx in
            let passing = Ticket(number: 4)
            try tx.insert(passing)
            try tx.delete(passing)
        }
        try await store.write { _ = try $0.fetch(Ticket.all) }
        try contract.expectEqual(
            try await history(store).map(\.sequence), [1], "the history after five writes that left nothing")
        try await store.write { tx in
            _ = try? tx.nested {
                try tx.delete(ticket)
                throw Stop()
            }
            try tx.insert(Note(body: "kept"))
        }
        let last = try await history(store).last
        try contract.expectEqual(
            last?.entities, ["Note"], "the entities of a write whose nested part was undone")
        try contract.expectEqual(
            try last?.changes.all().map(\.entity), ["Note"],
            "the changes of a write whose nested part was undone")
    }

    /// Each of several concurrent writers appears once.
    private static func atOnce(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<10 {
                        try await store.write { try $0.insert(Ticket(number: 10 * writer + number)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = try await history(store)
        try contract.expectEqual(all.map(\.sequence), Array(1...80), "the numbers of 80 writes at once")
        let told = try all.flatMap { try $0.changes.all().map(\.id) }
        let tickets = try await store.read { try $0.fetch(Ticket.all).map(\.id.uuid) }
        try contract.expectEqual(told.sorted(), tickets.sorted(), "the rows that they have inserted")
    }

    /// Values of every type, before an update and before a delete.
    private static func values(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let entity = try store.schema.require("Specimen")
        let rows = SampleRows.of(entity)
        try await store.write { try $0.insertRows(into: "Specimen", rows) }
        let blank = rows[0]
        try await store.write { tx in
            for row in rows {
                let assignments = zip(entity.attributes, blank).dropFirst().map {
                    Assignment(attribute: $0.name, value: .value($1))
                }
                try tx.updateRows(
                    of: "Specimen", set: assignments,
                    where: .compare(.attribute("id"), .equal, .value(row[0])))
            }
        }
        try await store.write { try $0.deleteRows(of: "Specimen", where: .constant(true)) }
        let changes = try await history(store).dropFirst().map { try $0.changes.all() }
        try contract.expectEqual(changes.count, 2, "the number of transactions after the first")
        for row in rows {
            guard case .uuid(let id) = row[0] else { continue }
            for (attribute, (value, blank)) in zip(entity.attributes, zip(row, blank)).dropFirst() {
                let updated = changes[0].first { $0.id == id }
                let expected = value == blank ? nil : value
                try contract.expectEqual(
                    updated?.before(attribute.name), expected, "\(attribute.name) before an update")
                let deleted = changes[1].first { $0.id == id }
                try contract.expectEqual(
                    deleted?.before(attribute.name), blank, "\(attribute.name) before a delete")
            }
        }
    }

    /// Rows that change because of others, and rows whose existence only the store knows.
    private static func consequences(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let mia = Parent(name: "Mia")
        let (gone, orphan) = (CascadeChild(parent: mia.id, size: 3), NullifyChild(parent: mia.id))
        let present = Ticket(number: 1, count: 5)
        try await store.write { tx in
            try tx.insert(mia)
            try tx.insert(gone)
            try tx.insert(orphan)
            try tx.insert(present)
        }
        let token = try await store.read { try $0.historyToken() }
        try await store.write { try $0.delete(mia) }
        let new = Ticket(number: 2)
        try await store.write { try $0.upsert([Ticket(number: 1, count: 6), new], on: \.number) }
        try await store.write { tx in
            try tx.update(Ticket.all, set: [.set(\.count, to: #Expression { $0.count * 2 })])
        }
        let after = try await history(store, after: token).map { transaction in
            Dictionary(
                try transaction.changes.all().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        }
        try contract.expectEqual(after.map(\.count), [3, 2, 1], "the numbers of changes")
        try contract.expectEqual(after[0][mia.id.uuid]?.before(\Parent.name), "Mia", "a deleted row's value")
        try contract.expectEqual(
            after[0][gone.id.uuid]?.before(\CascadeChild.size), 3, "a value of a row deleted with it")
        try contract.expectEqual(
            after[0][orphan.id.uuid]?.before(\NullifyChild.parent), mia.id, "a reference that was nullified")
        try contract.expectEqual(
            after[1][present.id.uuid]?.before(\Ticket.count), 5, "a value before an upsert")
        try contract.expectEqual(after[1][new.id.uuid]?.kind, .insert, "what an upsert did to a new row")
        try contract.expectEqual(
            after[2][present.id.uuid]?.before(\Ticket.count), 6, "a value before a calculation")
        try contract.expectEqual(
            after[2][new.id.uuid]?.kind, nil, "the change of a row whose value stayed 0")
    }

    /// More changes than fit into one row of the history.
    private static func many(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let notes = (0..<20_000).map { Note(body: "note \($0)") }
        try await store.write { try $0.insert(contentsOf: notes) }
        try await store.write { _ = try $0.delete(Note.all) }
        try await store.write { try $0.insert(Ticket(number: 1)) }
        let all = try await history(store)
        try contract.expectEqual(all.map(\.changes.count), [20_000, 20_000, 1], "the numbers of changes")
        let inserted = try all[0].changes.all()
        try contract.expectEqual(inserted.map(\.id), notes.map(\.id.uuid), "the ids of many inserted rows")
        let bodies = Dictionary(
            try all[1].changes.all().map { ($0.id, $0.before(\Note.body)) }, uniquingKeysWith: { $1 })
        try contract.expectEqual(
            bodies, Dictionary(notes.map { ($0.id.uuid, $0.body) }, uniquingKeysWith: { $1 }),
            "the values of many deleted rows")
    }

    private static func tokens(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let start = try await store.read { try $0.historyToken() }
        try contract.expectEqual(start.sequence, 0, "the number of the first token")
        for number in 1...100 { try await store.write { try $0.insert(Ticket(number: number)) } }
        let all = try await history(store)
        try contract.expectEqual(all.map(\.sequence), Array(1...100), "the history of 100 writes")
        for (place, transaction) in all.enumerated() where place % 9 == 0 {
            let coded = try JSONDecoder().decode(
                HistoryToken.self, from: try JSONEncoder().encode(transaction.token))
            try contract.expectEqual(
                try await history(store, after: coded, limit: 3).map(\.id),
                all.dropFirst(place + 1).prefix(3).map(\.id), "what follows a token that was kept as JSON")
        }
        let head = try await store.read { try $0.historyToken() }
        try contract.expectEqual(head, all.last?.token, "the token of the last transaction")
        try contract.expectEqual(
            try await history(store, after: start).count, 100, "all after the first token")
        try contract.expectEqual(try await history(store, after: head).count, 0, "all after the last token")
        try await store.stopHistory()
        try await store.write { try $0.insert(Ticket(number: 101)) }
        try contract.expectEqual(
            try await history(store, after: all[49].token).count, 50, "what is kept of a stopped history")
        try await store.keepHistory()
        try await store.write { try $0.insert(Ticket(number: 102)) }
        for token in [start, all[49].token, head] {
            try await contract.expectError(.historyPruned, "a token from before the history was stopped") {
                try await history(store, after: token)
            }
        }
        try contract.expectEqual(
            try await history(store).map(\.sequence), [1], "the history that begins anew")
    }

    /// Tokens of another store, also of one that has as many transactions.
    private static func foreign(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let bare = try await contract.makeStore()
        try await store.write { try $0.insert(Ticket(number: 1)) }
        let token = try await store.read { try $0.historyToken() }
        try await contract.expectError(.unsupported, "the history of a store that never kept one") {
            try await history(bare, after: token)
        }
        try await bare.keepHistory()
        try await bare.write { try $0.insert(Ticket(number: 1)) }
        try await contract.expectError(.historyForeign, "a token of another store") {
            try await history(bare, after: token)
        }
    }

    /// Transactions that are deleted because they are old, or too many.
    private static func pruned(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let notes = (0..<9_000).map { Note(body: "note \($0)") }
        try await store.write { _ = try $0.insert(contentsOf: notes) }
        for number in 2...30 { try await store.write { try $0.insert(Ticket(number: number)) } }
        let all = try await history(store)
        try contract.expectEqual(all.count, 30, "the number of transactions")
        try await contract.expectError(.invalidArgument, "pruning all but a negative number") {
            try await store.pruneHistory(keepingLast: -1)
        }
        let yesterday = Date(timeIntervalSinceNow: -86_400)
        try contract.expectEqual(
            try await store.pruneHistory(since: yesterday), 0, "the transactions older than a day")
        try contract.expectEqual(
            try await store.pruneHistory(keepingLast: 5), 25, "the transactions but the last five")
        try contract.expectEqual(
            try await history(store).map(\.sequence), Array(26...30), "the history after that")
        try contract.expectEqual(
            try await history(store, after: all[24].token).count, 5, "what follows the last one deleted")
        for index in [0, 23] {
            try await contract.expectError(.historyPruned, "a token from before what is kept") {
                try await history(store, after: all[index].token)
            }
        }
        try contract.expectEqual(
            try await store.pruneHistory(keepingLast: 0), 4, "all transactions but the last")
        try await store.write { _ = try $0.delete(Note.all) }
        let rest = try await history(store, after: all[29].token)
        try contract.expectEqual(rest.map(\.sequence), [31], "the history that goes on")
        try contract.expectEqual(rest[0].changes.count, 9_000, "the changes of its first transaction")
        try contract.expectEqual(try rest[0].changes.all().count, 9_000, "those that can be read")
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 29, "the rows, which are untouched")
    }

    private static func switching(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let other = try await contract.reopen(store)
        try await other.write { try $0.insert(Ticket(number: 1)) }
        try await store.keepHistory()
        try await other.write { try $0.insert(Ticket(number: 2)) }
        try await store.write { try $0.insert(Ticket(number: 3)) }
        try contract.expectEqual(
            try await history(other).map(\.sequence), [1, 2], "the history of writes by two openings")
        try await other.stopHistory()
        try await store.write { try $0.insert(Ticket(number: 4)) }
        try contract.expectEqual(
            try await history(store).map(\.sequence), [1, 2], "the history after it was stopped")
        try await store.write { _ = try $0.delete(Ticket.all) }
        try await other.close()
    }
}
