import Foundation
import PostgresTestServer
import SwitchyardCore
import SwitchyardSQL
import Testing

@testable import PostgresStore

@Suite("Operation ids of a PostgreSQL store", .needsServer)
struct OperationTests {
    /// The id of a write that also forgets old operations: its last byte is a multiple of 64.
    private let forgetting = OperationID(
        UUID(uuid: (0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64)))

    @Test("an operation is recorded with the server's time, whatever the client's clock says")
    func time() async throws {
        try await EntryTables.with { tables in
            let session = tables.session
            try session.script("BEGIN")
            try PostgresTransaction(session, plan: tables.plan).record(OperationID())
            #expect(
                try session.rows("SELECT committed_at = transaction_timestamp() FROM switchyard_operation")
                    == [[.integer(1)]])
            try session.script("COMMIT")
        }
    }

    @Test("operations a week old by the server's clock are deleted, and no others")
    func forgetting() async throws {
        let forgetting = forgetting
        try await TestPlace.withStore { place, store in
            let (old, young) = (OperationID(), OperationID())
            for operation in [old, young] {
                try await store.write(WriteOptions(operation: operation)) { [place] tx in
                    _ = try tx.insertRows(into: "Baby", [place.row("Mia")])
                }
            }
            for (operation, age) in [(old, "7 days 1 second"), (young, "6 days 23 hours")] {
                try await PostgresServer.administer(
                    """
                    UPDATE \(place.schema).switchyard_operation
                    SET committed_at = now() - INTERVAL '\(age)' WHERE id = '\(operation.uuid)'
                    """)
            }
            try await store.write(WriteOptions(operation: forgetting)) { _ = try $0.countRows(of: "Baby") }
            #expect(try await !store.wasCommitted(old))
            #expect(try await store.wasCommitted(young))
            #expect(try await store.wasCommitted(forgetting))
        }
    }
}
