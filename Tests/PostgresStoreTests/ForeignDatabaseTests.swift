import Foundation
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

@Suite("Foreign PostgreSQL tables", .needsServer)
struct ForeignDatabaseTests {
    /// Lends a schema that a script has filled, and the database that reads it.
    private static func with(
        _ script: String, _ body: (TestPlace, any ForeignDatabase) async throws -> Void
    ) async throws {
        try await TestPlace.with { place in
            try await PostgresServer.administer(
                "CREATE SCHEMA \(place.schema); SET search_path = \(place.schema); \(script)")
            let url = try #require(PostgresServer.url)
            try await body(
                place,
                try PluginRegistry([PostgresPlugin.self]).foreignDatabase(
                    url: "\(url)&schema=\(place.schema)&application_name=\(place.schema)"))
        }
    }

    /// Reads off the cooperative pool.
    private static func read<Value: Sendable>(
        _ database: any ForeignDatabase, _ body: @escaping @Sendable (any ForeignSnapshot) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { try database.read(body) }
    }

    /// All rows of all tables, by the tables' names.
    private static func rows(_ database: any ForeignDatabase) async throws -> [String: [[ForeignValue]]] {
        try await read(database) { snapshot in
            var rows: [String: [[ForeignValue]]] = [:]
            for table in try snapshot.tables() {
                rows[table.name] = []
                try snapshot.forEachRow(of: table, table.columns.map(\.name)) {
                    rows[table.name]?.append($0)
                }
            }
            return rows
        }
    }

