package import Logging
package import SwitchyardCore

/// A connection for tables that are no store's.
package struct LoadConnection: Sendable {
    /// How long a statement may run unless the URL says so: a COPY of a whole table is one.
    private static let statementTimeout = Duration.seconds(3_600)

    private let connection: Connection
    /// The database schema of the tables.
    package let schema: String
    /// The server's address, as error messages name it.
    package let place: String

    /// Connects to the server of a URL, which may hold the settings of `PostgresPlugin`.
    ///
    /// - Throws: `configuration`, `authentication`, `connectionLost`, `busy`, `unsupported`.
    package static func open(_ url: String, logger: Logger) async throws -> LoadConnection {
        // Checked first, because a URL of another kind may be the path of a file.
        let hasTimeout = try PostgresPlugin.settings(fromURL: url)["statementTimeout"] != nil
        let settings = try PostgresPlugin.expandingURL(
            StoreSettings(["url": url], for: PostgresPlugin.self))
        let parameters = try ConnectionParameters(settings)
        var options = try PostgresPlugin.sessionOptions(settings)
        if !hasTimeout { options.statementTimeout = statementTimeout }
        return LoadConnection(
            connection: try await Connection.open(parameters, options: options, logger: logger),
            schema: options.schema, place: parameters.place)
    }

    /// Runs work on the connection's thread, which may block, and rolls back a transaction that it leaves open.
    ///
    /// - Throws: What the work throws; `connectionLost`.
    package func perform<Value: Sendable>(
        _ work: @escaping @Sendable (LoadSession) throws -> Value
    ) async throws -> Value {
        let outcome = await connection.perform { try work(LoadSession(session: $0)) }
        guard let result = outcome.result else {
            throw StoreError(
                .connectionLost,
                "The connection to the PostgreSQL server was lost; nothing was changed. Run it again.")
        }
        return try result.get()
    }

    /// Ends the connection.
    package func close() async { await connection.close() }
}

/// What `LoadConnection.perform` works with; not Sendable, like the session.
package struct LoadSession {
    fileprivate let session: Session

    /// Begins a transaction that only reads, in one snapshot.
    ///
    /// - Throws: `connectionLost`.
    package func beginReading() throws { try session.begin(.snapshot) }

    /// Ends a transaction that has only read.
    package func endReading() { session.rollback() }

    /// Begins a transaction that writes.
    ///
    /// - Throws: `connectionLost`.
    package func beginWriting() throws { try session.begin(.serializable) }

    /// Commits the transaction.
    ///
    /// - Throws: As `Session.commit`: among others `outcomeUnknown`.
    package func commit() throws { try session.commit() }

    /// Runs a statement without a result.
    package func run(_ sql: String) throws { try session.command(sql) }

    /// The rows of a short query whose columns are all texts.
    package func texts(_ sql: String) throws -> [[String]] {
        var rows: [[String]] = []
        try session.execute(sql, isCached: false).forEachRow { cells in
            rows.append(cells.map { String(decoding: $0.bytes, as: UTF8.self) })
        }
        return rows
    }

    /// Runs a COPY to the server, whose rows the body gives to its argument.
    ///
    /// - Throws: The translation of the server's error; what the body throws.
    package func copyIn(
        _ sql: String, types: [WireType],
        _ body: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Void
    ) throws {
        let copy = try CopyIn(session, sql, types: types)
        do {
            try body { try copy.write($0) }
        } catch {
            copy.abandon()
            throw error
        }
        _ = try copy.finish()
    }

    /// Calls the body with each row of a query, by a COPY from the server.
    ///
    /// - Throws: The translation of the server's error; `corrupted` for a column of another type; what the body throws.
    package func forEachRow(
        _ sql: String, types: [WireType], _ body: (UnsafeBufferPointer<Cell>) throws -> Void
    ) throws {
        try session.forEachCopiedRow(sql, types: types) { cells in
            try body(cells)
            return true
        }
    }
}
