internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// How a store with scopes behaves.
enum ScopeRequirements {
    static let all: [Requirement] = [
        Requirement("S7", "rows of one scope are neither seen nor changed in another", needs: .scopes) {
            contract in
            try await separate(contract)
            try await written(contract)
        },
        Requirement("S7+keys", "ids and unique keys hold within one scope", needs: .scopes) { contract in
            try await keys(contract)
        },
        Requirement(
            "S7+references", "references and delete rules hold within one scope, and at the commit",
            needs: .scopes
        ) { contract in
            try await references(contract)
            try await deletes(contract)
        },
        Requirement("S7+operations", "operation ids are kept for each scope", needs: .scopes) { contract in
            try await operations(contract)
        },
        Requirement("S7+all", "a store tells all of its scopes", needs: .scopes) { contract in
            try await held(contract)
        },
        Requirement(
            "S7+several", "a read of several scopes gives their rows as if they were in one", needs: .scopes
        ) { contract in
            try await SeveralScopes.verify(contract)
        },
        Requirement(
            "S7+followers", "a follower of one scope is not told of another's commits", needs: .scopes
        ) { contract in
            try await followers(contract)
        },
        Requirement(
            "S7+kind", "a store with scopes is opened in one, and a store without them in none",
            needs: .scopes
        ) { contract in
            try await kinds(contract)
        },
    ]

    /// A store and two scopes; the store is opened in the first one.
    static func make(_ contract: Contract) async throws -> (any Store, home: StoreScope, away: StoreScope) {
        let (home, away) = (StoreScope(), StoreScope())
        return (try await contract.makeStore(in: home), home, away)
    }

    private static func followers(_ contract: Contract) async throws {
        let (store, home, away) = try await make(contract)
        var changes = store.changes(includingOthers: false, in: home).makeAsyncIterator()
        try await store.write(WriteOptions(scope: away)) { try $0.insert(Note(body: "a")) }
        try await store.write { try $0.insert(Ticket(number: 1)) }
        try contract.expectEqual(
            try await changes.next()?.entities, ["Ticket"],
            "the entities that a follower of one scope learns of")
    }

    private static func separate(_ contract: Contract) async throws {
        let (store, home, away) = try await make(contract)
        let id = Ticket.ID()
        try await store.write { tx in
            try tx.insert(Ticket(id: id, number: 1, gate: "home", count: 1))
            try tx.insert(Ticket(number: 2, gate: "home", count: 1))
        }
        try await store.write(WriteOptions(scope: away)) { tx in
            try contract.expectEqual(tx.scopes, [away], "the scope of a write that names one")
            try contract.expectEqual(try tx.count(Ticket.all), 0, "rows seen in an empty scope")
            try contract.expectEqual(try tx.find(id) == nil, true, "whether another scope's row is not found")
            try tx.insert(Ticket(id: id, number: 1, gate: "away", count: 5))
        }
        let expected = [(home, ["home", "home"], 2), (away, ["away"], 5)]
        for (scope, gates, count) in expected {
            try await store.read(ReadOptions(scopes: [scope])) { tx in
                try contract.expectEqual(tx.scopes, [scope], "the scope of a read that names one")
                try contract.expectEqual(
                    try tx.fetch(Ticket.sorted(by: \.number)).map(\.gate), gates, "the rows fetched")
                try contract.expectEqual(try tx.find(id)?.gate, gates[0], "the row found by its id")
                try contract.expectEqual(try tx.count(Ticket.all), gates.count, "the number of rows")
                try contract.expectEqual(
                    try tx.aggregate(Ticket.all, .sum(\.count)), count, "the sum over the rows")
                try contract.expectEqual(
                    try tx.page(Ticket.all, size: 1).items.map(\.gate), [gates[0]], "the first page")
                let view = try tx.view(of: tx.schema)
                try contract.expectEqual(
                    try view.count(Ticket.all), gates.count, "the number of rows in a view of the schema")
            }
        }
        try contract.expectEqual(
            try await store.read { try $0.fetch(Ticket.all).map(\.gate) }, ["home", "home"],
            "the rows of a read that names no scope")
        guard contract.has(.durability) else { return }
        let other = try await contract.reopen(store, nil, OpenOptions(scope: away))
        try contract.expectEqual(
            try await other.read { try $0.fetch(Ticket.all).map(\.gate) }, ["away"],
            "the rows of a store that is opened in the other scope")
        try contract.expectEqual(try await other.check(), [], "what the check of that scope finds")
        try await other.close()
    }

