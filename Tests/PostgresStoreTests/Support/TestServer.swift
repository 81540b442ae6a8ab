import Logging
import PostgresTestServer
import SwitchyardCore
import Testing

@testable import PostgresStore

/// Sessions and pools on the servers that `Tests/run` starts.
enum TestServer {
    static let logger = Logger(label: "switchyard.tests")

    static func parameters(_ url: String? = PostgresServer.url) throws -> ConnectionParameters {
        try ConnectionParameters(url: #require(url))
    }

    static func pool(
        _ parameters: ConnectionParameters? = nil, options: SessionOptions = SessionOptions(),
        limits: ConnectionPool.Limits = ConnectionPool.Limits()
    ) throws -> ConnectionPool {
        try ConnectionPool(
            parameters ?? self.parameters(), options: options, limits: limits, logger: logger)
    }

    /// Runs `body` on a connection of its own, in a schema of its own that is dropped afterwards.
    static func withSession<Value: Sendable>(
        options: SessionOptions = SessionOptions(), _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws -> Value {
        try await withSchema(options: options) { pool, _ in try await pool.run(body) }
    }

    /// Makes a pool whose connections see a schema of their own, and drops that schema afterwards.
    static func withSchema<Value: Sendable>(
        options: SessionOptions = SessionOptions(), limits: ConnectionPool.Limits = ConnectionPool.Limits(),
        url: String? = PostgresServer.url, _ body: (ConnectionPool, String) async throws -> Value
    ) async throws -> Value {
        try await PostgresServer.withSchemaName { schema in
            var options = options
            options.schema = schema
            try await PostgresServer.administer("CREATE SCHEMA \(schema)")
            let pool = try pool(parameters(url), options: options, limits: limits)
            let result: Result<Value, any Error>
            do { result = try await .success(body(pool, schema)) } catch { result = .failure(error) }
            await pool.close()
            return try result.get()
        }
    }

    /// Waits until the server lists a session of some kind, as a condition on `pg_stat_activity` says.
    static func waitForSession(where condition: String) async throws {
        let observer = try pool()
        let count = "SELECT count(*) FROM pg_stat_activity WHERE \(condition)"
        while try await observer.run({ try $0.cell(count) }) == .integer(0) {}
        await observer.close()
    }

    /// Another session, for use inside a body that runs on the first one's thread.
    static func otherSession(options: SessionOptions = SessionOptions()) throws -> Session {
        try Session.connect(parameters(), options: options, canceller: Canceller(), logger: logger)
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a suite only where `Tests/run` has started a server.
    static var needsServer: Self {
        .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)")
    }

    /// Runs a suite only where `Tests/run` has found PgBouncer.
    static var needsPooler: Self {
        .enabled(
            if: PostgresServer.poolerURL != nil,
            "needs PgBouncer: install it and run Tests/run, which starts one"
        )
    }
}

/// A cell that has been copied out of libpq's memory.
enum TestCell: Equatable, Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])

    init(_ cell: Cell) {
        self =
            switch cell.kind {
            case .null: .null
            case .integer: .integer(cell.word)
            case .double: .double(cell.double)
            case .text: .text(String(decoding: cell.bytes, as: UTF8.self))
            case .blob: .blob(Array(cell.bytes))
            }
    }
}

extension Session {
    /// The rows of a query, copied.
    func rows(_ sql: String, _ values: [(StoredValue, WireType)] = []) throws -> [[TestCell]] {
        var parameters = Parameters()
        for (value, type) in values { try parameters.append(value, as: type) }
        var rows: [[TestCell]] = []
        let result = try execute(sql, parameters)
        try result.forEachRow { rows.append($0.map(TestCell.init)) }
        return rows
    }

    /// The one cell of a query's one row.
    func cell(_ sql: String, _ values: [(StoredValue, WireType)] = []) throws -> TestCell {
        let rows = try rows(sql, values)
        guard rows.count == 1, rows[0].count == 1 else {
            throw StoreError(.backend, "\(sql) gave \(rows.count) rows.")
        }
        return rows[0][0]
    }

    /// The process of this session on the server.
    var backend: Int64 {
        get throws {
            guard case .integer(let pid) = try cell("SELECT pg_backend_pid()") else { return 0 }
            return pid
        }
    }

    /// Ends another session, and waits until it is gone.
    func terminate(_ pid: Int64) throws {
        _ = try cell("SELECT pg_terminate_backend($1::int, 10000)", [(.int(pid), .int8)])
    }
}
