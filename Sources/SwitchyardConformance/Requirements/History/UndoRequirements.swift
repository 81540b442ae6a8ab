internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Taking transactions of the history back.
enum UndoRequirements {
    static let all: [Requirement] = [
        Requirement("H5", "a transaction is undone as a whole, and an undo likewise") { contract in
            try await undone(contract)
            try await exchanged(contract)
            try await many(contract)
            try await lastOnes(contract)
        },
        Requirement("H6", "what came later is in the way of an undo, which then changes nothing") {
            contract in
            try await laterValues(contract)
            try await undoneAlready(contract)
            try await laterRows(contract)
            try await laterReference(contract)
            try await refused(contract)
        },
    ]

    private static func makeStore(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.keepHistory()
        return store
    }

    private static func last(_ store: any Store) async throws -> HistoryTransaction? {
        try await store.read { tx in
            var last: HistoryTransaction?
            try tx.forEachTransactionBackwards { transaction in
                last = transaction
                return false
            }
            return last
        }
    }

    /// All rows of a store, by entity.
    private static func rows(_ store: any Store) async throws -> [String: [[StoredValue]]] {
        try await store.read { tx in
            Dictionary(
                uniqueKeysWithValues: try tx.schema.entities.map { ($0.name, try tx.fetchRows(of: $0.name)) })
        }
    }

    /// Undoes the last transaction and undoes the undo, and looks at the rows each time.
    private static func requireUndo(
        _ contract: Contract, _ store: any Store, _ what: String,
        _ write: @escaping @Sendable (WriteTransaction) throws -> Void
    )
        async throws
    {
        let before = try await rows(store)
        try await store.write(write)
        let after = try await rows(store)
        let transaction = try contract.require(try await last(store), "the transaction of \(what)")
        try await store.undo(transaction, WriteOptions(author: "undo"))
        try contract.expectEqual(try await rows(store), before, "the rows after \(what) was undone")
        let undo = try contract.require(try await last(store), "the transaction of the undo")
        try contract.expectEqual(undo.undone, transaction.id, "what the undo of \(what) has undone")
        try contract.expectEqual(undo.author, "undo", "who undid \(what)")
        try await store.undo(undo)
        try contract.expectEqual(try await rows(store), after, "the rows after \(what) was redone")
    }

