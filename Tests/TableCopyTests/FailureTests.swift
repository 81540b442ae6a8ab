import Foundation
import PostgresTestServer
import SwitchyardCore
import Synchronization
import TableCopy
import Testing

@Suite(
    "Failures of a copy", .serialized,
    .enabled(if: PostgresServer.url != nil, Comment(rawValue: PostgresServer.need)))
struct FailureTests {
    private static let script = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, price DECIMAL, at DATETIME, day DATE);
        INSERT INTO t VALUES (1, 'one', 0.99, '2024-01-01 00:00:00', '2024-01-01'), (2, 'two', 7, NULL, NULL); CREATE INDEX i ON t (name);
        """

    @Test("a copy refuses taken names, and leaves what is there")
    func taken() async throws {
        try await Bench.with(Self.script) { bench in
            for (made, name) in [("TABLE t (kept text)", "t"), ("VIEW i AS SELECT 1 AS kept", "i")] {
                try await PostgresServer.administer(
                    "CREATE SCHEMA \(bench.schema); SET search_path = \(bench.schema); CREATE \(made)")
                for work in [{ _ = try await bench.copy().plan() }, { _ = try await bench.copy().run() }] {
                    let error = await #expect(throws: StoreError.self) { try await work() }
                    #expect(error?.code == .invalidArgument)
                    #expect(error?.message.contains("already holds: \(name). Give another") == true)
                }
                #expect(
                    try await bench.column(
                        "SELECT table_name || '.' || column_name::text FROM information_schema.columns "
                            + "WHERE table_schema = current_schema()") == ["\(name).kept"])
                try await PostgresServer.drop(schema: bench.schema)
            }
        }
    }

    /// Has the server do something to each new table of a schema, and calls the body.
    private func meddling(
        _ bench: Bench, _ trigger: String, _ body: () async throws -> Void
    ) async throws {
        let name = bench.schema
        try await PostgresServer.administer(
            """
            CREATE SCHEMA \(name);
            CREATE FUNCTION \(name).change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(trigger) END $$;
            CREATE FUNCTION \(name).meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE o record; BEGIN
                FOR o IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
                    IF o.schema_name = '\(name)' THEN
                        EXECUTE 'CREATE TRIGGER change BEFORE INSERT ON ' || o.object_identity
                            || ' FOR EACH ROW EXECUTE FUNCTION \(name).change()';
                    END IF;
                END LOOP;
            END $$;
            CREATE EVENT TRIGGER \(name) ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
                EXECUTE FUNCTION \(name).meddle();
            """)
        let result = await Result { try await body() }
        try await PostgresServer.administer("DROP EVENT TRIGGER \(name)")
        try result.get()
    }

    @Test("a copy detects a server that stores something else, and leaves nothing")
    func different() async throws {
        for (trigger, words) in [
            (
                "NEW.name := CASE NEW.id WHEN 2 THEN 'twq' ELSE NEW.name END; RETURN NEW;",
                "2 rows, but not the same ones"
            ),
            ("NEW.price := NEW.price + 1e-30; RETURN NEW;", "2 rows, but not the same ones"),
            ("NEW.at := NEW.at + interval '1 microsecond'; RETURN NEW;", "2 rows, but not the same ones"),
            ("NEW.day := '5000000-01-01'; RETURN NEW;", "2 rows, but not the same ones"),
            ("NEW.day := 'infinity'; RETURN NEW;", "a value that the file cannot have held"),
            ("IF NEW.id = 2 THEN RETURN NULL; END IF; RETURN NEW;", "1 rows instead of 2"),
        ] {
            try await Bench.with(Self.script) { bench in
                try await meddling(bench, trigger) {
                    let error = await #expect(throws: StoreError.self) { try await bench.copy().run() }
                    #expect(error?.code == .verification)
                    #expect(error?.entity == "t")
                    #expect(error?.message == "The server returned \(words). Nothing was created.")
                }
                #expect(
                    try await bench.column(
                        "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
                    )
                        == [])
            }
        }
    }

    @Test("a copy leaves nothing if the server refuses a row")
    func refusedRow() async throws {
        try await Bench.with(Self.script) { bench in
            try await meddling(bench, "RAISE EXCEPTION USING ERRCODE = 'check_violation';") {
                let error = await #expect(throws: StoreError.self) { try await bench.copy().run() }
                #expect(error?.code == .check)
            }
            #expect(
                try await bench.column(
                    "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
                    == [])
        }
    }

    @Test("a copy reports the index that the server refuses because of a large value")
    func largeKey() async throws {
        let script =
            "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a); INSERT INTO t VALUES (hex(randomblob(9000)))"
        try await Bench.with(script) { bench in
            let error = await #expect(throws: StoreError.self) { try await bench.copy().run() }
            #expect(error?.code == .valueNotRepresentable)
            #expect(error?.entity == "t")
            #expect(error?.constraint == "i")
            let isThere = try await bench.hasSchema()
            #expect(!isThere)
        }
    }

    @Test("of two concurrent copies one is made")
    func together() async throws {
        try await Bench.with(Self.script) { bench in
            let copy = try bench.copy()
            async let one = Result { try await copy.run() }
            async let two = Result { try await copy.run() }
            let errors = await [one, two].compactMap { result in
                if case .failure(let error) = result { (error as? StoreError)?.code } else { nil }
            }
            #expect(errors.count == 1)
            #expect([.invalidArgument, .busy, .serialization].contains(errors.first), "\(errors)")
            #expect(try await bench.column("SELECT count(*)::text FROM t") == ["2"])
        }
    }

    @Test("a cancelled copy leaves nothing, wherever it was")
    func cancelled() async throws {
        let script = """
            CREATE TABLE t (a INTEGER, b TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
            INSERT INTO t SELECT i, 'row ' || i FROM n;
            """
        try await Bench.with(script) { bench in
            for step in ["counted", "planned", "copying", "indexing", "verified"] {
                let task = Mutex<Task<TableCopyReport, any Error>?>(nil)
                let isSet = AsyncStream<Void>.makeStream()
                let copy = try bench.copy()
                let running = Task {
                    for await _ in isSet.stream { break }
                    return try await copy.run { progress in
                        if "\(progress)".hasPrefix(step) { task.withLock { $0?.cancel() } }
                    }
                }
                task.withLock { $0 = running }
                isSet.continuation.finish()
                let error = await #expect(throws: StoreError.self) { try await running.value }
                #expect(error?.code == .cancelled, "\(step)")
                #expect(try await !bench.hasSchema())
            }
        }
    }

    @Test(
        "a copy works through a transaction pooler",
        .enabled(if: PostgresServer.poolerURL != nil, "needs PgBouncer"))
    func pooler() async throws {
        try await Bench.with(Self.script) { bench in
            let url = try #require(PostgresServer.poolerURL) + "&pooling=transaction&schema=\(bench.schema)"
            let report = try await TableCopy(from: bench.file.path, to: url).run()
            #expect(report.tables.map(\.rows) == [2])
            #expect(try await bench.column("SELECT name FROM t") == ["one", "two"])
        }
    }

    @Test("a wrong URL of a copy is explained without the password")
    func wrongURL() async throws {
        try await Bench.with(Self.script) { bench in
            for (url, code) in [
                ("mysql://me:hunter2@host/db", StoreError.Code.configuration),
                ("postgres://me:hunter2@127.0.0.1:1/db", .connectionLost),
                ("postgres://me:hunter2@127.0.0.1/db?colour=red", .configuration),
                ("postgres://me:hunter2@127.0.0.1/db?schema=pg_own", .configuration),
                ("postgres://127.0.0.1", .configuration),
                (
                    try #require(PostgresServer.url).replacing("switchyard_test", with: "nowhere"),
                    .configuration
                ),
            ] {
                let copy = TableCopy(from: bench.file.path, to: url)
                let error = await #expect(throws: StoreError.self) { try await copy.run() }
                #expect(error?.code == code, "\(String(reflecting: error))")
                #expect(!"\(String(reflecting: error))".contains("hunter2"))
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
