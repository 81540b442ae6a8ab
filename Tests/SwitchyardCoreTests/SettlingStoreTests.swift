import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Synchronization
import Testing

/// A store that loses the answer to every commit, and cannot be asked for a while afterwards.
private final class SilentStore: WrappingStore {
    let base: any Store
    /// Whether a commit happens before its answer is lost.
    let happens: Bool
    /// How many questions fail before one is answered.
    private let failures: Mutex<Int>
    let questions = Mutex(0)

    init(happens: Bool, failures: Int) throws {
        let item = Entity("Item", attributes: [Attribute("id", type: .uuid)])
        base = MemoryStore(schema: try Schema(version: SchemaVersion(1), entities: [item]))
        self.happens = happens
        self.failures = Mutex(failures)
    }

    private struct Rollback: Error {}

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        // The first run loses to another writer.
        _ = try? await base.write { transaction in
            _ = try body(transaction)
            throw Rollback()
        }
        if happens {
            _ = try await base.write(options, body)
        } else {
            _ = try? await base.write(options) { transaction in
                _ = try body(transaction)
                throw Rollback()
            }
        }
        throw StoreError(.outcomeUnknown, "The answer was lost.", operation: options.operation)
    }

    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        questions.withLock { $0 += 1 }
        let fails = failures.withLock { failures in
            failures -= 1
            return failures >= 0
        }
        if fails { throw StoreError(.connectionLost, "The server is starting.") }
        return try await base.wasCommitted(operation, in: scope)
    }

    var rows: Int { get async throws { try await base.read { try $0.countRows(of: "Item") } } }
}

@Suite("A write whose commit was not answered")
struct SettlingStoreTests {
    private let waits = Log()

    private final class Log: Sendable {
        let delays = Mutex<[Duration]>([])
    }

    private func settling(_ store: SilentStore) -> SettlingStore {
        SettlingStore(
            store, delays: [.seconds(1), .seconds(2), .seconds(4)],
            sleep: { [waits] delay in waits.delays.withLock { $0.append(delay) } })
    }

    @Test("an unanswered commit returns what the committed run returned, once the store can be asked")
    func committed() async throws {
        let store = try SilentStore(happens: true, failures: 2)
        let runs = Run()
        let result = try await settling(store).write { transaction in
            try transaction.insertRows(into: "Item", [[.uuid(UUID())]])
            return runs.next()
        }
        #expect(result == 2)
        #expect(try await store.rows == 1)
        #expect(store.questions.withLock { $0 } == 3)
        #expect(waits.delays.withLock { $0 } == [.seconds(1), .seconds(2)])
    }

    @Test("an unanswered commit that did not happen is an error that says so")
    func notCommitted() async throws {
        let store = try SilentStore(happens: false, failures: 0)
        let error = await #expect(throws: StoreError.self) {
            try await settling(store).write { try $0.insertRows(into: "Item", [[.uuid(UUID())]]) }
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.message.contains("nothing was written") == true)
        #expect(try await store.rows == 0)
        #expect(store.questions.withLock { $0 } == 1)
    }

    @Test("an unanswered commit stays unknown after a bounded number of questions")
    func unanswered() async throws {
        let store = try SilentStore(happens: true, failures: .max)
        let error = await #expect(throws: StoreError.self) {
            try await settling(store).write { try $0.insertRows(into: "Item", [[.uuid(UUID())]]) }
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(error?.operation != nil)
        #expect((error?.underlying as? StoreError)?.code == .connectionLost)
        #expect(store.questions.withLock { $0 } == 4)
    }

    @Test("an unanswered commit is looked up by the caller's operation id, if there is one")
    func ownOperation() async throws {
        let store = try SilentStore(happens: true, failures: 0)
        let operation = OperationID()
        try await settling(store).write(WriteOptions(operation: operation)) { transaction in
            _ = try transaction.insertRows(into: "Item", [[.uuid(UUID())]])
        }
        #expect(try await settling(store).wasCommitted(operation))
    }
}

/// Counts the runs of a body.
private final class Run: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
