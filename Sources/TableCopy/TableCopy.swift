public import Logging
internal import PostgresStore
internal import SQLiteStore
internal import SwitchyardCore
internal import SwitchyardTransfer

/// Copies all tables of an SQLite file that is not a Switchyard store into a PostgreSQL database.
///
/// The file is read in one snapshot and never changed. One transaction on the server creates everything, and
/// commits after every table was read back and found to hold the same rows. If anything fails, nothing is
/// left.
///
/// ```swift
/// let copy = TableCopy(from: "chinook.sqlite", to: "postgres://server/music")
/// let plan = try await copy.plan()
/// for finding in plan.findings { print(finding.message) }
/// let report = try await copy.run()
/// ```
public struct TableCopy: Sendable {
    /// How many seconds to wait for writers of the file.
    private static let busyTimeout = 10.0

    private let path: String
    private let url: String
    private let logger: Logger

    /// Describes a copy; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - path: The SQLite file.
    ///   - url: The database, as `PostgresPlugin` takes it: `postgres://user@host/database?schema=music`. The tables go to
    ///     the schema `public` unless it names another, which is created if it is missing. The setting
    ///     `statementTimeout`, 3,600 seconds unless given, limits the time for the rows of one table.
    ///   - logger: Receives the notices of the server.
    public init(
        from path: String, to url: String,
        logger: Logger = Logger(label: "switchyard.copy") { _ in SwiftLogNoOpLogHandler() }
    ) {
        (self.path, self.url, self.logger) = (path, url, logger)
    }

    /// Counts all values, and plans each table; nothing is changed in either database.
    ///
    /// - Returns: The plan, which may be an impossible one.
    /// - Throws: `configuration`, `authentication` or `connectionLost` for the server; `notFound`, `notAStore`,
    ///   `corrupted`, `busy` or `inputOutput` for the file; `invalidArgument` for a store of Switchyard, and for names
    ///   that the database already holds; `cancelled`.
    /// - Complexity: O(rows) time, in constant memory.
    public func plan() async throws -> TableCopyPlan {
        try await onServer { server, session in
            try FileSnapshot.read(path, busyTimeout: Self.busyTimeout) { snapshot in
                let plan = TableCopyPlan(try planner(snapshot, session, server) { _, _ in })
                try snapshot.requireUnchanged()
                return plan
            }
        }
    }

    /// Copies the tables, and compares them.
    ///
    /// - Parameter progress: Receives the progress of the copy, on the thread of the copy; it should return
    ///   soon.
    /// - Returns: What was copied.
    /// - Throws: As `plan()`; `valueNotRepresentable` if the plan is not possible; `verification`, with the
    ///   table, if the server does not return what the file holds; `full`, `timedOut`; `outcomeUnknown` if
    ///   the connection broke during the commit. After every other error the database is unchanged.
    /// - Complexity: O(rows) time, in constant memory.
    public func run(
        _ progress: @escaping @Sendable (TableCopyProgress) -> Void = { _ in }
    ) async throws -> TableCopyReport {
        try await onServer { server, session in
            try FileSnapshot.read(path, busyTimeout: Self.busyTimeout) { snapshot in
                let planner = try planner(snapshot, session, server) { table, rows in
                    progress(.counted(table: table, rows: rows))
                }
                let plan = TableCopyPlan(planner)
                progress(.planned(plan))
                try plan.requirePossible()
                try session.beginWriting()
                let tables = try TableLoad(planner, session, server).copy(from: snapshot, progress)
                try snapshot.requireUnchanged()
                try session.commit()
                return TableCopyReport(tables: tables, findings: plan.findings)
            }
        }
    }

    /// Counts all values, once it is known that the database has room for the names.
    private func planner(
        _ snapshot: FileSnapshot, _ session: LoadSession, _ server: LoadConnection,
        _ counting: (String, Int) -> Void
    ) throws -> TablePlanner {
        let catalog = try SourceCatalog(snapshot)
        try session.beginReading()
        try TableLoad.requireRoom(for: catalog.tables, session, server)
        let limits = try ServerLimits(session)
        session.endReading()
        return try TablePlanner(catalog, snapshot, schema: server.schema, limits, counting)
    }

    /// Runs blocking work on a connection's thread.
    private func onServer<Value: Sendable>(
        _ work: @escaping @Sendable (LoadConnection, LoadSession) throws -> Value
    ) async throws -> Value {
        let server = try await LoadConnection.open(url, logger: logger)
        let result: Result<Value, any Error>
        do {
            result = .success(try await server.perform { try work(server, $0) })
        } catch {
            result = .failure(error)
        }
        await server.close()
        return try result.get()
    }
}

extension TableCopyPlan {
    fileprivate func requirePossible() throws {
        let refused = findings.filter { $0.kind == .refused }
        guard let first = refused.first else { return }
        let others =
            switch refused.count {
            case 1: ""
            case 2: " There is one more such finding."
            default: " There are \(refused.count - 1) more such findings."
            }
        throw StoreError(
            .valueNotRepresentable, "\(first.message)\(others) Nothing was created.")
    }
}
