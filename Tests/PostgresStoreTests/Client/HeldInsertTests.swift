import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Inserts that travel with the next statement or the COMMIT", .needsServer)
struct HeldInsertTests {
    private static let insert = "INSERT INTO t VALUES ($1)"

    private static func rows(_ numbers: ClosedRange<Int64>) throws -> WireBatch {
        var batch = WireBatch(types: [.int8])
        for number in numbers {
            var writer = RowWriter(context: ErrorContext(entity: "t", attributes: []))
            writer.write(integer: number)
            try writer.withCells { try batch.append($0) }
        }
        return batch
    }

    private static func withTable(_ body: @escaping @Sendable (Session) throws -> Void) async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8 PRIMARY KEY)")
            try body(session)
        }
    }

    @Test("a held insert is not sent before the COMMIT")
    func commit() async throws {
        try await Self.withTable { session in
            try session.begin(.serializable, holdsInserts: true)
            for number in 1...3 as ClosedRange<Int64> {
                #expect(try session.insert(Self.insert, try Self.rows(number...number)) == 1)
            }
            #expect(session.isPending)
            try session.commit()
            #expect(!session.isPending)
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(3))
        }
    }

    @Test("a statement sees held inserts, and a rollback discards them")
    func statement() async throws {
        try await Self.withTable { session in
            try session.begin(.serializable, holdsInserts: true)
            _ = try session.insert(Self.insert, try Self.rows(1...2))
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(2))
            _ = try session.insert(Self.insert, try Self.rows(3...3))
            try session.command("SAVEPOINT a")
            _ = try session.insert(Self.insert, try Self.rows(4...4))
            try session.command("ROLLBACK TO SAVEPOINT a")
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(3))
            _ = try session.insert(Self.insert, try Self.rows(5...5))
            session.rollback()
            try session.begin(.serializable)
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(0))
            try session.commit()
        }
    }

    @Test("many inserted rows are not held")
    func many() async throws {
        try await Self.withTable { session in
            try session.begin(.serializable, holdsInserts: true)
            for number in 1...1_000 as ClosedRange<Int64> {
                _ = try session.insert(Self.insert, try Self.rows(number...number))
                #expect(try #require(session.transaction).heldInserts.count < 64)
            }
            try session.commit()
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(1_000))
        }
    }

    @Test("a held insert that is refused late asks for another run")
    func refused() async throws {
        try await Self.withTable { session in
            try session.begin(.serializable, holdsInserts: true)
            _ = try session.insert(Self.insert, try Self.rows(1...2))
            _ = try session.insert(Self.insert, try Self.rows(2...3))
            #expect(#expect(throws: StoreError.self) { try session.commit() }?.code == .unique)
            #expect(session.transaction?.refusal == .insert)
            session.rollback()
            try session.begin(.serializable)
            _ = try session.insert(Self.insert, try Self.rows(1...2))
            #expect(
                #expect(throws: StoreError.self) {
                    _ = try session.insert(Self.insert, try Self.rows(2...3))
                }?.code == .unique)
            #expect(session.transaction?.refusal == nil)
            session.rollback()
            try session.begin(.serializable)
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(0))
            try session.commit()
        }
    }
}