    private static func undone(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (mia, leo) = (Parent(name: "Mia"), Parent(name: "Leo"))
        try await store.write { tx in
            try tx.insert(contentsOf: [mia, leo])
            try tx.insert(contentsOf: [mia.id, mia.id, leo.id].map { CascadeChild(parent: $0, size: 1) })
            try tx.insert(contentsOf: [mia.id, leo.id].map { NullifyChild(parent: $0) })
            try tx.insert(contentsOf: (1...5).map { Ticket(number: $0, count: $0) })
        }
        try await requireUndo(contract, store, "a delete that cascades and nullifies") {
            _ = try $0.delete(mia)
        }
        try await requireUndo(contract, store, "an update by condition") { tx in
            try tx.update(
                Ticket.where(#Predicate { $0.number > 2 }),
                set: [.set(\.count, to: #Expression { $0.count * 10 })])
        }
        try await requireUndo(contract, store, "an upsert") { tx in
            try tx.upsert([3, 4, 9].map { Ticket(number: $0, count: 99) }, on: \.number)
        }
        try await requireUndo(contract, store, "an insert, an update and a delete") { tx in
            try tx.delete(Ticket.where(#Predicate { $0.number == 1 }))
            try tx.update(Ticket.where(#Predicate { $0.number == 2 }), set: [.set(\.number, to: 1)])
            try tx.insert(Ticket(number: 2))
        }
    }

    /// Rows that have taken unique values from each other.
    private static func exchanged(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let tickets = (1...3).map { Ticket(number: $0, row: "A", seat: $0) }
        try await store.write { try $0.insert(contentsOf: tickets) }
        try await requireUndo(contract, store, "an exchange of unique values") { tx in
            for (number, index) in [(10, 0), (1, 1), (2, 2), (3, 0)] {
                var ticket = tickets[index]
                ticket.number = number
                try tx.update(ticket)
            }
        }
        try await store.write { tx in
            try tx.update(Ticket.all, set: [.set(\.gate, to: "north")])
            try tx.update(Ticket.where(#Predicate { $0.seat == 1 }), set: [.set(\.isOpen, to: true)])
        }
        try await requireUndo(contract, store, "an exchange of a place in a filtered constraint") { tx in
            for (seat, isOpen) in [(1, false), (2, true)] {
                try tx.update(
                    Ticket.where(#Predicate { $0.seat == seat }), set: [.set(\.isOpen, to: isOpen)])
            }
        }
    }

    private static func many(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let notes = (0..<5_000).map { Note(body: "note \($0)") }
        try await requireUndo(contract, store, "an insert of many rows") {
            _ = try $0.insert(contentsOf: notes)
        }
        try await requireUndo(contract, store, "an update of many rows") {
            _ = try $0.update(Note.all, set: [.set(\.body, to: "same")])
        }
        try await requireUndo(contract, store, "a delete of many rows") {
            _ = try $0.delete(Note.all)
        }
    }

    /// Repeated undos go from the newest change to the oldest, skip undos, and undo a change twice only after a redo.
    private static func lastOnes(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        for number in 1...3 {
            try await store.write(WriteOptions(author: number == 2 ? "widget" : "app")) {
                try $0.insert(Ticket(number: number))
            }
        }
        func undoable(_ author: String? = nil) async throws -> [Int64] {
            try await store.read { try $0.undoable(author: author, limit: 10).map(\.sequence) }
        }
        func undoLast(_ author: String? = nil) async throws {
            let last = try await store.read { try $0.lastUndoable(author: author) }
            try await store.undo(try contract.require(last, "a transaction to undo"))
        }
        try contract.expectEqual(try await undoable(), [3, 2, 1], "what can be undone")
        try contract.expectEqual(try await undoable("widget"), [2], "what can be undone of one author's")
        try await undoLast("widget")
        try contract.expectEqual(try await undoable(), [3, 1], "what can be undone after one was")
        try await undoLast()
        try await undoLast()
        try contract.expectEqual(try await undoable(), [], "what can be undone after all were")
        try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 0, "the rows left")
        let undo = try contract.require(try await last(store), "the last undo")
        try await store.undo(undo)
        try contract.expectEqual(try await undoable(), [1], "what can be undone after one was redone")
    }

    private static func expectConflict(
        _ contract: Contract, _ store: any Store, _ transaction: HistoryTransaction,
        by later: HistoryTransaction?, _ what: String
    ) async throws {
        let before = try await rows(store)
        let error = try await contract.expectError(.undoConflict, "the undo of \(what)") {
            try await store.undo(transaction)
        }
        if let later {
            try contract.expectEqual(error.transaction, later.id, "what is in the way of \(what)")
        }
        try contract.expectEqual(try await rows(store), before, "the rows after the undo of \(what)")
    }

    private static func laterValues(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        var ticket = Ticket(number: 1, count: 1)
        try await store.write { [ticket] in _ = try $0.insert(ticket) }
        let insert = try contract.require(try await last(store), "an insert")
        ticket.count = 2
        try await store.write { [ticket] in _ = try $0.update(ticket) }
        let first = try contract.require(try await last(store), "an update")
        try await store.write { tx in
            try tx.update(Ticket.all, set: [.set(\.gate, to: "north")])
        }
        let other = try contract.require(try await last(store), "an update of another attribute")
        try await store.write { tx in try tx.update(Ticket.all, set: [.set(\.count, to: 3)]) }
        let second = try contract.require(try await last(store), "a second update")
        try await expectConflict(contract, store, first, by: second, "an update of what was updated again")
        try await expectConflict(contract, store, insert, by: nil, "an insert of what was updated since")
        try await store.write { tx in try tx.update(Ticket.all, set: [.set(\.count, to: 2)]) }
        let same = try contract.require(try await last(store), "an update to the same value again")
        try await expectConflict(
            contract, store, first, by: same, "an update of what was set to the same again")
        try await store.undo(same)
        try await store.undo(second)
        try await store.undo(first)
        let found = try await store.read { [ticket] tx in try tx.find(ticket.id) }
        try contract.expectEqual(found?.count, 1, "a value after two undos")
        try contract.expectEqual(found?.gate, "north", "a value that neither of them concerns")
        try await store.undo(other)
        try await store.undo(insert)
        try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 0, "the rows left")
    }

    private static func laterRows(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let mia = Parent(name: "Mia")
        try await store.write { _ = try $0.insert(mia) }
        let insert = try contract.require(try await last(store), "an insert")
        for (child, kind) in [("cascade", 0), ("nullify", 1), ("neither", 2)] {
            try await store.write { tx in
                switch kind {
                case 0: try tx.insert(CascadeChild(parent: mia.id))
                case 1: try tx.insert(NullifyChild(parent: mia.id))
                default: try tx.insert(LooseChild(parent: mia.id))
                }
            }
            let reference = try contract.require(try await last(store), "a reference")
            try await expectConflict(
                contract, store, insert, by: reference, "a row with a later reference (\(child))")
            try await store.undo(reference)
        }
        try await store.write { _ = try $0.delete(mia) }
        let delete = try contract.require(try await last(store), "a delete")
        try await expectConflict(contract, store, insert, by: delete, "an insert of a row that was deleted")
        try await store.write { _ = try $0.insert(mia) }
        let again = try contract.require(try await last(store), "a second insert")
        try await expectConflict(contract, store, delete, by: again, "a delete of a row that is there again")
        try await deletedAgain(contract, store)
        let taken = Ticket(number: 7)
        try await store.write { _ = try $0.insert(taken) }
        try await store.write { _ = try $0.delete(taken) }
        let freed = try contract.require(try await last(store), "a delete of a unique value")
        try await store.write { _ = try $0.insert(Ticket(number: 7)) }
        try await contract.expectError(.unique, "the undo of a delete whose unique value was taken") {
            try await store.undo(freed)
        }
    }

    /// A row that came back by an undo, and was deleted again: by the undo of that, or by another transaction.
    private static func deletedAgain(_ contract: Contract, _ store: any Store) async throws {
        var ticket = Ticket(number: 6, count: 1)
        try await store.write { [ticket] in _ = try $0.insert(ticket) }
        try await store.write { [ticket] in _ = try $0.delete(ticket) }
        let delete = try contract.require(try await last(store), "a delete")
        try await store.undo(delete)
        try await store.undo(try contract.require(try await last(store), "the undo of a delete"))
        let redo = try contract.require(try await last(store), "a delete done again")
        try await store.undo(delete)
        ticket.count = 2
        try await store.write { [ticket] in _ = try $0.update(ticket) }
        try await store.write { [ticket] in _ = try $0.delete(ticket) }
        let other = try contract.require(try await last(store), "another delete")
        for transaction in [delete, redo] {
            try await expectConflict(
                contract, store, transaction, by: other,
                "a delete of a row that another one has deleted since")
        }
        try await store.undo(other)
        let found = try await store.read { [ticket] tx in try tx.find(ticket.id) }
        try contract.expectEqual(found?.count, 2, "a value of a row whose last delete was undone")
    }

    /// A row that the transaction has changed, and that refers only since then to another one that would go.
    private static func laterReference(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (mia, child) = (Parent(name: "Mia"), CascadeChild(size: 1))
        try await store.write { _ = try $0.insert(child) }
        try await store.write { tx in
            try tx.insert(mia)
            try tx.update(CascadeChild.all, set: [.set(\.size, to: 2)])
        }
        let insert = try contract.require(try await last(store), "an insert beside an update")
        try await store.write { tx in try tx.update(CascadeChild.all, set: [.set(\.parent, to: mia.id)]) }
        let reference = try contract.require(try await last(store), "a reference")
        try await expectConflict(
            contract, store, insert, by: reference, "a row that one changed with it refers to since")
    }

    /// A transaction that is undone and whose value has come back since, from one before it.
    private static func undoneAlready(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        try await store.write { try $0.insert(Ticket(number: 1, count: 2)) }
        var updates: [HistoryTransaction] = []
        for count in [1, 2] {
            try await store.write { _ = try $0.update(Ticket.all, set: [.set(\.count, to: count)]) }
            updates.append(try contract.require(try await last(store), "an update"))
        }
        for update in updates.reversed() { try await store.undo(update) }
        let undo = try contract.require(try await last(store), "the undo of the update before")
        try contract.expectEqual(undo.undone, updates[0].id, "what it has undone")
        try await expectConflict(contract, store, updates[1], by: undo, "an update that is undone already")
        let ticket = Ticket(number: 2)
        try await store.write { try $0.insert(ticket) }
        try await store.write { try $0.delete(ticket) }
        let delete = try contract.require(try await last(store), "a delete")
        try await store.write { try $0.insert(ticket) }
        let again = try contract.require(try await last(store), "a second insert")
        try await store.undo(again)
        try await store.undo(delete)
        let back = try contract.require(try await last(store), "the undo of a delete")
        try await expectConflict(contract, store, again, by: back, "an insert that is undone already")
    }

    private static func refused(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let other = try await makeStore(contract)
        try await other.write { _ = try $0.insert(Ticket(number: 1)) }
        let foreign = try contract.require(try await last(other), "a transaction of another store")
        try await contract.expectError(.historyForeign, "the undo of another store's transaction") {
            try await store.undo(foreign)
        }
        try await other.stopHistory()
        try await contract.expectError(.unsupported, "an undo where no history is kept") {
            try await other.undo(foreign)
        }
    }
}
