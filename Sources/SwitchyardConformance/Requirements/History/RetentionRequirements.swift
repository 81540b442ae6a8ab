internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// How much of its history a store keeps, and for whom.
enum RetentionRequirements {
    static let all: [Requirement] = [
        Requirement("H7", "a consumer's place in the history is kept with the write that notes it") {
            contract in
            try await registered(contract)
            try await refused(contract)
            try await unseen(contract)
        },
        Requirement(
            "H8", "pruning goes by the store's own retention, and leaves what a consumer has yet to read"
        ) { contract in
            try await retained(contract)
            try await held(contract)
            try await begunAgain(contract)
        },
    ]

    private struct Stop: Error {}

    /// A store with a history of some tickets, one for each transaction.
    private static func makeStore(_ contract: Contract, tickets: Int = 0) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.keepHistory()
        if tickets > 0 {
            for number in 1...tickets { try await store.write { try $0.insert(Ticket(number: number)) } }
        }
        return store
    }

    private static func history(_ store: any Store) async throws -> [HistoryTransaction] {
        try await store.read { try $0.history() }
    }

    /// The places after each transaction; fails unless they have the expected number.
    private static func tokens(
        _ contract: Contract, _ store: any Store, _ count: Int
    ) async throws -> [HistoryToken] {
        let tokens = try await history(store).map(\.token)
        try contract.expectEqual(tokens.count, count, "the number of transactions in the history")
        return tokens
    }

    private static func setToken(
        _ token: HistoryToken, of name: String, in store: any Store
    ) async throws {
        try await store.write { try $0.setHistoryToken(token, ofConsumer: name) }
    }

    private static func registered(_ contract: Contract) async throws {
        let store = try await makeStore(contract, tickets: 3)
        let tokens = try await tokens(contract, store, 3)
        try contract.expectEqual(
            try await store.read { try $0.historyConsumers() }, [], "the consumers of a new history")
        try await store.write { tx in
            try tx.insert(Note(body: "indexed"))
            try tx.setHistoryToken(tokens[0], ofConsumer: "index")
        }
        try await setToken(tokens[2], of: "Mirror", in: store)
        do {
            try await store.write { tx in
                try tx.setHistoryToken(tokens[1], ofConsumer: "index")
                try tx.setHistoryToken(tokens[1], ofConsumer: "lost")
                throw Stop()
            }
        } catch is Stop {}
        try await store.write { tx in
            _ = try? tx.nested {
                try tx.setHistoryToken(tokens[2], ofConsumer: "index")
                throw Stop()
            }
        }
        let consumers = try await store.read { try $0.historyConsumers() }
        try contract.expectEqual(consumers.map(\.name), ["Mirror", "index"], "the names of two consumers")
        try contract.expectEqual(
            consumers.map(\.token), [tokens[2], tokens[0]], "their tokens, after two that were undone")
        try await store.write { tx in
            try tx.setHistoryToken(tokens[1], ofConsumer: "index")
            let token = try tx.historyToken(ofConsumer: "index")
            try contract.expectEqual(token, tokens[1], "a token within the write that has set it")
            try tx.setHistoryToken(tokens[2], ofConsumer: "index")
        }
        try await setToken(tokens[0], of: "Mirror", in: store)
        let found = try await store.read { tx in
            try ["index", "Mirror", "INDEX"].map { try tx.historyToken(ofConsumer: $0) }
        }
        try contract.expectEqual(found, [tokens[2], tokens[0], nil], "the tokens that were set again")
        let removed = try await store.write { tx in
            try ["Mirror", "Mirror"].map { try tx.removeHistoryConsumer($0) }
        }
        try contract.expectEqual(removed, [true, false], "whether a consumer was removed, twice")
        try contract.expectEqual(
            try await store.read { try $0.historyConsumers().map(\.name) }, ["index"], "the consumers left")
        try contract.expectEqual(try await store.check(), [], "the faults of a store with a consumer")
    }

    private static func refused(_ contract: Contract) async throws {
        let store = try await makeStore(contract, tickets: 2)
        let bare = try await contract.makeStore()
        let token = try await store.read { try $0.historyToken() }
        try await contract.expectError(.unsupported, "a consumer of a history that was never kept") {
            try await setToken(token, of: "index", in: bare)
        }
        try await bare.keepHistory()
        try await contract.expectError(.historyForeign, "a consumer's token of another store") {
            try await setToken(token, of: "index", in: bare)
        }
        let json = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
        let ahead = try JSONDecoder().decode(
            HistoryToken.self, from: Data(json.replacing("\"sequence\":2", with: "\"sequence\":3").utf8))
        try contract.expectEqual(ahead.sequence, 3, "the number of a token that was altered")
        try await contract.expectError(.historyAhead, "a consumer's token ahead of the history") {
            try await setToken(ahead, of: "index", in: store)
        }
        try await contract.expectError(.invalidArgument, "a consumer without a name") {
            try await setToken(token, of: "", in: store)
        }
        try await contract.expectError(.valueNotRepresentable, "a consumer with a name that is too long") {
            try await setToken(token, of: String(repeating: "x", count: 5_000), in: store)
        }
        let first = try await tokens(contract, store, 2)[0]
        try await setToken(first, of: "index", in: store)
        try await store.write { try $0.insert(Ticket(number: 3)) }
        try await store.pruneHistory(keepingLast: 1, leavingConsumersBehind: true)
        try await contract.expectError(.historyPruned, "a consumer's token from before what is kept") {
            try await setToken(first, of: "other", in: store)
        }
        try contract.expectEqual(
            try await store.read { try $0.historyConsumers().map(\.name) }, ["index"],
            "the consumers after tokens that were refused")
    }

    /// A consumer's place is not announced to followers; it can only be read.
    private static func unseen(_ contract: Contract) async throws {
        let store = try await makeStore(contract, tickets: 2)
        let tokens = try await tokens(contract, store, 2)
        var changes = store.changes(includingOthers: false).makeAsyncIterator()
        try await setToken(tokens[0], of: "index", in: store)
        try await setToken(tokens[1], of: "index", in: store)
        try await store.write { try $0.removeHistoryConsumer("index") }
        try await store.write { try $0.insert(Note(body: "a")) }
        try contract.expectEqual(
            try await changes.next()?.entities, ["Note"],
            "what is told of three writes of a consumer and one of a note")
        try contract.expectEqual(
            try await history(store).map(\.entities), [["Ticket"], ["Ticket"], ["Note"]],
            "what the history holds of them")
    }

    private static func retained(_ contract: Contract) async throws {
        let store = try await makeStore(contract, tickets: 8)
        func settings() async throws -> HistorySettings? { try await store.marker().history }
        func numbers() async throws -> [Int64] { try await history(store).map(\.sequence) }
        try contract.expectEqual(
            try await settings()?.retention, .unlimited, "the retention of a new history")
        try contract.expectEqual(
            try await store.pruneHistory(), 0, "the transactions beyond a retention without limits")
        let day = HistoryRetention(transactions: 0, seconds: 86_400)
        try await store.keepHistory(retention: day)
        try contract.expectEqual(try await settings()?.era, 1, "the era of a history that goes on")
        try contract.expectEqual(
            try await store.pruneHistory(), 0, "the transactions that are older than a day")
        try await contract.expectError(.invalidArgument, "a negative retention") {
            try await store.keepHistory(retention: HistoryRetention(transactions: -1))
        }
        try await store.keepHistory()
        try contract.expectEqual(
            try await settings()?.retention, day, "the retention of a history that was begun twice")
        try await store.keepHistory(retention: HistoryRetention(transactions: 5))
        try contract.expectEqual(try await store.pruneHistory(), 3, "the transactions but the last five")
        try contract.expectEqual(try await numbers(), Array(4...8), "the history after that")
        try contract.expectEqual(
            try await store.pruneHistory(keepingLast: 7), 0, "those that more than the retention leaves")
        // Each of the two limits keeps what the other would not.
        try await store.keepHistory(retention: HistoryRetention(transactions: 4, seconds: 0))
        try contract.expectEqual(
            try await store.pruneHistory(), 1, "the transactions that neither the number nor the age keeps")
        try await store.stopHistory()
        try await store.keepHistory(retention: HistoryRetention(seconds: 0))
        for number in 11...13 { try await store.write { try $0.insert(Ticket(number: number)) } }
        try await store.stopHistory()
        try contract.expectEqual(
            try await store.pruneHistory(), 2, "all transactions of a stopped history but the last")
        try await store.keepHistory()
        try contract.expectEqual(
            try await settings()?.retention, HistoryRetention(seconds: 0),
            "the retention of a history that was begun again")
    }

    /// What a consumer has yet to read stays, unless it is left behind.
    private static func held(_ contract: Contract) async throws {
        let store = try await makeStore(contract, tickets: 8)
        let tokens = try await tokens(contract, store, 8)
        func prune(keepingLast count: Int, leavingBehind: Bool = false) async throws -> [Int64] {
            try await store.pruneHistory(keepingLast: count, leavingConsumersBehind: leavingBehind)
            return try await history(store).map(\.sequence)
        }
        try await setToken(tokens[2], of: "index", in: store)
        try await setToken(tokens[4], of: "mirror", in: store)
        try contract.expectEqual(
            try await prune(keepingLast: 1), Array(4...8), "what pruning leaves to the slower consumer")
        try contract.expectEqual(
            try await store.read { tx in
                try tx.history(after: try tx.historyToken(ofConsumer: "index")).map(\.sequence)
            }, Array(4...8), "what the slower consumer reads then")
        try contract.expectEqual(
            try await prune(keepingLast: 1), Array(4...8), "what pruning leaves a second time")
        try await setToken(tokens[5], of: "index", in: store)
        try contract.expectEqual(
            try await prune(keepingLast: 1), Array(6...8), "what pruning leaves once it has read on")
        try contract.expectEqual(
            try await prune(keepingLast: 2, leavingBehind: true), Array(7...8),
            "what is left without regard to them")
        try await contract.expectError(.historyPruned, "the history after a consumer that was left behind") {
            try await store.read { tx in try tx.history(after: try tx.historyToken(ofConsumer: "mirror")) }
        }
        try await store.write { try $0.insert(Ticket(number: 9)) }
        try contract.expectEqual(
            try await prune(keepingLast: 1), Array(7...9), "what pruning leaves to the one that was not")
        try await store.write { try $0.removeHistoryConsumer("index") }
        try contract.expectEqual(
            try await prune(keepingLast: 1), [9], "what it leaves to one that must begin again")
        try await setToken(try await store.read { try $0.historyToken() }, of: "mirror", in: store)
        for number in 10...11 { try await store.write { try $0.insert(Ticket(number: number)) } }
        try contract.expectEqual(
            try await prune(keepingLast: 0), [10, 11], "what it leaves to one that has begun again")
    }

    /// A restarted history keeps the consumers of the previous one, but none of them can continue.
    private static func begunAgain(_ contract: Contract) async throws {
        let store = try await makeStore(contract, tickets: 2)
        let token = try await tokens(contract, store, 2)[0]
        try await setToken(token, of: "index", in: store)
        try await store.stopHistory()
        try await store.keepHistory()
        for number in 3...5 { try await store.write { try $0.insert(Ticket(number: number)) } }
        let kept = try await store.read { try $0.historyToken(ofConsumer: "index") }
        try contract.expectEqual(kept, token, "a consumer's token after the history was begun again")
        try await contract.expectError(.historyPruned, "the history after it") {
            try await store.read { try $0.history(after: token) }
        }
        try contract.expectEqual(
            try await store.pruneHistory(keepingLast: 1), 2, "the transactions that need not wait for it")
    }
}
