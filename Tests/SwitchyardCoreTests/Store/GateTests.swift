import SwitchyardCore
import Testing

@Suite("A gate with a number of places")
struct GateTests {
    /// Keeps a place until it is told to leave it.
    private struct Guest {
        let task: Task<Void, any Error>
        private let leaving: AsyncStream<Void>.Continuation

        /// Returns once the place is taken.
        init(_ gate: Gate) async {
            let (entering, entered) = AsyncStream.makeStream(of: Void.self)
            let (stream, leaving) = AsyncStream.makeStream(of: Void.self)
            self.leaving = leaving
            task = Task {
                try await gate.withTurn {
                    entered.finish()
                    for await _ in stream {}
                }
            }
            for await _ in entering {}
        }

        func leave() async throws {
            leaving.finish()
            try await task.value
        }
    }

    private func wait(until count: Int, at gate: Gate) async {
        while gate.waiting != count { await Task.yield() }
    }

    @Test("lets in as many as it has places, and who waits in the order of their coming")
    func places() async throws {
        let gate = Gate(places: 2)
        let guests = [await Guest(gate), await Guest(gate)]
        let (order, came) = AsyncStream.makeStream(of: Int.self)
        var waiting: [Task<Void, any Error>] = []
        for number in 1...3 {
            waiting.append(Task { try await gate.withTurn { _ = came.yield(number) } })
            await wait(until: number, at: gate)
        }
        try await guests[0].leave()
        for task in waiting { try await task.value }
        came.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == [1, 2, 3])
        try await guests[1].leave()
        #expect(gate.waiting == 0)
    }

    @Test("turns away who is cancelled while waiting, and nobody else")
    func cancelled() async throws {
        let gate = Gate(places: 1)
        let guest = await Guest(gate)
        let waiting = Task { try await gate.withTurn {} }
        await wait(until: 1, at: gate)
        waiting.cancel()
        #expect(await #expect(throws: StoreError.self) { try await waiting.value }?.code == .cancelled)
        try await guest.leave()
        #expect(gate.waiting == 0)
    }

    @Test("turns away who has waited for too long, with the error it was given")
    func timeout() async throws {
        let gate = Gate(places: 1, timeout: (.milliseconds(1), StoreError(.busy, "Too long.")))
        try await gate.withTurn {
            let error = await #expect(throws: StoreError.self) { try await gate.withTurn {} }
            #expect(error?.message == "Too long.")
        }
        #expect(try await gate.withTurn { 7 } == 7)
    }
}
