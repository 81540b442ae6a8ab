import SwitchyardCore
import Testing

@Suite("A semaphore with a number of permits")
struct AsyncSemaphoreTests {
    /// Keeps a permit until it is told to give it back.
    private struct Holder {
        let task: Task<Void, any Error>
        private let ending: AsyncStream<Void>.Continuation

        /// Returns once it has the permit.
        init(_ semaphore: AsyncSemaphore) async {
            let (entering, entered) = AsyncStream.makeStream(of: Void.self)
            let (stream, ending) = AsyncStream.makeStream(of: Void.self)
            self.ending = ending
            task = Task {
                try await semaphore.withPermit {
                    entered.finish()
                    for await _ in stream {}
                }
            }
            for await _ in entering {}
        }

        func giveBack() async throws {
            ending.finish()
            try await task.value
        }
    }

    private func wait(until count: Int, at semaphore: AsyncSemaphore) async {
        while semaphore.waiting != count { await Task.yield() }
    }

    @Test("a semaphore admits as many tasks as it has permits, and then waiters in order")
    func order() async throws {
        let semaphore = AsyncSemaphore(permits: 2)
        let holders = [await Holder(semaphore), await Holder(semaphore)]
        let (order, came) = AsyncStream.makeStream(of: Int.self)
        var waiting: [Task<Void, any Error>] = []
        for number in 1...3 {
            waiting.append(Task { try await semaphore.withPermit { _ = came.yield(number) } })
            await wait(until: number, at: semaphore)
        }
        try await holders[0].giveBack()
        for task in waiting { try await task.value }
        came.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == [1, 2, 3])
        try await holders[1].giveBack()
        #expect(semaphore.waiting == 0)
    }

    @Test("a semaphore rejects a cancelled waiter, and no other")
    func cancelled() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        let holder = await Holder(semaphore)
        let waiting = Task { try await semaphore.withPermit {} }
        await wait(until: 1, at: semaphore)
        waiting.cancel()
        #expect(await #expect(throws: StoreError.self) { try await waiting.value }?.code == .cancelled)
        try await holder.giveBack()
        #expect(semaphore.waiting == 0)
    }

    @Test("a semaphore rejects a waiter that times out")
    func timeout() async throws {
        let semaphore = AsyncSemaphore(permits: 1, timeout: .milliseconds(1))
        try await semaphore.withPermit {
            let error = await #expect(throws: StoreError.self) { try await semaphore.withPermit {} }
            #expect(error?.code == .busy)
        }
        #expect(try await semaphore.withPermit { 7 } == 7)
    }
}
