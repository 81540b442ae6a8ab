import CLibPQ
import Dispatch
import Foundation
import PostgresStore

/// The servers that `Tests/run` starts, on which each test has a schema of its own.
public enum PostgresServer {
    /// Over the socket, as a superuser; nil where no server was started.
    public static let url = environment["SWITCHYARD_TEST_POSTGRES_URL"]
    /// Over TCP, with a password.
    public static let passwordURL = environment["SWITCHYARD_TEST_POSTGRES_PASSWORD_URL"]
    /// The path of a command that kills the server and starts it again.
    public static let restartCommand = environment["SWITCHYARD_TEST_POSTGRES_RESTART"]
    /// Through PgBouncer in transaction mode.
    public static let poolerURL = environment["SWITCHYARD_TEST_PGBOUNCER_URL"]
    /// A hot standby of the first one.
    public static let standbyURL = environment["SWITCHYARD_TEST_STANDBY_URL"]
    /// The coordinator of a Citus cluster, as a superuser.
    public static let citusURL = environment["SWITCHYARD_TEST_CITUS_URL"]
    /// The standby over TLS, with a password.
    public static let tlsURL = environment["SWITCHYARD_TEST_TLS_URL"]

    private static let environment = ProcessInfo.processInfo.environment

    /// Why a test does not run where there is no server.
    public static let need = "needs a PostgreSQL server: run Tests/run, which starts one for the tests"

    /// The URL of stores in one schema of a database, by default the first one.
    ///
    /// - Throws: `AdministrationError` where there is no server.
    public static func url(schema: String, at database: String? = nil) throws -> String {
        guard let url = database ?? url else { throw AdministrationError(description: "A test \(need).") }
        return url + (url.contains("?") ? "&" : "?") + "schema=\(schema)"
    }

    /// The name of a database schema that nobody else has.
    public static func newSchemaName() -> String {
        "test_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    }

    /// Lends the name of a schema, and drops the schema afterwards.
    public static func withSchemaName<Value>(
        at database: String? = nil, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let name = newSchemaName()
        let result: Result<Value, any Error>
        do { result = .success(try await body(name)) } catch { result = .failure(error) }
        try await drop(schema: name, at: database)
        return try result.get()
    }

    /// Drops a schema of a database, by default the first one, if it is there, and all that is in it.
    public static func drop(schema: String, at database: String? = nil) async throws {
        try await administer(
            "SET client_min_messages = warning; DROP SCHEMA IF EXISTS \(schema) CASCADE", at: database)
    }

    /// Lends the URL of a new database, and drops the database afterwards.
    ///
    /// The new one is empty, or a copy of one that nobody is connected to, given its URL.
    public static func withDatabase<Value>(
        copying original: String? = nil, _ body: (String) async throws -> Value
    ) async throws -> Value {
        guard var new = url.flatMap({ URLComponents(string: $0) }) else {
            throw AdministrationError(description: "A test \(need).")
        }
        let name = newSchemaName()
        new.path = "/\(name)"
        let template = original.flatMap { URLComponents(string: $0) }.map { String($0.path.dropFirst()) }
        try await administer("CREATE DATABASE \(name) TEMPLATE \(template ?? "template0")")
        let result: Result<Value, any Error>
        do { result = .success(try await body(new.string ?? "")) } catch { result = .failure(error) }
        try await administer("DROP DATABASE \(name) WITH (FORCE)")
        return try result.get()
    }

    /// Runs a script as the superuser, on a thread of its own queue and a connection that is closed again.
    public static func administer(_ script: String, at database: String? = nil) async throws {
        _ = try await rows(of: script, at: database)
    }

    /// Runs a script as the superuser, like `administer`.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - database: The URL of a database of the server; nil for the first one.
    /// - Returns: The rows of its last statement: each value as text, nil for null.
    /// - Throws: `AdministrationError`.
    public static func rows(of script: String, at database: String? = nil) async throws -> [[String?]] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try run(script, at: database) }) }
        }
    }

    /// Runs a script as the superuser, and then work while the script's transaction is open; it is rolled back.
    public static func whileOpen<Value>(
        _ script: String, at database: String? = nil, _ work: () async throws -> Value
    ) async throws -> Value {
        let session = try await AdministrationSession(script, at: database)
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        await session.close()
        return try result.get()
    }

    fileprivate static let queue = DispatchQueue(label: "switchyard.tests.administration")

    private static func run(_ script: String, at database: String?) throws -> [[String?]] {
        let (connection, rows) = try connection(running: script, at: database)
        pq_finish(connection)
        return rows
    }

    /// A new connection that has run a script, and the rows of the last statement.
    fileprivate static func connection(
        running script: String, at database: String? = nil
    ) throws -> (connection: OpaquePointer?, rows: [[String?]]) {
        guard let url = database ?? url else { throw AdministrationError(description: "A test \(need).") }
        try LibPQ.require()
        let connection = pq_connectdb(url)
        let result = pq_exec(connection, script)
        defer { pq_clear(result) }
        switch pq_resultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
        default:
            defer { pq_finish(connection) }
            throw AdministrationError(description: String(cString: pq_errorMessage(connection)))
        }
        let rows = (0..<pq_ntuples(result)).map { row in
            (0..<pq_nfields(result)).map { column in
                pq_getisnull(result, row, column) == 1
                    ? nil : pq_getvalue(result, row, column).map { String(cString: $0) }
            }
        }
        return (connection, rows)
    }
}

/// A script that the server did not run.
public struct AdministrationError: Error, CustomStringConvertible {
    /// What libpq says of it.
    public let description: String
}

/// A connection of the superuser that stays open.
///
/// `@unchecked Sendable`: the connection is used on the queue of the administration alone.
private final class AdministrationSession: @unchecked Sendable {
    private var connection: OpaquePointer?

    init(_ script: String, at database: String?) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            PostgresServer.queue.async {
                continuation.resume(
                    with: Result {
                        self.connection = try PostgresServer.connection(running: script, at: database)
                            .connection
                    })
            }
        }
    }

    func close() async {
        await withCheckedContinuation { continuation in
            PostgresServer.queue.async {
                pq_finish(self.connection)
                continuation.resume()
            }
        }
    }
}
