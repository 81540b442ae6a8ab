internal import Dispatch
internal import Switchyard

/// Requirement T4 for connections that break while idle, and at a commit.
enum ConnectionRequirements {
    static let all: [Requirement] = [
        Requirement("T4+idle", "connections that break while nobody uses them are replaced unseen") {
            contract in
            let store = try await contract.makeStoreToCut()
            try await store.write { _ = try $0.insert(Ticket(number: 1)) }
            for number in 2...4 {
                try await warm(contract, store)
                guard try await contract.cutConnections(of: store) else { return }
                try contract.expectEqual(
                    try await store.read { try $0.count(Ticket.all) }, number - 1,
                    "rows of the first read after connections broke")
                try await warm(contract, store)
                guard try await contract.cutConnections(of: store) else { return }
                try await store.write { _ = try $0.insert(Ticket(number: number)) }
            }
            try contract.expectEqual(
                try await store.read { try $0.fetch(Ticket.sorted(by: \.number), \.number) }, [1, 2, 3, 4],
                "rows of writes after connections broke")
        },
        Requirement("T4+commit", "a commit whose connection breaks has happened or not, and the store knows")
        {
            contract in
            for moment in [CommitCut.beforeItIsDone, .afterItIsDone] {
                for hasOperation in [true, false] {
                    guard try await commit(contract, moment, hasOperation: hasOperation) else { return }
                }
            }
        },
    ]

    /// Runs reads concurrently, so that a pool has several connections, all of them fully established.
    private static func warm(_ contract: Contract, _ store: any Store) async throws {
        let arrivals = (1...3).map { contract.signal("read \($0) of three at once has begun") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for arrival in arrivals {
                group.addTask {
                    try await store.read { tx in
                        _ = try tx.count(Note.all)
                        arrival.raise()
                        for other in arrivals { other.waitOnThread(atMost: .seconds(5)) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func commit(
        _ contract: Contract, _ moment: CommitCut, hasOperation: Bool
    ) async throws -> Bool {
        let store = try await contract.makeStoreToCut()
        try await store.write { _ = try $0.insert(Ticket(number: 1)) }
        guard try await contract.cutNextCommit(of: store, moment) else { return false }
        let operation = hasOperation ? OperationID() : nil
        let what = "a write whose connection breaks at the commit, \(moment)"
        var hasReturned = true
        do {
            try await store.write(WriteOptions(operation: operation)) { _ = try $0.insert(Ticket(number: 2)) }
        } catch let error as StoreError {
            hasReturned = false
            if moment == .afterItIsDone || error.code != .connectionLost {
                try contract.expectEqual(error.code, .outcomeUnknown, what)
                try contract.expectEqual(error.operation, operation, "the operation of the error of \(what)")
            }
        }
        let rows = try await store.read { try $0.count(Ticket.all) }
        let isKept = hasReturned || moment == .afterItIsDone
        try contract.expectEqual(rows, isKept ? 2 : 1, "rows after \(what)")
        if let operation {
            try contract.expectEqual(
                try await store.wasCommitted(operation), rows == 2,
                "the outcome of \(what), asked for by its id")
        }
        try await store.write { _ = try $0.insert(Ticket(number: 3)) }
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, rows + 1, "rows of the next write")
        return true
    }
}
