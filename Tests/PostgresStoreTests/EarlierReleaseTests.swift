import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("A PostgreSQL store that was made before a transaction of the history had an origin", .needsServer)
struct EarlierReleaseTests {
    @Test("is completed when it is opened for writing, by one of several clients at once")
    func completed() async throws {
        try await TestPlace.with { place in
            let store = try await place.open(version: 1)
            try await store.keepHistory()
            try await store.write { [place] tx in _ = try tx.insertRows(into: "Baby", [place.row("Mia")]) }
            try await store.close()
            try await PostgresServer.administer(
                """
                DROP INDEX \(place.schema)."\(Self.index)";
                ALTER TABLE \(place.schema).switchyard_history DROP COLUMN origin
                """)
            let stores = try await withThrowingTaskGroup(of: (any Store).self) { group in
                for _ in 0..<4 { group.addTask { try await place.open(version: 1) } }
                return try await group.reduce(into: [any Store]()) { $0.append($1) }
            }
            let record = TransactionRecord(id: UUID(), time: 0, origin: UUID())
            try await stores[0].write { [place] tx in
                try tx.transaction(record) { _ = try tx.insertRows(into: "Baby", [place.row("Noah")]) }
            }
            for store in stores {
                #expect(try await store.check() == [])
                #expect(try await store.read { try $0.history().map(\.origin) } == [nil, record.origin])
                try await store.close()
            }
        }
    }

    private static var index: String {
        let entity = HistoryAddition.entity
        return entity.uniqueConstraints[0].name(in: entity)
    }
}
