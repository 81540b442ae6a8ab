import Foundation
import GRDB
import SQLiteStore
import SwitchyardCore
import Synchronization
import Testing

@Suite("A store on the app's own connection")
struct ConnectionTests {
    @Test("a store on the app's connection lives beside its tables, in memory too, and leaves it open")
    func borrowed() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE mine(x); INSERT INTO mine VALUES (1)") }
        let store = try await SQLiteStore(connection: queue, schema: .people())
        try await store.write { _ = try $0.insert(Person("Mia", balance: 1)) }
        let again = try await SQLiteStore(connection: queue, schema: .people())
        #expect(try await again.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try await store.close()
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT x FROM mine") } == 1)
        #expect(try await again.read { try $0.count(Person.all) } == 1)
    }

    @Test("a store on the app's connection is refused if a table has an entity's name")
    func taken() async throws {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE Person(x)") }
        let error = await #expect(throws: StoreError.self) {
            _ = try await SQLiteStore(connection: queue, schema: .people())
        }
        #expect(error?.code == .notAStore)
        #expect(try await queue.read { try $0.tableExists("switchyard_store") } == false)
    }

    @Test("a store on the app's connection is refused with another schema")
    func otherSchema() async throws {
        let queue = try DatabaseQueue()
        _ = try await SQLiteStore(connection: queue, schema: .people())
        let error = await #expect(throws: StoreError.self) {
            _ = try await SQLiteStore(connection: queue, schema: .people(version: 2))
        }
        #expect(error?.code == .schemaMismatch)
    }

    private final class Observer: TransactionObserver, Sendable {
        let commits = Atomic(0)
        let changes = Atomic(0)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            eventKind.tableName == "Person"
        }
        func databaseDidChange() { changes.add(1, ordering: .relaxed) }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ database: Database) { commits.add(1, ordering: .relaxed) }
        func databaseDidRollback(_ database: Database) {}
    }

    @Test("a store on the app's connection tells GRDB's observers of each change")
    func observation() async throws {
        let queue = try DatabaseQueue()
        let store = try await SQLiteStore(connection: queue, schema: .people())
        let observer = Observer()
        queue.add(transactionObserver: observer)
        try await store.write { _ = try $0.insert(contentsOf: [Person("Mia"), Person("Leo")]) }
        #expect(observer.changes.load(ordering: .relaxed) == 1)
        #expect(observer.commits.load(ordering: .relaxed) == 1)
    }

    @Test("a store's own connection tells GRDB's observers from the request on")
    func observationOfOwnConnection() async throws {
        let directory = try TemporaryDirectory()
        let store = try await openStore(directory.file())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        let observer = Observer()
        store.connection?.add(transactionObserver: observer)
        try await store.write { _ = try $0.insert(Person("Leo")) }
        #expect(observer.changes.load(ordering: .relaxed) == 1)
        #expect(observer.commits.load(ordering: .relaxed) == 1)
        try await store.close()
    }

    @Test("a store is refused on a connection with foreign keys off, whatever its configuration says")
    func foreignKeysOff() async throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }
        let queue = try DatabaseQueue(configuration: configuration)
        let error = await #expect(throws: StoreError.self) {
            _ = try await SQLiteStore(connection: queue, schema: .people())
        }
        #expect(error?.code == .configuration)
        #expect(try await queue.read { try $0.tableExists("switchyard_store") } == false)
    }

    @Test("writes are refused while the app has foreign keys off")
    func foreignKeysSwitchedOff() async throws {
        let queue = try DatabaseQueue()
        let store = try await SQLiteStore(connection: queue, schema: .people())
        try await store.write { _ = try $0.insert(Person("Mia")) }
        try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF") }
        let error = await #expect(throws: StoreError.self) {
            try await store.write { _ = try $0.insert(Person("Leo", motherID: Person.ID())) }
        }
        #expect(error?.code == .configuration)
        #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
        try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = ON") }
        try await store.write { _ = try $0.insert(Person("Zoë")) }
        #expect(try await store.check() == [])
    }

    @Test("a store on the app's connection can be closed by the app at any time, and throws after that")
    func closedByTheApp() async throws {
        let directory = try TemporaryDirectory()
        let connections: [any DatabaseWriter] = [
            try DatabaseQueue(), try DatabaseQueue(path: directory.file("queue")),
            try DatabasePool(path: directory.file("pool")),
        ]
        for connection in connections {
            let store = try await SQLiteStore(connection: connection, schema: .people())
            try await store.write { _ = try $0.insert(Person("Mia")) }
            #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Mia"])
            try connection.close()
            let reading = await #expect(throws: StoreError.self) {
                _ = try await store.read { try $0.count(Person.all) }
            }
            #expect(reading?.code == .closed)
            let writing = await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.insert(Person("Leo")) }
            }
            #expect(writing?.code == .closed)
            try await store.close()
        }
    }
}
