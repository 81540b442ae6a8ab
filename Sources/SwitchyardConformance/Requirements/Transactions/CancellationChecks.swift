internal import Switchyard

/// Requirement T11 for a task that is cancelled in the middle of a transaction: its work ends there, and not only
/// at the commit.
enum CancellationChecks {
    static func verify(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        // More times than a pool has connections, so that losing one each time would show.
        for _ in 0..<20 { try await betweenStatements(contract, store) }
        try await insideInsert(contract, store)
        try await insideRead(contract, store)
        try await insideScan(contract, store)
        try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 0, "rows afterwards")
        try await store.write { try $0.insert(Ticket(number: 1)) }
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 1, "rows of a later write")
        try await WaitingChecks.cancelled(contract)
    }

    private static func betweenStatements(_ contract: Contract, _ store: any Store) async throws {
        try await cancelled(contract, "a write between two statements") { work in
            try await store.write { tx in
                try tx.insert(Ticket(number: 1))
                for number in 2..<1_000 {
                    work.step()
                    try tx.insert(Ticket(number: number))
                }
                work.isDone.raise()
            }
        }
    }

    /// A single statement, as the caller sees it, that keeps receiving rows for as long as it asks for them.
    private static func insideInsert(_ contract: Contract, _ store: any Store) async throws {
        try await cancelled(contract, "an insert of many rows") { work in
            try await store.write { tx in
                try tx.insert(
                    contentsOf: (1..<200_000).lazy.map { number in
                        if number > 1_000 { work.step() }
                        return Ticket(number: number)
                    })
                work.isDone.raise()
            }
        }
    }

    private static func insideRead(_ contract: Contract, _ store: any Store) async throws {
        try await cancelled(contract, "a read of many statements") { work in
            try await store.read { tx in
                for _ in 0..<1_000 {
                    work.step()
                    _ = try tx.count(Ticket.all)
                }
                work.isDone.raise()
            }
        }
    }

    /// A single statement that returns more rows than any backend fetches at once.
    private static func insideScan(_ contract: Contract, _ store: any Store) async throws {
        try await store.write { _ = try $0.insert(contentsOf: (0..<20_000).lazy.map { Note(body: "\($0)") }) }
        try await cancelled(contract, "a read of many rows") { work in
            try await store.read { tx in
                try tx.forEach(Note.all) { _ in work.step() }
                work.isDone.raise()
            }
        }
        try await cancelled(contract, "a write that reads many rows") { work in
            try await store.write { tx in
                try tx.forEachRow(of: "Note") { _ in work.step() }
                work.isDone.raise()
            }
        }
    }

    /// Cancels the task of a transaction at its first step, and expects that it does not reach its last one.
    private static func cancelled(
        _ contract: Contract, _ what: String,
        _ transaction: @escaping @Sendable (Work) async throws -> Void
    ) async throws {
        let work = Work(contract)
        let task = Task { try await transaction(work) }
        try await contract.wait(for: work.hasBegun, in: task)
        task.cancel()
        work.isCancelled.raise()
        try await contract.expectError(.cancelled, "\(what), cancelled") { try await task.value }
        try contract.expect(
            !work.isDone.isRaised, "\(what), cancelled", expected: "it ends there",
            found: "it went on to its last step")
    }
}

/// Work in steps, whose task is cancelled before the first one ends.
private final class Work: Sendable {
    let hasBegun: Signal
    let isCancelled: Signal
    let isDone: Signal

    init(_ contract: Contract) {
        hasBegun = contract.signal("a transaction's work has begun")
        isCancelled = contract.signal("its task is cancelled")
        isDone = contract.signal("the work is done")
    }

    func step() {
        hasBegun.raise()
        isCancelled.waitOnThread()
    }
}
