internal import Dispatch
internal import Switchyard

/// How a store behaves once it is no longer the one to write to.
enum RoleRequirements {
    static let all: [Requirement] = [
        Requirement(
            "S+role", "a store that has lost its role refuses writes wherever it is open, and can be read"
        ) {
            contract in
            try await oneOpening(contract)
            guard contract.has(.durability) else { return }
            try await manyOpenings(contract)
            try await copies(contract)
        },
        Requirement(
            "S+fence", "once a store has lost its role, no write that had begun before is kept",
            needs: .durability
        ) { contract in
            try await oneWrite(contract)
            try await manyWrites(contract)
        },
        Requirement("S+identity", "a store that is given an identity of its own keeps its rows") { contract in
            try await newIdentity(contract)
        },
    ]

    private static let successor = "postgres://mia:secret@server/family"

    private static func oneOpening(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { try $0.insert(Ticket(number: 1)) }
        try await store.changeRole(to: .superseded, successor: successor)
        let error = try await contract.expectError(.outOfService, "a write to a superseded store") {
            try await store.write { try $0.insert(Ticket(number: 2)) }
        }
        try contract.expectEqual(
            error.successor, "postgres://mia:***@server/family", "the successor that the error names")
        try await contract.expectError(.outOfService, "a role for a store that has lost its own") {
            try await store.changeRole(to: .active)
        }
        let marker = try await store.marker()
        try contract.expectEqual(marker.role, .superseded, "the role in the marker")
        try contract.expectEqual(
            marker.successor, "postgres://mia:***@server/family", "the successor in the marker")
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 1, "the rows of a superseded store")
    }

    private static func newIdentity(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { try $0.insert(Ticket(number: 1)) }
        let before = try await store.marker()
        let id = try await store.takeNewIdentity()
        let after = try await store.marker()
        try contract.expectEqual(after.storeID, id, "the identity in the marker")
        try contract.expectEqual(after.storeID == before.storeID, false, "whether it is the one of before")
        try contract.expectEqual(after.role, .active, "the role of a store with a new identity")
        try await store.write { try $0.insert(Ticket(number: 2)) }
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 2, "the rows of a store with a new identity")
    }

    private static func manyOpenings(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { try $0.insert(Ticket(number: 1)) }
        let other = try await contract.reopen(store)
        try await other.changeRole(to: .retired)
        for (name, store) in [("its own opening", other), ("the other opening", store)] {
            let error = try await contract.expectError(.outOfService, "a write to a retired store by \(name)")
            {
                try await store.write { try $0.insert(Ticket(number: 2)) }
            }
            try contract.expectEqual(error.successor, nil, "the successor of a retired store")
            try contract.expectEqual(
                try await store.read { try $0.count(Ticket.all) }, 1, "its rows for \(name)")
        }
        try await contract.expectError(.outOfService, "opening a retired store for writing") {
            try await contract.reopen(store)
        }
        let reader = try await contract.reopen(store, nil, OpenOptions(access: .readOnly))
        try contract.expectEqual(
            try await reader.read { try $0.count(Ticket.all) }, 1, "its rows when opened for reading")
        try await reader.close()

        let keeper = try await contract.reopen(store, nil, OpenOptions(role: .retired))
        try await keeper.changeRole(to: .active)
        try await keeper.close()
        try await store.write { try $0.insert(Ticket(number: 2)) }
        try contract.expectEqual(
            try await other.read { try $0.count(Ticket.all) }, 2, "the rows once it is in service again")
        try await other.close()
    }

    /// An incomplete copy can be opened only with the role `copying`.
    private static func copies(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.changeRole(to: .copying)
        for options in [OpenOptions(), OpenOptions(access: .readOnly)] {
            try await contract.expectError(
                .incompleteCopy, "opening a copy that is not complete with \(options)"
            ) {
                try await contract.reopen(store, nil, options)
            }
        }
        let copy = try await contract.reopen(store, nil, OpenOptions(role: .copying))
        try await copy.write { try $0.insert(Ticket(number: 1)) }
        try await copy.changeRole(to: .active)
        try await copy.close()
        let complete = try await contract.reopen(store)
        try contract.expectEqual(
            try await complete.read { try $0.count(Ticket.all) }, 1, "the rows of the complete copy")
        try await complete.close()
    }

    /// The role changes while a write is in progress: the write is committed before that, or not at all.
    private static func oneWrite(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let other = try await contract.reopen(store)
        let begun = contract.signal("a write has read the store's role")
        let mayEnd = contract.signal("that write may end")
        let writer = Task {
            try await store.write { tx in
                _ = try tx.count(Ticket.all)
                begun.raise()
                mayEnd.waitOnThread(atMost: .seconds(20))
                try tx.insert(Ticket(number: 1))
            }
        }
        try await contract.wait(for: begun, in: writer)
        let change = Task {
            try await other.changeRole(to: .superseded, successor: successor)
            return try await other.read { try $0.count(Ticket.all) }
        }
        // Nothing shows that it is waiting, if it has to, but a read gives it the time to start.
        for _ in 0..<20 { _ = try await other.marker() }
        mayEnd.raise()
        let count = try await change.value
        do {
            try await writer.value
        } catch let error as StoreError where error.code == .outOfService {}
        try contract.expectEqual(
            try await other.read { try $0.count(Ticket.all) }, count,
            "the rows that there were when the role had been changed")
        try await other.close()
    }

    private static func manyWrites(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let other = try await contract.reopen(store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do {
                        while true { try await store.write { try $0.insert(Note(body: "more")) } }
                    } catch let error as StoreError where error.code == .outOfService {}
                }
            }
            while try await other.read({ try $0.count(Note.all) }) < 20 {}
            try await other.changeRole(to: .superseded)
            let count = try await other.read { try $0.count(Note.all) }
            try await group.waitForAll()
            try contract.expectEqual(
                try await other.read { try $0.count(Note.all) }, count,
                "the rows that there were when the role had been changed beside eight writers")
        }
        try await other.close()
    }
}
