import Foundation
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("COPY", .needsServer)
struct CopyTests {
    private struct Stop: Error {}

    @Test("COPY stores rows of every type unchanged")
    func everyType() async throws {
        let rows = try await TestServer.withSession { session in
            try session.script(
                """
                CREATE TABLE t (
                    b bool, i int8, f float8, n numeric, s text, d bytea, u uuid, z timestamptz, y date)
                """)
            let types: [WireType] = [
                .bool, .int8, .float8, .numeric, .text, .bytea, .uuid, .timestamptz, .date,
            ]
            let values: [StoredValue] = try [
                .bool(true), .int(.min), .double(0.1), .decimal(Decimal(-125) / 10), .text("Zoë"),
                .blob(Data([0, 255])),
                .uuid(#require(UUID(uuidString: "00000000-0000-0000-0000-000000000001"))),
                .timestamp(1), .day(#require(CalendarDay("2024-02-29"))),
            ]
            var writer = RowWriter(context: ErrorContext(entity: "t", attributes: []))
            let count = try session.copyIn(
                #""t" ("b", "i", "f", "n", "s", "d", "u", "z", "y")"#, types: types
            ) { copy in
                for value in values {
                    try value.withCell { cell in
                        switch cell.kind {
                        case .null: writer.writeNull()
                        case .integer: writer.write(integer: cell.word)
                        case .double: writer.write(double: cell.double)
                        case .text, .blob: writer.write(cell.kind, bytes: cell.bytes)
                        }
                    }
                }
                try writer.withCells { try copy.write($0) }
                writer.reset()
                for _ in values { writer.writeNull() }
                try writer.withCells { try copy.write($0) }
            }
            #expect(count == 2)
            return try session.rows(
                "SELECT b::text, i::text, f::text, n::text, s, d::text, u::text, z::text, y::text FROM t")
        }
        #expect(
            rows == [
                [
                    .text("true"), .text("-9223372036854775808"), .text("0.1"), .text("-12.5"), .text("Zoë"),
                    .text(#"\x00ff"#), .text("00000000-0000-0000-0000-000000000001"),
                    .text("1970-01-01 00:00:00.000001+00"), .text("2024-02-29"),
                ],
                [.null, .null, .null, .null, .null, .null, .null, .null, .null],
            ])
    }

    /// Copies integers in a transaction and says how it ended.
    private static func copy(
        _ session: Session, _ body: (_ write: (Int64) throws -> Void) throws -> Void
    ) throws -> Int {
        try session.begin(.serializable)
        let count = try session.copyIn(#""t" ("n")"#, types: [.int8]) { copy in
            try body { number in
                try withUnsafePointer(to: Cell(integer: number)) {
                    try copy.write(UnsafeBufferPointer(start: $0, count: 1))
                }
            }
        }
        try session.commit()
        return count
    }

    @Test("COPY stores no row, and many rows")
    func sizes() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            #expect(try Self.copy(session) { _ in } == 0)
            #expect(
                try Self.copy(session) { write in for n in 0..<100_000 { try write(Int64(n)) } } == 100_000)
            #expect(
                try session.rows("SELECT count(*), min(n), max(n) FROM t") == [
                    [.integer(100_000), .integer(0), .integer(99_999)]
                ])
        }
    }

    @Test("a body that throws during a COPY leaves no row, and the session usable")
    func thrown() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            #expect(throws: Stop.self) {
                _ = try Self.copy(session) { write in
                    for n in 0..<50_000 { try write(Int64(n)) }
                    throw Stop()
                }
            }
            session.rollback()
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(0))
        }
    }

    @Test("a refused row ends the COPY with the server's reason, at any position")
    func refused() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8 CONSTRAINT t_pk PRIMARY KEY)")
            for duplicate in [1 as Int64, 50_000, 299_999] {
                let error = #expect(throws: StoreError.self) {
                    _ = try Self.copy(session) { write in
                        for n in 0..<300_000 as Range<Int64> { try write(n == duplicate ? 0 : n) }
                    }
                }
                #expect(error?.code == .unique)
                #expect(error?.constraint == "t_pk")
                session.rollback()
                #expect(try session.cell("SELECT count(*) FROM t") == .integer(0))
            }
        }
    }

    @Test("a refused row ends an endless COPY, even among server notices")
    func refusedEarly() async throws {
        try await TestServer.withSession { session in
            try session.script(
                """
                CREATE TABLE t (n int8 PRIMARY KEY);
                CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS
                    $$BEGIN RAISE WARNING 'a row'; RETURN NEW; END$$;
                CREATE TRIGGER tell BEFORE INSERT ON t FOR EACH ROW WHEN (NEW.n % 1000 = 0)
                    EXECUTE FUNCTION tell()
                """)
            #expect(
                try Self.copy(session) { write in for n in 0..<100_000 { try write(Int64(n)) } } == 100_000)
            let error = #expect(throws: StoreError.self) {
                _ = try Self.copy(session) { write in
                    try write(5)
                    var number = 100_000 as Int64
                    while true {
                        try write(number)
                        number += 1
                    }
                }
            }
            #expect(error?.code == .unique)
            session.rollback()
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(100_000))
        }
    }

    @Test("COPY refuses a row of another width, and a cell of another type")
    func malformed() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8)")
            let narrow = #expect(throws: StoreError.self) {
                _ = try session.copyIn("t (n)", types: [.int8]) { try $0.write([]) }
            }
            #expect(narrow?.code == .invalidArgument)
            let wrong = #expect(throws: StoreError.self) {
                _ = try session.copyIn("t (n)", types: [.text]) { try $0.write([Cell(integer: 1)]) }
            }
            #expect(wrong?.code == .invalidArgument)
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(0))
        }
    }

    @Test("COPY refuses a missing table")
    func missing() async throws {
        try await TestServer.withSession { session in
            let missing = #expect(throws: StoreError.self) {
                try session.copyIn("missing (n)", types: [.int8]) { try $0.write([Cell(integer: 1)]) }
            }
            let next = try session.cell("SELECT 1")
            #expect(missing?.code == .schemaMismatch)
            #expect(next == .integer(1))
        }
    }

    @Test("a COPY sent as a plain statement neither hangs nor breaks the session")
    func plain() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8); INSERT INTO t VALUES (1)")
            #expect(throws: StoreError.self) { try session.script("COPY t FROM STDIN") }
            try session.script("COPY t TO STDOUT")
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(1))
        }
    }

    /// Rows for a table of a number and a text.
    private static func batch(_ rows: [(Int64, String?)]) throws -> WireBatch {
        var batch = WireBatch(types: [.int8, .text])
        for (number, text) in rows {
            var writer = RowWriter(context: ErrorContext(entity: "t", attributes: []))
            writer.write(integer: number)
            if let text { try writer.write(.text, utf8: text) } else { writer.writeNull() }
            try writer.withCells { try batch.append($0) }
        }
        return batch
    }

    @Test("a batch runs one statement for each of its rows")
    func batch() async throws {
        try await TestServer.withSession { session in
            try session.script("CREATE TABLE t (n int8 PRIMARY KEY, s text)")
            let rows = (1...500).map { (Int64($0), $0 == 7 ? nil : "é\($0)") }
            try session.begin(.serializable)
            let insert = "INSERT INTO t VALUES ($1, $2)"
            #expect(try session.insert(insert, try Self.batch(rows)) == 500)
            #expect(!session.isPending)
            #expect(try session.insert(insert, try Self.batch([(501, "")])) == 1)
            try session.commit()
            #expect(
                try session.rows("SELECT s FROM t WHERE n IN (1, 7, 501) ORDER BY n") == [
                    [.text("é1")], [.null], [.text("")],
                ])
            try session.begin(.serializable)
            #expect(
                #expect(throws: StoreError.self) {
                    _ = try session.insert(insert, try Self.batch([(502, nil), (7, "seven")]))
                }?.code == .unique)
            session.rollback()
            #expect(try session.cell("SELECT count(*) FROM t") == .integer(501))
        }
    }

    @Test("a server that dies in mid-COPY is a lost connection")
    func death() async throws {
        try await TestServer.withSchema(limits: ConnectionPool.Limits(size: 1)) { pool, _ in
            try await pool.run { try $0.script("CREATE TABLE t (n int8)") }
            let error = await #expect(throws: StoreError.self) {
                try await pool.run { session in
                    let pid = try session.backend
                    _ = try Self.copy(session) { write in
                        for n in 0..<500_000 as Range<Int64> {
                            if n == 100_000 { try TestServer.otherSession().terminate(pid) }
                            try write(n)
                        }
                    }
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(try await pool.run { try $0.cell("SELECT count(*) FROM t") } == .integer(0))
        }
    }
}

extension CopyIn {
    fileprivate func write(_ cells: [Cell]) throws {
        try cells.withUnsafeBufferPointer { try write($0) }
    }
}

extension Session {
    /// Copies what `body` gives.
    @discardableResult
    func copyIn(_ target: String, types: [WireType], _ body: (CopyIn) throws -> Void) throws -> Int {
        let copy = try CopyIn(self, "COPY \(target) FROM STDIN (FORMAT binary)", types: types)
        do {
            try body(copy)
            return try copy.finish()
        } catch {
            copy.abandon()
            throw error
        }
    }
}