    private static func code(_ work: () async throws -> Void) async -> StoreError.Code? {
        do { try await work() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test("foreign tables are described with their columns, keys and references")
    func described() async throws {
        let script = """
            CREATE TABLE "Order Items" ("Order" int, part smallint, "said ""so"" " varchar(20) NOT NULL,
                PRIMARY KEY (part, "Order"));
            CREATE TABLE a (id serial PRIMARY KEY, part int, o int, parent int REFERENCES a, dropped int,
                FOREIGN KEY (part, o) REFERENCES "Order Items");
            ALTER TABLE a DROP COLUMN dropped;
            CREATE VIEW seen AS SELECT id FROM a;
            CREATE TABLE parted (id int PRIMARY KEY, day date) PARTITION BY RANGE (id);
            CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
            """
        try await Self.with(script) { _, database in
            let tables = try await Self.read(database) { try $0.tables() }
            #expect(
                tables.map { "\($0.name) \($0.isTable)" } == [
                    "Order Items true", "a true", "parted true", "seen false",
                ])
            #expect(
                tables[0].columns == [
                    .init(name: "Order", type: "integer", isOptional: false),
                    .init(name: "part", type: "smallint", isOptional: false),
                    .init(name: "said \"so\" ", type: "character varying(20)", isOptional: false),
                ])
            #expect(tables[0].primaryKey == ["part", "Order"])
            #expect(tables[1].columns.map(\.name) == ["id", "part", "o", "parent"])
            #expect(
                tables[1].foreignKeys == [
                    .init(columns: ["parent"], table: "a", targets: ["id"]),
                    .init(columns: ["part", "o"], table: "Order Items", targets: ["part", "Order"]),
                ])
        }
    }

    @Test("each value of a foreign table has one form")
    func values() async throws {
        let script = """
            CREATE TYPE mood AS ENUM ('sad', 'so so');
            CREATE DOMAIN grade AS int CHECK (VALUE > 0);
            CREATE TABLE t (id bigint PRIMARY KEY, b bool, i int, f real, d double precision, n numeric(10, 2), t text,
                c char(4), x bytea, u uuid, z timestamptz, l timestamp, day date, j jsonb, e mood, g grade, list int[],
                span interval);
            SET timezone = 'Europe/Berlin';
            INSERT INTO t VALUES (1, true, -5, 1.5, 0.1, 12.5, 'ä', 'ab', '\\x00ff', '67cdc6a1-eb91-557c-8ac3-2b055fef7e5d',
                '2024-07-01 12:00:00.25', '2024-07-01 12:00', '2024-07-01', '{"b": 1, "a": null}', 'so so', 3, '{1,NULL}',
                '1 day 2 hours'),
                (2, false, NULL, NULL, 'NaN', 'NaN', '', NULL, '', NULL, 'infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
            """
        try await Self.with(script) { _, database in
            let rows = try await Self.rows(database)["t", default: []]
            #expect(
                rows.first == [
                    .integer(1), .integer(1), .integer(-5), .real(1.5), .real(0.1), .text("12.50"),
                    .text("ä"),
                    .text("ab"), .blob(Data([0, 255])),
                    .uuid(try #require(UUID(uuidString: "67cdc6a1-eb91-557c-8ac3-2b055fef7e5d"))),
                    .text("2024-07-01T10:00:00.25+00:00"), .text("2024-07-01T12:00:00"),
                    .text("2024-07-01"), .text("{\"a\": null, \"b\": 1}"), .text("so so"), .integer(3),
                    .text("{1,NULL}"), .text("P1DT2H"),
                ])
            let second = try #require(rows.last)
            #expect(second[1] == .integer(0) && second[2] == .null)
            guard case .real(let number) = second[4] else { throw StoreError(.backend, "no double") }
            #expect(number.isNaN)
            #expect(second[5] == .text("NaN"))
            #expect(second[6] == .text("") && second[8] == .blob(Data()) && second[7] == .null)
            #expect(second[10] == .text("infinity"))
        }
    }

    @Test(
        "every row of a foreign table is read once, in key order, across batches, partitions and inheritance")
    func everyRow() async throws {
        let script = """
            CREATE TABLE many (id int PRIMARY KEY);
            INSERT INTO many SELECT i * 7919 % 3001 FROM generate_series(0, 3000) AS i;
            CREATE TABLE batch (id int PRIMARY KEY);
            INSERT INTO batch SELECT generate_series(1, 1000);
            CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
            CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
            CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (20);
            INSERT INTO parted VALUES (11), (1);
            CREATE TABLE base (id int PRIMARY KEY);
            CREATE TABLE heir (PRIMARY KEY (id)) INHERITS (base);
            INSERT INTO base VALUES (1); INSERT INTO heir VALUES (2);
            """
        try await Self.with(script) { _, database in
            let rows = try await Self.rows(database)
            #expect(rows["many"] == (0...3_000).map { [.integer(Int64($0))] })
            #expect(rows["batch"]?.count == 1_000)
            #expect(rows["parted"] == [[.integer(1)], [.integer(11)]])
            #expect(rows["base"] == [[.integer(1)]])
            #expect(rows["heir"] == [[.integer(2)]])
        }
    }

    @Test("foreign tables are read in the snapshot of the first look")
    func snapshot() async throws {
        try await Self.with("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)") {
            place, database in
            let seen = try await Self.read(database) { snapshot in
                let table = try snapshot.tables()[0]
                let other = try TestServer.otherSession()
                try other.command("INSERT INTO \(place.schema).t VALUES (2)")
                try other.command("CREATE TABLE \(place.schema).later (id int)")
                var ids: [[ForeignValue]] = []
                try snapshot.forEachRow(of: table, ["id"]) { ids.append($0) }
                return (ids, try snapshot.tables().count)
            }
            #expect(seen.0 == [[.integer(1)]])
            #expect(seen.1 == 1)
            #expect(try await Self.rows(database)["t"] == [[.integer(1)], [.integer(2)]])
        }
    }

    @Test("foreign tables can be read through a transaction pooler", .needsPooler)
    func pooler() async throws {
        let script = "CREATE TABLE t (id int PRIMARY KEY, at date); INSERT INTO t VALUES (1, '2024-07-01')"
        try await Self.with(script) { place, _ in
            let url = try #require(PostgresServer.poolerURL)
            let database = try PluginRegistry([PostgresPlugin.self]).foreignDatabase(
                url: "\(url)&schema=\(place.schema)&pooling=transaction")
            #expect(try await Self.rows(database)["t"] == [[.integer(1), .text("2024-07-01")]])
        }
    }

    @Test("reading foreign tables fails if the server ends the session")
    func killed() async throws {
        let script = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 5000)"
        try await Self.with(script) { place, database in
            let code = await Self.code {
                try await Self.read(database) { snapshot in
                    let table = try snapshot.tables()[0]
                    var count = 0
                    try snapshot.forEachRow(of: table, ["id"]) { _ in
                        count += 1
                        if count == 1 { try place.terminateOthers() }
                    }
                }
            }
            #expect(code == .connectionLost)
        }
    }

    @Test("foreign tables are refused if a policy would hide rows, or the schema is missing or a store")
    func refused() async throws {
        let script = """
            CREATE TABLE t (id int PRIMARY KEY, mine bool); INSERT INTO t VALUES (1, true), (2, false);
            ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (mine);
            """
        try await Self.with(script) { place, database in
            // The superuser sees everything.
            #expect(try await Self.rows(database)["t"]?.count == 2)
            let role = "r_\(place.schema)"
            try await PostgresServer.administer(
                "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(place.schema) TO \(role); "
                    + "GRANT SELECT ON \(place.schema).t TO \(role)")
            let url = try #require(PostgresServer.url)
            let limited = try PluginRegistry([PostgresPlugin.self]).foreignDatabase(
                url: "\(url)&schema=\(place.schema)&options=-crole%3D\(role)")
            let code = await Self.code { _ = try await Self.rows(limited) }
            try await PostgresServer.administer("DROP OWNED BY \(role); DROP ROLE \(role)")
            #expect(code == .configuration)
        }
        try await TestPlace.with { place in
            let url = try PostgresServer.url(schema: place.schema)
            let database = try PluginRegistry([PostgresPlugin.self]).foreignDatabase(url: url)
            #expect(await Self.code { _ = try await Self.rows(database) } == .notFound)
            try await place.open(version: 1).close()
            #expect(await Self.code { _ = try await Self.rows(database) } == .invalidArgument)
        }
    }
}
