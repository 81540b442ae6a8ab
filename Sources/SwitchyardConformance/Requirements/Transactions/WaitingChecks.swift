internal import Dispatch
internal import Switchyard

/// Requirements T11 and T12 for a write that waits for another one.
enum WaitingChecks {
    static func busy(_ contract: Contract) async throws {
        let store = try await contract.makeStore(busyTimeout: .milliseconds(200))
        try await whileWriting(contract, store) {
            try await contract.expectError(.busy, "a write that waits for one which goes on") {
                try await store.write { try $0.insert(Ticket(number: 1)) }
            }
        }
    }

    static func cancelled(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await whileWriting(contract, store) {
            let isAboutToWait = contract.signal("a task begins a write")
            let waiting = Task {
                isAboutToWait.raise()
                return try await store.write { try $0.insert(Ticket(number: 1)) }
            }
            _ = await isAboutToWait.wait()
            // Nothing shows that it is waiting, but other work of the store gives it the time to start; if it is
            // cancelled before that, it must throw the same error.
            for _ in 0..<20 { _ = try await store.marker() }
            waiting.cancel()
            try await contract.expectError(.cancelled, "a write that is cancelled while it waits") {
                try await waiting.value
            }
        }
    }

    /// Calls `body` while a running write blocks every other one that inserts ticket number 1.
    private static func whileWriting(
        _ contract: Contract, _ store: any Store, _ body: () async throws -> Void
    ) async throws {
        let begun = contract.signal("a write has begun")
        let mayEnd = contract.signal("that write may end")
        let writer = Task {
            try await store.write { tx in
                let ticket = Ticket(number: 1)
                try tx.insert(ticket)
                // An insert may reach the database together with the next operation.
                _ = try tx.find(ticket.id)
                begun.raise()
                // Detects a backend that lets the other write wait forever, without blocking the suite.
                return mayEnd.waitOnThread(atMost: .seconds(20))
            }
        }
        try await contract.wait(for: begun, in: writer)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        mayEnd.raise()
        let wasLetGo = try await writer.value
        try contract.expect(
            wasLetGo, "a write beside one that goes on", expected: "it ends before",
            found: "it waits to the other's end")
        try outcome.get()
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 1, "rows of the write that went on")
    }
}
