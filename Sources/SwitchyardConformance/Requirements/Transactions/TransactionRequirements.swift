internal import Foundation
internal import Switchyard

/// Requirements T1 to T4, T11 and T12: the properties of transactions.
enum TransactionRequirements {
    static let all: [Requirement] = isolation + failure + ending

    private static let isolation: [Requirement] = [
        Requirement("T1", "a read sees one snapshot, and writes are serializable") { contract in
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Ticket(number: 1)) }
            let before = contract.signal("a read has counted")
            let committed = contract.signal("a write beside it is committed")
            let counts = Task {
                try await store.read { tx in
                    let first = try tx.count(Ticket.all)
                    before.raise()
                    committed.waitOnThread()
                    return [first, try tx.count(Ticket.all)]
                }
            }
            try await contract.wait(for: before, in: counts)
            let write = Task { try await store.write { try $0.insert(Ticket(number: 2)) } }
            if contract.has(.concurrentReads) { _ = try await write.value }
            committed.raise()
            try contract.expectEqual(
                try await counts.value, [1, 1], "two counts in one read, with a write between them")
            _ = try await write.value
            try contract.expectEqual(
                try await store.read { try $0.count(Ticket.all) }, 2, "a count afterwards")
        },
        Requirement("T12", "of many writers none loses another's update") { contract in
            let store = try await contract.makeStore()
            let ticket = try await store.write { try $0.insert(Ticket(number: 1)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<10 {
                            try await store.write { tx in
                                var current = try contract.require(try tx.find(ticket.id), "the counter")
                                current.count += 1
                                try tx.update(current)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await store.read { try $0.find(ticket.id)?.count }
            try contract.expectEqual(count, 80, "a counter after 8 writers added 1 ten times each")
        },
        Requirement("T12+busy", "a writer waits for another one for a bounded time, and then is busy") {
            contract in
            try await WaitingChecks.busy(contract)
        },
    ]

    private static let failure: [Requirement] = [
        Requirement("T2", "an error poisons the transaction, and nested work is undone alone") { contract in
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Ticket(number: 1)) }
            try await contract.expectError(.transactionAborted, "a transaction that hides an error") {
                try await store.write { tx in
                    try tx.insert(Ticket(number: 2))
                    _ = try? tx.insert(Ticket(number: 1))
                }
            }
            try await contract.expectError(.transactionAborted, "an operation after an error") {
                try await store.write { tx in
                    _ = try? tx.insert(Ticket(number: 1))
                    _ = try tx.count(Ticket.all)
                }
            }
            try contract.expectEqual(
                try await store.read { try $0.count(Ticket.all) }, 1, "rows after two failures")
            let counts = try await store.write { tx in
                try tx.insert(Ticket(number: 3))
                do {
                    try tx.nested {
                        try tx.insert(Ticket(number: 4))
                        try tx.nested { _ = try tx.insert(Ticket(number: 5)) }
                        try tx.insert(Ticket(number: 1))
                    }
                } catch let error as StoreError where error.code == .unique {}
                return try tx.fetch(Ticket.sorted(by: \.number)).map(\.number)
            }
            try contract.expectEqual(counts, [1, 3], "rows after nested work failed")
            let undone = try await store.write { tx in
                do {
                    try tx.nested {
                        try tx.update(
                            Ticket.where(#Predicate { $0.number == 1 }), set: [.set(\.count, to: 9)])
                        try tx.delete(Ticket.where(#Predicate { $0.number == 3 }))
                        throw Stop()
                    }
                } catch is Stop {}
                return try tx.fetch(Ticket.sorted(by: \.number)).map { [$0.number, $0.count] }
            }
            try contract.expectEqual(
                undone, [[1, 0], [3, 0]], "numbers and counts after a nested update and delete were undone")
            try await contract.expectError(.unique, "an error let out") {
                try await store.write { try $0.insert(Ticket(number: 1)) }
            }
        },
        Requirement("T2+body", "an error of the body undoes everything") { contract in
            let store = try await contract.makeStore()
            do {
                try await store.write { tx in
                    try tx.insert(Ticket(number: 1))
                    throw Stop()
                }
                throw contract.fail("a body that throws", expected: "its own error", found: "none")
            } catch is Stop {}
            try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 0, "rows afterwards")
        },
        Requirement("T2+after", "a transaction used after its body has returned throws") { contract in
            let store = try await contract.makeStore()
            let kept = KeptTransaction()
            try await store.write { tx in kept.keep(tx) }
            try await contract.expectError(.closed, "a count after the end") { try kept.count() }
        },
        // That an id is forgotten after seven days cannot be shown without waiting for them.
        Requirement("T4", "the outcome of a write can be asked for by its id") { contract in
            let store = try await contract.makeStore()
            let (kept, undone) = (OperationID(), OperationID())
            try await store.write(WriteOptions(operation: kept)) { try $0.insert(Ticket(number: 1)) }
            try await contract.expectError(.unique, "a write that fails") {
                try await store.write(WriteOptions(operation: undone)) { try $0.insert(Ticket(number: 1)) }
            }
            try contract.expectEqual(try await store.wasCommitted(kept), true, "the outcome of the first")
            try contract.expectEqual(try await store.wasCommitted(undone), false, "the outcome of the second")
            try await contract.expectError(
                .duplicateOperation, "a write under the id of one that was committed"
            ) {
                try await store.write(WriteOptions(operation: kept)) { try $0.insert(Ticket(number: 2)) }
            }
            try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 1, "rows afterwards")
            try await store.write(WriteOptions(operation: undone)) { try $0.insert(Ticket(number: 2)) }
            try contract.expectEqual(
                try await store.wasCommitted(undone), true, "the outcome of the second, tried again")
            guard contract.has(.durability) else { return }
            let again = try await contract.reopen(store)
            let outcomes = [
                try await again.wasCommitted(kept), try await again.wasCommitted(undone),
                try await again.wasCommitted(OperationID()),
            ]
            try await again.close()
            try contract.expectEqual(
                outcomes, [true, true, false],
                "the outcomes of both and of an unknown one, in the store opened again")
        },
    ]

    private static let ending: [Requirement] = [
        Requirement("T3", "a transaction that lost to another is run again from its start") { contract in
            try await OverlapChecks.verify(contract)
        },
        Requirement("T11", "a cancelled task's transaction is undone, and the store goes on") { contract in
            try await CancellationChecks.verify(contract)
        },
        Requirement("T+main", "a body runs off the main thread, also if the main actor waits for it") {
            contract in
            let store = try await contract.makeStore()
            try contract.expectEqual(
                try await threads(store), [false, false], "whether a write's and a read's body were on it")
        },
        Requirement("T+tasks", "bodies that compute for long keep no task from running") { contract in
            try await verifyThatTasksRun(contract)
        },
    ]

    /// Runs several reads at once that compute until a task has run.
    ///
    /// They may take all threads of the queues that a system shares with tasks, if it has no more cores.
    private static func verifyThatTasksRun(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let hasBegun = contract.signal("a read begins to compute")
        let hasRun = contract.signal("a task runs meanwhile")
        let readers = (0..<4).map { _ in
            Task {
                try await store.read { _ in
                    hasBegun.raise()
                    let end = ContinuousClock.now + .seconds(20)
                    while !hasRun.isRaised, .now < end {}
                    return hasRun.isRaised
                }
            }
        }
        _ = await hasBegun.wait()
        hasRun.raise()
        for reader in readers {
            try contract.expect(
                try await reader.value, "a task beside reads that compute", expected: "it runs",
                found: "it waits until they end")
        }
    }

    /// Whether the bodies of a write and of a read that the main actor waits for run on the main thread.
    @MainActor
    private static func threads(_ store: any Store) async throws -> [Bool] {
        let write = try await store.write { tx in
            try tx.insert(Ticket(number: 1))
            return Thread.isMainThread
        }
        return [write, try await store.read { _ in Thread.isMainThread }]
    }
}

/// An error that a body throws itself.
private struct Stop: Error {}
