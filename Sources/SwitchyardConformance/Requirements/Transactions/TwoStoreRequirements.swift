internal import Dispatch
internal import Switchyard

/// Requirement T12 for two stores on one place, as in two processes.
enum TwoStoreRequirements {
    static let all: [Requirement] = [
        Requirement(
            "T12+stores", "of two stores on one place the second write waits and sees the first's rows",
            needs: .durability
        ) { contract in
            let first = try await contract.makeStore()
            let second = try await contract.reopen(first)
            try await waiting(contract, first, second)
            try await counting(contract, first, second)
            try await reading(contract, first, second)
            try await second.close()
        },
        Requirement("T12+lock", "a lock that another process holds is waited for, for a bounded time") {
            contract in
            try await bounded(contract)
            try await released(contract)
        },
    ]

    /// Both change the same row, so that no backend can put the second before the first.
    private static func waiting(
        _ contract: Contract, _ first: any Store, _ second: any Store
    ) async throws {
        let row = try await first.write { try $0.insert(Ticket(number: 1)) }
        let begun = contract.signal("a store's write has changed a row")
        let mayEnd = contract.signal("that write may end")
        let isAboutToWait = contract.signal("the other store begins a write")
        @Sendable func addOne(_ tx: WriteTransaction) throws -> Int {
            var ticket = try contract.require(try tx.find(row.id), "the row of both writes")
            ticket.count += 1
            return try tx.update(ticket).count
        }
        let writer = Task {
            try await first.write { tx in
                let count = try addOne(tx)
                begun.raise()
                mayEnd.waitOnThread(atMost: .seconds(20))
                return count
            }
        }
        try await contract.wait(for: begun, in: writer)
        let waiter = Task {
            isAboutToWait.raise()
            return try await second.write { try addOne($0) }
        }
        _ = await isAboutToWait.wait()
        // Nothing shows that it is waiting, but a read gives it the time to start.
        for _ in 0..<20 { _ = try await second.marker() }
        mayEnd.raise()
        try contract.expectEqual(
            [try await writer.value, try await waiter.value], [1, 2],
            "what the first store's write and the second's have counted")
        for (name, store) in [("first", first), ("second", second)] {
            let count = try await store.read { try $0.find(row.id)?.count }
            try contract.expectEqual(count, 2, "the count afterwards in the \(name) store")
        }
    }

    private static func counting(
        _ contract: Contract, _ first: any Store, _ second: any Store
    ) async throws {
        let counter = try await first.write { try $0.insert(Ticket(number: 3)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in [first, second, first, second] {
                group.addTask {
                    for _ in 0..<10 {
                        try await store.write { tx in
                            var ticket = try contract.require(try tx.find(counter.id), "the counter")
                            ticket.count += 1
                            try tx.update(ticket)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = [
            try await first.read { try $0.find(counter.id)?.count },
            try await second.read { try $0.find(counter.id)?.count },
        ]
        try contract.expectEqual(counts, [40, 40], "a counter that two stores have added to")
    }

    /// A read that begins after a write has returned sees that write, in either store.
    private static func reading(
        _ contract: Contract, _ first: any Store, _ second: any Store
    ) async throws {
        for number in 0..<10 {
            let (writer, reader) = number.isMultiple(of: 2) ? (first, second) : (second, first)
            try await writer.write { _ = try $0.insert(Note(body: "\(number)")) }
            let bodies = try await reader.read { try $0.fetch(Note.all, \.body) }
            try contract.expectEqual(
                Set(bodies), Set((0...number).map { "\($0)" }), "rows read after the other store's write")
        }
    }

    private static func bounded(_ contract: Contract) async throws {
        let store = try await contract.makeStore(busyTimeout: .milliseconds(200))
        try await store.write { _ = try $0.insert(Ticket(number: 1)) }
        let isDone = try await contract.whileLocked(store) {
            try await contract.expectError(.busy, "a write while another process holds the lock") {
                try await store.write { try $0.insert(Ticket(number: 2)) }
            }
            if contract.has(.concurrentReads) {
                try contract.expectEqual(
                    try await store.read { try $0.count(Ticket.all) }, 1,
                    "rows read while another process holds the lock")
            }
        }
        guard isDone else { return }
        try await store.write { _ = try $0.insert(Ticket(number: 3)) }
        let numbers = try await store.read { try $0.fetch(Ticket.sorted(by: \.number), \.number) }
        try contract.expectEqual(numbers, [1, 3], "rows once the other process has let go")
    }

    private static func released(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let isAboutToWait = contract.signal("a write meets the lock of another process")
        let write = Task {
            _ = await isAboutToWait.wait()
            return try await store.write { try $0.insert(Ticket(number: 1)).number }
        }
        let isDone = try await contract.whileLocked(store) {
            isAboutToWait.raise()
            for _ in 0..<20 { _ = try await store.marker() }
        }
        isAboutToWait.raise()
        try contract.expectEqual(
            try await write.value, 1, isDone ? "a write that waited for a lock which was let go" : "a write")
    }
}