    private static func written(_ contract: Contract) async throws {
        let (store, home, away) = try await make(contract)
        let ids = (1...4).map { _ in Ticket.ID() }
        for scope in [home, away] {
            try await store.write(WriteOptions(scope: scope)) { tx in
                for (number, id) in zip(1..., ids) { try tx.insert(Ticket(id: id, number: number)) }
            }
        }
        try await store.write { tx in
            try tx.update(Ticket(id: ids[0], number: 1, gate: "changed"))
            try contract.expectEqual(
                try tx.update(Ticket.where(#Predicate { $0.number > 2 }), set: [.set(\.gate, to: "changed")]),
                2,
                "rows updated by a condition")
            _ = try tx.upsert([Ticket(number: 2, gate: "changed")], on: \.number)
            try contract.expectEqual(try tx.delete(ids[3]), 1, "rows deleted by id")
            try contract.expectEqual(
                try tx.fetch(Ticket.sorted(by: \.number)).map(\.gate), ["changed", "changed", "changed"],
                "the rows of the scope")
        }
        func others() async throws -> [String] {
            try await store.read(ReadOptions(scopes: [away])) { tx in
                try tx.fetch(Ticket.sorted(by: \.number)).map { "\($0.number) \($0.gate)" }
            }
        }
        try contract.expectEqual(
            try await others(), ["1 ", "2 ", "3 ", "4 "], "the other scope's rows after updates")
        try contract.expectEqual(
            try await store.write { try $0.delete(Ticket.all) }, 3, "rows deleted of all that are seen")
        try contract.expectEqual(
            try await others(), ["1 ", "2 ", "3 ", "4 "], "the other scope's rows after a delete of all")
    }

    private static func keys(_ contract: Contract) async throws {
        let (store, _, away) = try await make(contract)
        let id = Badge.ID()
        for scope in [nil, away] {
            try await store.write(WriteOptions(scope: scope)) { tx in
                try tx.insert(Badge(id: id, holder: nil))
                try tx.insert(Ticket(number: 1, row: "A", seat: 1, gate: "a", isOpen: true))
            }
            let error = try await contract.expectError(.unique, "a second row with one id in one scope") {
                try await store.write(WriteOptions(scope: scope)) {
                    try $0.insert(Badge(id: id, holder: "b"))
                }
            }
            try contract.expectEqual(error.attribute, "id", "the attribute of the error")
            for (name, ticket) in [
                ("number", Ticket(number: 1)), ("gate", Ticket(number: 2, gate: "a", isOpen: true)),
            ] {
                let error = try await contract.expectError(.unique, "a second row with one \(name)") {
                    try await store.write(WriteOptions(scope: scope)) { try $0.insert(ticket) }
                }
                try contract.expectEqual(error.attribute, name, "the attribute of the error")
            }
            try await contract.expectError(.unique, "a second nil where nils are equal") {
                try await store.write(WriteOptions(scope: scope)) { try $0.insert(Badge(holder: nil)) }
            }
        }
        // Enough rows for every way in which backends write many.
        let many = (0..<3_000).map { Ticket(number: 10 + $0) }
        for scope in [nil, away] {
            try await store.write(WriteOptions(scope: scope)) { _ = try $0.insert(contentsOf: many) }
            let stored = try await store.write(WriteOptions(scope: scope)) { tx in
                try tx.upsert(many.map { Ticket(number: $0.number, count: 1) }, on: \.number)
            }
            try contract.expectEqual(
                stored.map(\.id) == many.map(\.id), true, "whether an upsert has kept the ids of its scope")
        }
    }

    private static func references(_ contract: Contract) async throws {
        let (store, home, away) = try await make(contract)
        let parent = Parent(name: "home")
        try await store.write { try $0.insert(parent) }
        for (name, id) in [("of another scope", parent.id), ("that is nowhere", Parent.ID())] {
            let error = try await contract.expectError(.foreignKey, "a reference to a row \(name)") {
                try await store.write(WriteOptions(scope: away)) { tx in
                    try tx.insert(LooseChild(parent: id))
                    // The reference is checked only at the commit.
                    try contract.expectEqual(try tx.count(LooseChild.all), 1, "rows before the commit")
                }
            }
            try contract.expectEqual(
                [error.entity, error.attribute], ["LooseChild", "parent"], "the place of the error")
        }
        try await store.write(WriteOptions(scope: away)) { tx in
            try tx.insert(LooseChild(parent: parent.id))
            try tx.insert(Parent(id: parent.id, name: "away"))
        }
        let child = try await store.write { try $0.insert(LooseChild(parent: parent.id)) }
        try await contract.expectError(.foreignKey, "an update to a row that is nowhere") {
            try await store.write {
                try $0.update(LooseChild.all, set: [.set(\.parent, to: Parent.ID())])
            }
        }
        try await contract.expectError(.foreignKey, "many references, one of them dangling") {
            try await store.write { tx in
                let children = (0..<2_000).map { LooseChild(parent: $0 == 1_000 ? Parent.ID() : parent.id) }
                _ = try tx.insert(contentsOf: children)
            }
        }
        try await contract.expectError(.foreignKey, "an upsert that refers to nothing") {
            try await store.write { tx in
                _ = try tx.upsert([LooseChild(id: child.id, parent: Parent.ID())], on: \.id)
            }
        }
        // A change that is rolled back, or corrected before the end, is not an error.
        try await store.write { tx in
            try? tx.nested {
                try tx.insert(LooseChild(parent: Parent.ID()))
                throw StoreError(.invalidArgument, "Undone on purpose.")
            }
            try tx.delete(parent.id)
            try tx.insert(Parent(id: parent.id, name: "again"))
        }
        for scope in [home, away] {
            let counts = try await store.read(ReadOptions(scopes: [scope])) { tx in
                [
                    try tx.count(LooseChild.all),
                    try tx.count(Parent.where(#Predicate { $0.loose.contains { _ in true } })),
                    try tx.count(LooseChild.where(#Predicate { $0.parent[\.name] == "away" })),
                ]
            }
            try contract.expectEqual(
                counts, [1, 1, scope == away ? 1 : 0],
                "children, parents with children, and children of a parent called away, of each scope")
        }
    }

    private static func deletes(_ contract: Contract) async throws {
        let (store, _, away) = try await make(contract)
        let (parent, other) = (Parent(name: "p"), Parent(name: "q"))
        let (cascading, nullifying) = (
            CascadeChild(parent: parent.id), NullifyChild(parent: parent.id)
        )
        for scope in [nil, away] {
            try await store.write(WriteOptions(scope: scope)) { tx in
                for parent in [parent, other] { try tx.insert(parent) }
                try tx.insert(cascading)
                try tx.insert(nullifying)
                try tx.insert(LooseChild(parent: other.id))
            }
        }
        try await store.write(WriteOptions(scope: away)) { try $0.insert(DenyChild(parent: parent.id)) }
        try contract.expectEqual(
            try await store.write { try $0.delete(parent.id) }, 1,
            "rows deleted, though a row of another scope has a rule that denies it")
        let left = try await store.read { tx in
            [
                try tx.count(CascadeChild.all),
                try tx.count(NullifyChild.where(#Predicate { $0.parent == nil })),
            ]
        }
        try contract.expectEqual(left, [0, 1], "what a delete has left of children in its scope")
        let untouched = try await store.read(ReadOptions(scopes: [away])) { tx in
            [
                try tx.count(CascadeChild.all),
                try tx.count(NullifyChild.where(#Predicate { $0.parent != nil })),
            ]
        }
        try contract.expectEqual(untouched, [1, 1], "the children in the other scope")
        let error = try await contract.expectError(.foreignKey, "a delete of a row that another refers to") {
            try await store.write { try $0.delete(other.id) }
        }
        try contract.expectEqual(
            [error.entity, error.attribute], ["LooseChild", "parent"], "the place of the error")
        try await store.write { tx in
            try tx.delete(other.id)
            try tx.delete(LooseChild.all)
        }
    }

    private static func operations(_ contract: Contract) async throws {
        let (store, home, away) = try await make(contract)
        let operation = OperationID()
        try await store.write(WriteOptions(operation: operation, scope: away)) { tx in
            try tx.insert(Ticket(number: 1))
        }
        try contract.expectEqual(
            [
                try await store.wasCommitted(operation), try await store.wasCommitted(operation, in: home),
                try await store.wasCommitted(operation, in: away),
            ], [false, false, true], "the outcome asked in its own scope, which is not that of the store")
        try await store.write(WriteOptions(operation: operation)) { try $0.insert(Ticket(number: 1)) }
        try contract.expectEqual(
            try await store.wasCommitted(operation), true, "the outcome of an id that two scopes use")
        for scope in [home, away] {
            try await contract.expectError(.duplicateOperation, "a second write with one id in one scope") {
                try await store.write(WriteOptions(operation: operation, scope: scope)) { _ in }
            }
        }
    }

    private static func held(_ contract: Contract) async throws {
        let scopes = (0..<5).map { _ in StoreScope() }
        let store = try await contract.makeStore(in: scopes[2])
        func held(_ limit: Int) async throws -> [HeldScope] {
            try await store.read { tx in
                var held: [HeldScope] = []
                while true {
                    let part = try tx.driver.maintenance.scopes(after: held.last?.scope, limit: limit)
                    held += part
                    // A harness may have rows in a scope of its own.
                    guard part.count == limit else { return held.filter { scopes.contains($0.scope) } }
                }
            }
        }
        try contract.expectEqual(try await held(10), [], "the scopes of a store without rows")
        // A harness may keep a history from the beginning.
        let keepsHistory = try await store.read { try $0.driver.maintenance.marker().history?.isKept == true }
        // One with rows, one with the id of a write, and one whose rows are gone but not its history.
        try await store.write(WriteOptions(scope: scopes[3])) { tx in
            _ = try tx.insert(contentsOf: [Ticket(number: 1), Ticket(number: 2)])
            try tx.insert(Badge(holder: nil))
        }
        try await store.write(WriteOptions(operation: OperationID(), scope: scopes[1])) { _ in }
        try await store.keepHistory()
        for number in [1, 2] {
            try await store.write(WriteOptions(scope: scopes[4])) { try $0.insert(Ticket(number: number)) }
        }
        try await store.write(WriteOptions(scope: scopes[4])) { _ = try $0.delete(Ticket.all) }
        for limit in [1, 2, 3, 10] {
            try contract.expectEqual(
                try await held(limit).map(\.scope), [scopes[1], scopes[3], scopes[4]],
                "the scopes, \(limit) at a time")
        }
        let last = try await store.read(ReadOptions(scopes: [scopes[4]])) { tx in
            try tx.historyToken().sequence
        }
        try contract.expectEqual(last, 3, "the transactions of one scope")
        let before = try await held(10).map(\.lastOfHistory)
        try contract.expectEqual(
            before.map { $0 == nil }, [true, !keepsHistory, false], "which scopes have no history")
        try await store.write(WriteOptions(scope: scopes[4])) { try $0.insert(Ticket(number: 3)) }
        let after = try await held(10).map(\.lastOfHistory)
        try contract.expectEqual(
            zip(before, after).map { $0 == $1 }, [true, true, false], "which scopes have the same history")
        let heads = try await store.read { try $0.driver.maintenance.heads(of: Set(scopes)) }
        try contract.expectEqual(
            Set(heads.filter { $0.lastOfHistory != nil }),
            Set(try await held(10).filter { $0.lastOfHistory != nil }), "the ends of some scopes' histories")
    }

    private static func kinds(_ contract: Contract) async throws {
        let plain = try await contract.makeStore()
        // A harness may open all of its stores in a scope.
        if try await plain.read({ $0.scopes.isEmpty }) {
            try await contract.expectError(.scopeMismatch, "a read of a scope in a store without them") {
                try await plain.read(ReadOptions(scopes: [StoreScope()])) { try $0.count(Ticket.all) }
            }
            try await contract.expectError(.scopeMismatch, "a write in a scope of a store without them") {
                try await plain.write(WriteOptions(scope: StoreScope())) { try $0.insert(Ticket()) }
            }
            try await contract.expectError(.scopeMismatch, "an outcome in a scope of a store without them") {
                try await plain.wasCommitted(OperationID(), in: StoreScope())
            }
            try await contract.expectError(.scopeMismatch, "rows with their scopes in a store without scopes")
            {
                try await plain.read { try $0.fetchScoped(Ticket.all) }
            }
            if contract.has(.durability) {
                try await contract.expectError(.scopeMismatch, "a store without scopes, opened in one") {
                    try await contract.reopen(plain, nil, OpenOptions(scope: StoreScope()))
                }
            }
        }
        let (store, _, _) = try await make(contract)
        try await contract.expectError(.invalidArgument, "a read of no scopes") {
            try await store.read(ReadOptions(scopes: [])) { try $0.count(Ticket.all) }
        }
        let base = (contract.harness as? ScopedHarness)?.base ?? contract.harness
        guard contract.has(.durability) else { return }
        for access in [OpenOptions.Access.readWrite, .readOnly] {
            try await contract.expectError(.scopeMismatch, "a store with scopes, opened in none") {
                try await base.reopen(
                    Contract.base(of: store), schema: store.schema, options: OpenOptions(access: access),
                    busyTimeout: .seconds(60))
            }
        }
    }
}
