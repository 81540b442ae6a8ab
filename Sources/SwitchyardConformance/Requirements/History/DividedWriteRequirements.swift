internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Writes that are divided into transactions of the history, whose ids, times and origins are given.
enum DividedWriteRequirements {
    static let all: [Requirement] = [
        Requirement("H11", "a write is divided into transactions of the history, with what is told of each") {
            contract in
            try await divided(contract)
            try await large(contract)
            try await times(contract)
            try await refused(contract)
        },
        Requirement("H12", "of a divided write, a transaction that fails leaves the others") { contract in
            try await failures(contract)
            try await references(contract)
            try await duplicates(contract)
        },
        Requirement("H13", "what comes from another store is not undone here, unless it was undone there") {
            contract in
            try await passedOver(contract)
            try await inTheWay(contract)
        },
        Requirement("H14", "the history of a mirrored store is not stopped") { contract in
            try await mirrored(contract)
        },
        Requirement("H15", "a divided write is found again by every opening", needs: .durability) {
            contract in
            try await reopened(contract)
        },
    ]

    private struct Stop: Error {}

    private static func makeStore(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.keepHistory()
        return store
    }

    private static func history(_ store: any Store) async throws -> [HistoryTransaction] {
        try await store.read { try $0.history() }
    }

    private static func numbers(_ store: any Store) async throws -> [Int] {
        try await store.read { try $0.fetch(Ticket.sorted(by: \.number), \.number) }
    }

