internal import Switchyard

/// Requirement T4 for a connection that breaks inside a transaction.
enum BrokenTransactionRequirements {
    static let all: [Requirement] = [
        Requirement("T4+statement", "a connection that breaks inside a transaction leaves nothing of it") {
            contract in
            let store = try await contract.makeStoreToCut()
            for what in [Moment.betweenStatements, .insideInsert, .insideSavepoint] {
                guard try await write(contract, store, what) else { return }
            }
            _ = try await read(contract, store)
        }
    ]

    private enum Moment: String {
        case betweenStatements = "between two statements"
        case insideInsert = "inside an insert"
        case insideSavepoint = "inside a savepoint"
    }

    /// Whether the connections could be cut.
    private static func write(_ contract: Contract, _ store: any Store, _ moment: Moment) async throws -> Bool
    {
        let begun = contract.signal("a write is \(moment.rawValue)")
        let isCut = contract.signal("its connection is cut")
        @Sendable func pause() {
            begun.raise()
            isCut.waitOnThread()
        }
        let writer = Task {
            try await store.write { tx in
                try tx.insert(Ticket(number: 1))
                switch moment {
                case .betweenStatements:
                    pause()
                    try tx.insert(Ticket(number: 2))
                    _ = try tx.insert(contentsOf: (3...3_000).lazy.map { Ticket(number: $0) })
                case .insideInsert:
                    _ = try tx.insert(
                        contentsOf: (2...3_000).lazy.map { number in
                            if number == 1_500 { pause() }
                            return Ticket(number: number)
                        })
                case .insideSavepoint:
                    try tx.nested {
                        try tx.insert(Ticket(number: 2))
                        pause()
                        _ = try tx.insert(contentsOf: (3...3_000).lazy.map { Ticket(number: $0) })
                    }
                }
            }
        }
        try await contract.wait(for: begun, in: writer)
        let hasCut = try await contract.cutConnections(of: store)
        isCut.raise()
        let what = "a write whose connection breaks \(moment.rawValue)"
        // A backend that runs the body again meets the contract too.
        var rows = 3_000
        do {
            try await writer.value
        } catch let error as StoreError {
            rows = 0
            try contract.expect(
                [.connectionLost, .serialization].contains(error.code), what,
                expected: "a second run, or the error connectionLost", found: ShownValue.text(error))
        }
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, rows, "the rows after \(what)")
        try await store.write { _ = try $0.delete(Ticket.all) }
        return hasCut
    }

    private static func read(_ contract: Contract, _ store: any Store) async throws {
        try await store.write { _ = try $0.insert(contentsOf: (0..<5_000).map { Ticket(number: $0) }) }
        let begun = contract.signal("a read has its first row")
        let isCut = contract.signal("its connection is cut")
        let reader = Task {
            try await store.read { tx in
                var sum = 0
                try tx.forEach(Ticket.all) { ticket in
                    if !begun.isRaised {
                        begun.raise()
                        isCut.waitOnThread()
                    }
                    sum += ticket.number
                }
                return sum + (try tx.count(Ticket.all))
            }
        }
        try await contract.wait(for: begun, in: reader)
        _ = try await contract.cutConnections(of: store)
        isCut.raise()
        do {
            // The numbers from 0 to 4,999, and the number of rows.
            try contract.expectEqual(
                try await reader.value, 12_497_500 + 5_000, "what a read gives whose connection breaks")
        } catch let error as StoreError {
            try contract.expect(
                error.code == .connectionLost, "a read whose connection breaks",
                expected: "all rows, or the error connectionLost", found: ShownValue.text(error))
        }
        try contract.expectEqual(
            try await store.read { try $0.count(Ticket.all) }, 5_000, "rows of the next read")
    }
}
