import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("The count of a server's commits", .needsServer)
struct CommitCountTests {
    @Test("the server's commit count is withheld while an older write is still open")
    func openWrite() async throws {
        try await TestPlace.withStore { place, store in
            let store = try #require(store as? PostgresStore)
            let session = try TestServer.otherSession()
            try session.command("BEGIN")
            _ = try session.cell("SELECT txid_current()")
            try await store.write { try $0.insertRows(into: "Baby", [place.row("Mia")]) }
            #expect(await store.commitCount() == nil)
            try session.command("ROLLBACK")
        }
    }
}