    /// Microseconds, an hour from now: later than what this test writes itself.
    private static var anHourFromNow: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000) + 3_600_000_000
    }

    private static func record(at time: Int64 = 0, origin: UUID? = UUID()) -> TransactionRecord {
        TransactionRecord(id: UUID(), time: time, origin: origin)
    }

    /// Carries out a transaction; returns nil, or the code of its error.
    private static func outcome(
        _ tx: WriteTransaction, _ record: TransactionRecord, _ body: () throws -> Void
    ) throws -> String? {
        do {
            try tx.transaction(record, body)
            return nil
        } catch let error as StoreError where !error.isRetryable {
            return error.code.description
        } catch is Stop {
            return "stopped"
        }
    }

    private static func divided(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (later, origin, operation) = (anHourFromNow, UUID(), OperationID())
        var first = record(at: later, origin: origin)
        (first.author, first.device) = ("Mia", "phone")
        var second = record(at: later + 1, origin: nil)
        second.device = "tablet"
        let (one, two, empty) = (first, second, record())
        try await store.write(WriteOptions(operation: operation, author: "batch")) { tx in
            try tx.insert(Ticket(number: 1))
            try tx.transaction(one) {
                try tx.insert(Ticket(number: 2))
                try tx.insert(Note(body: "a"))
            }
            try tx.transaction(two) { try tx.update(Ticket.all, set: [.set(\.count, to: 5)]) }
            try tx.transaction(empty) { _ = try tx.update(Ticket.all, set: [.set(\.count, to: 5)]) }
            try tx.insert(Ticket(number: 3))
        }
        let all = try await history(store)
        try contract.expectEqual(all.map(\.sequence), [1, 2, 3, 4], "the numbers of a write's transactions")
        try contract.expectEqual([all[1].id, all[2].id], [one.id, two.id], "the ids that were given")
        try contract.expectEqual(
            [all[1].time, all[2].time], [later, later + 1], "the times that were given")
        try contract.expectEqual(all.map(\.author), ["batch", "Mia", nil, "batch"], "their authors")
        let own = all[0].device
        try contract.expectEqual(all.map(\.device), [own, "phone", "tablet", own], "their devices")
        try contract.expectEqual(
            all.map(\.origin), [nil, origin, nil, nil], "the stores that they come from")
        try contract.expectEqual(
            all.map(\.operation), [operation, nil, nil, operation], "their operation ids")
        try contract.expectEqual(
            all.map(\.entities), [["Ticket"], ["Ticket", "Note"], ["Ticket"], ["Ticket"]],
            "the entities that they changed")
        try contract.expectEqual(all.map(\.changes.count), [1, 2, 2, 1], "the numbers of their changes")
        try contract.expectEqual(
            try await store.read { try $0.history(after: one.id.token(in: $0)).map(\.sequence) }, [3, 4],
            "what follows the first of them")
        let found = try await store.read { tx in
            try [one.id, two.id, empty.id].map { try tx.historyTransaction($0)?.sequence }
        }
        try contract.expectEqual(found, [2, 3, nil], "the transactions that are looked up by their ids")
        try contract.expectEqual(try await store.checkHistory(), [], "the faults of the history")
    }

    /// A transaction whose changes do not fit into its row, between others.
    private static func large(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let records = (0..<3).map { _ in record() }
        let notes = (0..<9_000).map { Note(body: "note \($0)") }
        try await store.write { tx in
            try tx.transaction(records[0]) { _ = try tx.insert(Ticket(number: 1)) }
            try tx.transaction(records[1]) { _ = try tx.insert(contentsOf: notes) }
            try tx.transaction(records[2]) { _ = try tx.insert(Ticket(number: 2)) }
        }
        let all = try await history(store)
        try contract.expectEqual(all.map(\.id), records.map(\.id), "the ids around a large transaction")
        try contract.expectEqual(
            try all.map { try $0.changes.all().count }, [1, 9_000, 1], "the numbers of their changes")
        let id = records[1].id
        let found = try await store.read { try $0.historyTransaction(id)?.changes.all().count }
        try contract.expectEqual(found, 9_000, "the changes of a large transaction that is looked up")
    }

    /// No transaction is told to be older than the one before it.
    private static func times(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let later = anHourFromNow
        for time in [later, later - 10, later + 7, 0] {
            try await store.write { tx in
                try tx.transaction(record(at: time)) { _ = try tx.insert(Note(body: "a")) }
            }
        }
        try await store.write { _ = try $0.insert(Note(body: "b")) }
        try await store.write { _ = try $0.insert(Note(body: "c")) }
        try contract.expectEqual(
            try await history(store).map { $0.time - later }, [0, 0, 7, 7, 7, 7],
            "the times after one that is an hour from now")
    }

    private static func refused(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        var unnamed = record()
        unnamed.author = "a\u{0}b"
        let (nobody, never) = (unnamed, record(at: .max))
        let codes = try await store.write { tx -> [String?] in
            var codes: [String?] = []
            try tx.nested {
                codes.append(try outcome(tx, record()) { _ = try tx.insert(Ticket(number: 1)) })
            }
            try tx.transaction(record()) {
                codes.append(try outcome(tx, record()) { _ = try tx.insert(Ticket(number: 2)) })
                try tx.insert(Ticket(number: 3))
            }
            for refused in [nobody, never] {
                codes.append(try outcome(tx, refused) { _ = try tx.insert(Ticket(number: 4)) })
            }
            return codes
        }
        try contract.expectEqual(
            codes, ["invalidArgument", "invalidArgument", "valueNotRepresentable", "valueNotRepresentable"],
            "transactions within others, and of what cannot be stored")
        try contract.expectEqual(try await numbers(store), [3], "the rows after that")
        let bare = try await contract.makeStore()
        try await contract.expectError(.unsupported, "a divided write where no history was kept") {
            try await bare.write { tx in try tx.transaction(record()) { _ = try tx.insert(Note(body: "a")) } }
        }
        try await store.stopHistory()
        try await contract.expectError(.unsupported, "a divided write where no history is kept any more") {
            try await store.write { tx in
                try tx.transaction(record()) { _ = try tx.insert(Note(body: "a")) }
            }
        }
    }

    private static func failures(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let records = (0..<5).map { _ in record() }
        let nobody = Parent(name: "nobody")
        let codes = try await store.write { tx -> [String?] in
            try tx.insert(Ticket(number: 1))
            return [
                try outcome(tx, records[0]) {
                    _ = try? tx.nested {
                        try tx.insert(Note(body: "undone"))
                        throw Stop()
                    }
                    try tx.insert(Ticket(number: 2))
                },
                try outcome(tx, records[1]) {
                    try tx.insert(Note(body: "lost"))
                    try tx.insert(Ticket(number: 1))
                },
                try outcome(tx, records[2]) {
                    try tx.insert(Note(body: "lost"))
                    try tx.insert(CascadeChild(parent: nobody.id))
                },
                try outcome(tx, records[3]) {
                    try tx.delete(Ticket.all)
                    throw Stop()
                },
                try outcome(tx, records[4]) { _ = try tx.insert(Ticket(number: 3)) },
            ]
        }
        try contract.expectEqual(
            codes, [nil, "unique", "foreignKey", "stopped", nil], "the outcomes of five transactions")
        try contract.expectEqual(try await numbers(store), [1, 2, 3], "the rows of those that were kept")
        let others = try await store.read { try [$0.count(Note.all), $0.count(CascadeChild.all)] }
        try contract.expectEqual(others, [0, 0], "the rows of those that failed")
        let all = try await history(store)
        try contract.expectEqual(
            all.dropFirst().map(\.id), [records[0].id, records[4].id], "the ids of those that were kept")
        try contract.expectEqual(all.map(\.changes.count), [1, 1, 1], "the numbers of their changes")
        let found = try await store.read { tx in
            try records.map { try tx.historyTransaction($0.id) != nil }
        }
        try contract.expectEqual(
            found, [true, false, false, false, true], "whether each was carried out, by its id")
    }

    /// References are checked when each transaction ends.
    private static func references(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (mia, leo) = (Parent(name: "Mia"), Parent(name: "Leo"))
        let (child, other) = (LooseChild(parent: mia.id), LooseChild(parent: leo.id))
        let codes = try await store.write { tx -> [String?] in
            [
                try outcome(tx, record()) {
                    try tx.insert(child)
                    try tx.insert(mia)
                },
                try outcome(tx, record()) { _ = try tx.insert(other) },
                try outcome(tx, record()) { _ = try tx.insert(leo) },
                try outcome(tx, record()) { _ = try tx.delete(mia) },
                try outcome(tx, record()) {
                    try tx.update(LooseChild.all, set: [.set(\.parent, to: Parent(name: "nobody").id)])
                },
            ]
        }
        try contract.expectEqual(
            codes, [nil, "foreignKey", nil, "foreignKey", "foreignKey"],
            "transactions that leave references to what is not there yet, or not any more")
        let found = try await store.read { tx in
            (try tx.fetch(Parent.sorted(by: \.name), \.name), try tx.fetch(LooseChild.all).map(\.parent))
        }
        try contract.expectEqual(found.0, ["Leo", "Mia"], "the rows that are referred to")
        try contract.expectEqual(found.1, [mia.id], "the references that are kept")
        try await store.write { tx in
            try tx.transaction(record()) {
                try tx.delete(mia)
                try tx.delete(child)
            }
        }
        let nobody = Parent(name: "nobody")
        try await contract.expectError(.foreignKey, "a reference that another transaction would make good") {
            try await store.write { tx in
                try tx.insert(LooseChild(parent: nobody.id))
                try tx.transaction(record()) { _ = try tx.insert(nobody) }
            }
        }
        let left = try await store.read { try [$0.count(Parent.all), $0.count(LooseChild.all)] }
        try contract.expectEqual(left, [1, 0], "the rows after that")
        try contract.expectEqual(try await store.check(), [], "the faults of the store")
    }

    /// An id that was carried out before.
    private static func duplicates(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (known, new) = (record(), record())
        let codes = try await store.write { tx -> [String?] in
            [
                try outcome(tx, known) { _ = try tx.insert(Ticket(number: 1)) },
                try outcome(tx, known) { _ = try tx.insert(Ticket(number: 2)) },
                try outcome(tx, new) { _ = try tx.insert(Ticket(number: 3)) },
            ]
        }
        try contract.expectEqual(
            codes, [nil, "duplicateOperation", nil], "an id that is used twice in one write")
        let again = try await store.write { tx -> [String?] in
            let code = try outcome(tx, known) { _ = try tx.insert(Ticket(number: 4)) }
            try tx.insert(Ticket(number: 5))
            return [code]
        }
        try contract.expectEqual(again, ["duplicateOperation"], "an id that another write has used")
        try contract.expectEqual(try await numbers(store), [1, 3, 5], "the rows after that")
        try contract.expectEqual(
            try await history(store).prefix(2).map(\.id), [known.id, new.id], "the ids in the history")
        try contract.expectEqual(try await store.checkHistory(), [], "the faults of the history")
    }

    private static func passedOver(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        func undoable() async throws -> [Int64] {
            try await store.read { try $0.undoable(limit: 10).map(\.sequence) }
        }
        let ticket = Ticket(number: 1)
        try await store.write { _ = try $0.insert(ticket) }
        var foreign = record()
        foreign.device = "phone"
        let (other, own) = (foreign, record(origin: nil))
        try await store.write { tx in
            try tx.transaction(other) { _ = try tx.insert(Ticket(number: 2)) }
            try tx.transaction(own) { _ = try tx.insert(Ticket(number: 3)) }
        }
        try contract.expectEqual(try await undoable(), [3, 1], "what can be undone beside another store's")
        let undone = try await store.undoLast(device: "phone")
        try contract.expectEqual(
            undone?.sequence, nil, "the last transaction of a device that has written elsewhere")
        let first = try contract.require(try await history(store).first, "the first transaction")
        var undo = record()
        undo.undone = first.id
        let foreignUndo = undo
        try await store.write { tx in try tx.transaction(foreignUndo) { _ = try tx.delete(ticket) } }
        try contract.expectEqual(
            try await history(store).last?.undone, first.id, "what an undo from another store has undone")
        try contract.expectEqual(
            try await undoable(), [3], "what can be undone after it was undone elsewhere")
        try await store.undoLast()
        try contract.expectEqual(try await numbers(store), [2], "the rows after the last one was undone")
    }

    private static func inTheWay(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        try await store.write { _ = try $0.insert(Ticket(number: 1)) }
        try await store.write { _ = try $0.update(Ticket.all, set: [.set(\.count, to: 1)]) }
        let other = record()
        try await store.write { tx in
            try tx.transaction(other) { _ = try tx.update(Ticket.all, set: [.set(\.count, to: 2)]) }
        }
        let error = try await contract.expectError(
            .undoConflict, "the undo of what another store has changed"
        ) {
            try await store.undoLast()
        }
        try contract.expectEqual(error.transaction, other.id, "what is in its way")
    }

    private static func mirrored(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await contract.expectError(.unsupported, "a mirror of a store without a history") {
            try await store.setMirrorRole(.server)
        }
        try await store.keepHistory()
        try await store.setMirrorRole(.device(of: UUID()))
        try await contract.expectError(.invalidArgument, "the end of a mirrored store's history") {
            try await store.stopHistory()
        }
        try await store.keepHistory(retention: HistoryRetention(transactions: 1))
        for number in 1...3 { try await store.write { _ = try $0.insert(Ticket(number: number)) } }
        try contract.expectEqual(try await store.pruneHistory(), 2, "what is pruned of it")
        try await store.setMirrorRole(nil)
        try await store.stopHistory()
        try await store.write { _ = try $0.insert(Ticket(number: 4)) }
        try contract.expectEqual(
            try await history(store).map(\.sequence), [3], "the history after the mirror has ended")
    }

    private static func reopened(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (later, origin) = (anHourFromNow, UUID())
        var given = record(at: later, origin: origin)
        (given.author, given.device) = ("Mia", "phone")
        let known = given
        try await store.write { tx in
            try tx.transaction(known) { _ = try tx.insert(Ticket(number: 1)) }
            try tx.insert(Ticket(number: 2))
        }
        try await store.setMirrorRole(.server)
        try await store.close()
        let other = try await contract.reopen(store)
        let found = try await other.read { try $0.historyTransaction(known.id) }
        let transaction = try contract.require(found, "a transaction that is looked up by another opening")
        try contract.expectEqual(transaction.sequence, 1, "its number")
        try contract.expectEqual(transaction.time, later, "its time")
        try contract.expectEqual(
            [transaction.author, transaction.device], ["Mia", "phone"], "its author and its device")
        try contract.expectEqual(transaction.origin, origin, "the store that it comes from")
        let codes = try await other.write { tx -> [String?] in
            let code = try outcome(tx, known) { _ = try tx.insert(Ticket(number: 3)) }
            try tx.insert(Ticket(number: 4))
            return [code]
        }
        try contract.expectEqual(codes, ["duplicateOperation"], "an id that another opening has used")
        try contract.expectEqual(try await numbers(other), [1, 2, 4], "the rows after that")
        try contract.expectEqual(
            try await history(other).map { $0.time - later }, [0, 0, 0], "the times, also of the last write")
        try await contract.expectError(.invalidArgument, "the end of a history that another opening mirrors")
        {
            try await other.stopHistory()
        }
        try await other.close()
    }
}

extension UUID {
    /// The place in the history after the transaction with this id.
    fileprivate func token(in transaction: ReadTransaction) throws -> HistoryToken? {
        try transaction.historyTransaction(self)?.token
    }
}
