import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("A database that an operator has frozen", .needsServer)
struct FrozenTests {
    /// Where `default_transaction_read_only` is set, with the name of a database in the place of `$`.
    private static let defaults = ["DATABASE $", "ROLE switchyard IN DATABASE $"]

    @Test(
        "a frozen database refuses writes by name, and accepts them again when the default is reset",
        arguments: defaults)
    func frozen(place: String) async throws {
        try await PostgresServer.withDatabase { url in
            let name = try #require(URLComponents(string: url)).path.dropFirst()
            let place = place.replacing("$", with: name)
            let first = try await TestPlace.open(url, version: 1)
            try await first.keepHistory()
            try await first.close()
            try await PostgresServer.administer("ALTER \(place) SET default_transaction_read_only = on")
            let store = try await TestPlace.open(url, version: 1)
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 0)
            let row: [StoredValue] = [.uuid(UUID()), .text("Mia")]
            let error = await #expect(throws: StoreError.self) {
                try await store.write { try $0.insertRows(into: "Baby", [row]) }
            }
            #expect(error?.code == .readOnly)
            #expect(
                error?.message
                    == "The database or its user is frozen by default_transaction_read_only; the transaction "
                    + "was not carried out. Reset the default with ALTER DATABASE or ALTER ROLE, or wait "
                    + "until the operator has, then run the transaction again.")
            #expect(try await !store.wasCommitted(OperationID()))
            try await PostgresServer.administer("ALTER \(place) RESET default_transaction_read_only")
            try await store.write { try $0.insertRows(into: "Baby", [row]) }
            #expect(try await store.read { try $0.countRows(of: "Baby") } == 1)
            try await store.close()
        }
    }

    @Test("a frozen database gets no store")
    func creation() async throws {
        try await PostgresServer.withDatabase { url in
            let name = try #require(URLComponents(string: url)).path.dropFirst()
            try await PostgresServer.administer(
                "ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let error = await #expect(throws: StoreError.self) { try await TestPlace.open(url, version: 1) }
            #expect(error?.code == .readOnly)
        }
    }
}
