internal import Foundation
public import SwitchyardCore

/// The store's own two tables: `switchyard_store`, with one row that describes the store, and `switchyard_operation`,
/// with the ids of recent writes, each in its scope if the store has scopes. The row of `switchyard_store` belongs to
/// no scope. Where several transactions write at once, there is a third, `switchyard_queue`.
extension SQLGenerator {
    /// The name of the table of the marker, unquoted.
    public static let markerTable = "switchyard_store"
    /// The name of the table of operations, unquoted.
    public static let operationTable = "switchyard_operation"

    /// The name of the table of the rows on which the writers of each scope queue, unquoted.
    public static let queueTable = "switchyard_queue"

    /// The names of all tables that a write can change, unquoted.
    var writtenTables: [String] { Self.tables(writtenWith: schema) }

    /// The names of all tables that a write can change in a store of a schema, unquoted.
    static func tables(writtenWith schema: Schema) -> [String] {
        schema.tables.map(\.table) + [operationTable]
    }

    func createBookkeeping() -> [String] {
        let operation = qualified(Self.operationTable)
        return [
            createMarkerTable(), createOperations(),
            "CREATE INDEX \"switchyard_operation_committed_at\" ON \(operation) (\(key(["\"committed_at\""])))",
        ] + (dialect.queuesWriters ? [createQueue()] : [])
    }

    func createMarkerTable() -> String {
        func type(_ type: AttributeType) -> String { dialect.columnTypes[type] ?? "" }
        return """
            CREATE TABLE \(qualified(Self.markerTable)) (
                "singleton" \(type(.int)) NOT NULL PRIMARY KEY CHECK ("singleton" = 1),
                "id" \(type(.uuid)) NOT NULL,
                "format" \(type(.int)) NOT NULL,
                "generation" \(type(.int)) NOT NULL,
                "role" \(type(.text)) NOT NULL,
                "successor" \(type(.text)),
                "version" \(type(.text)) NOT NULL,
                "fingerprint" \(type(.text)) NOT NULL,
                "era" \(type(.int)) NOT NULL,
                "digest" \(type(.text)) NOT NULL,
                "marker" \(type(.json)) NOT NULL
            )\(dialect.tableOptions)
            """
    }

    private func createQueue() -> String {
        "CREATE TABLE \(qualified(Self.queueTable)) "
            + "(\(Self.scopeColumn) \(dialect.columnTypes[.uuid] ?? "") NOT NULL PRIMARY KEY)\(dialect.tableOptions)"
    }

    /// The text that locks the row of the bound scope until the transaction ends, and first creates it if it
    /// is missing; nil if only one transaction writes at a time.
    ///
    /// The row is locked regardless of the condition (PostgreSQL's manual, "INSERT").
    var enterQueue: String? {
        guard dialect.queuesWriters else { return nil }
        var writer = SQLWriter(self)
        writer.write("INSERT INTO \(qualified(Self.queueTable)) (\(Self.scopeColumn)) VALUES (")
        writer.writePlaceholder(1)
        writer.write(
            ") ON CONFLICT (\(Self.scopeColumn)) DO UPDATE "
                + "SET \(Self.scopeColumn) = EXCLUDED.\(Self.scopeColumn) WHERE FALSE")
        return writer.statement.text
    }

    private func createOperations() -> String {
        func type(_ type: AttributeType) -> String { dialect.columnTypes[type] ?? "" }
        if isScoped { return createScopedOperations() }
        let (sequence, key, options) =
            switch dialect.clock {
            case .server: ("", "PRIMARY KEY", dialect.tableOptions)
            case .device(let sequence): ("\n    \(sequence),", "UNIQUE", dialect.numberedTableOptions)
            }
        return """
            CREATE TABLE \(qualified(Self.operationTable)) (\(sequence)
                "id" \(type(.uuid)) NOT NULL \(key),
                "committed_at" \(type(.timestamp)) NOT NULL
            )\(options)
            """
    }

    /// Returns the statement that selects the scopes after another one that have a row in any table, in
    /// ascending order, each with the greatest id of its history.
    ///
    /// It looks up one scope after the other by the keys, in which the scope comes first: neither database
    /// skips rows automatically to find the distinct values of a key's first column.
    ///
    /// - Throws: `schemaMismatch` for a table that is not in the schema.
    public func selectScopes(after last: StoreScope?, limit: Int) throws -> SQLStatement {
        guard !isDistributed else { return try selectDistributedScopes(after: last, limit: limit) }
        let (scope, history) = (Self.scopeColumn, try layout(HistoryAddition.entity.name).table)
        var writer = SQLWriter(self)
        func writeNext(_ writeBound: ((inout SQLWriter) -> Void)?) {
            writer.write("(SELECT \"scope\" FROM (")
            writer.list(writtenTables, separator: " UNION ALL ") { writer, table in
                writer.write("SELECT * FROM (SELECT \(scope) AS \"scope\" FROM \(qualified(table))")
                if let writeBound {
                    writer.write(" WHERE \(scope) > ")
                    writeBound(&writer)
                }
                writer.write(" ORDER BY \(scope) LIMIT 1) AS \"first\"")
            }
            writer.write(") AS \"firsts\" ORDER BY \"scope\" LIMIT 1)")
        }
        writer.write("WITH RECURSIVE \"held\" (\"scope\", \"number\") AS (SELECT ")
        writeNext(last.map { last in { $0.placeholder(.value(.uuid(last.uuid), .uuid)) } })
        writer.write(", 1 UNION ALL SELECT ")
        writeNext { $0.write("\"held\".\"scope\"") }
        writer.write(", \"number\" + 1 FROM \"held\" WHERE \"scope\" IS NOT NULL AND \"number\" < ")
        writer.value(.int(Int64(limit)), .int)
        writer.write(
            ") SELECT \"scope\", "
                + "(SELECT \"id\" FROM \(history) WHERE \(scope) = \"held\".\"scope\" "
                + "ORDER BY \(scope) DESC, \"id\" DESC LIMIT 1) FROM \"held\" WHERE \"scope\" IS NOT NULL ORDER BY \"number\""
        )
        return writer.statement
    }

    /// The name of the function that tells a mirror's service the ends of the histories that row-level security hides.
    static let headsFunction = "switchyard_heads"

    /// The statement that tells whether the function is there for the role; nil where no row is hidden.
    var selectHeadsPrivilege: SQLStatement? {
        guard dialect.hidesRows else { return nil }
        return SQLStatement(
            text: "SELECT coalesce(pg_catalog.has_function_privilege("
                + "pg_catalog.to_regprocedure($1)::oid, 'EXECUTE'), false)",
            parameters: [.value(.text("\(qualified(Self.headsFunction))(uuid[])"), .text)])
    }

    /// Returns the statement that selects some scopes, each with the greatest id of its history, by the key.
    ///
    /// - Parameters:
    ///   - scopes: The scopes.
    ///   - isGranted: Whether the function is asked, since the transaction does not see the histories.
    /// - Returns: The statement.
    /// - Throws: `schemaMismatch` for a table that is not in the schema.
    func selectHeads(of scopes: [StoreScope], asGranted isGranted: Bool) throws -> SQLStatement {
        let list = SQLParameter.list(scopes.map { .uuid($0.uuid) }, .uuid)
        var writer = SQLWriter(self)
        if isGranted {
            writer.write("SELECT \"scope\", \"number\" FROM \(qualified(Self.headsFunction))(")
            writer.placeholder(list)
            writer.write(")")
            return writer.statement
        }
        let history = try layout(HistoryAddition.entity.name).table
        writer.write("SELECT \"listed\".\"scope\", \(lastNumber(in: history)) FROM ")
        switch dialect.membership {
        case .anyArray:
            writer.write("unnest(")
            writer.placeholder(list)
            writer.write(") AS \"listed\" (\"scope\")")
        case .tableFunction(let name):
            writer.write("(SELECT \"value\" AS \"scope\" FROM \(SQLDialect.quoted(name))(")
            writer.placeholder(list)
            writer.write(")) AS \"listed\"")
        }
        return writer.statement
    }

    /// The query of the greatest id in the history of the scope `listed.scope`.
    func lastNumber(in history: String) -> String {
        let scope = Self.scopeColumn
        return "(SELECT \"id\" FROM \(history) WHERE \(scope) = \"listed\".\"scope\" "
            + "ORDER BY \(scope) DESC, \"id\" DESC LIMIT 1)"
    }

    /// Returns the statement that creates the table of operations with scopes.
    ///
    /// A device numbers the operations of each scope separately, from the last number: its writes are serial.
    private func createScopedOperations() -> String {
        func type(_ type: AttributeType) -> String { dialect.columnTypes[type] ?? "" }
        let sequence =
            switch dialect.clock {
            case .server: ""
            case .device:
                "\n    \"sequence\" \(type(.int)) NOT NULL,\n    UNIQUE (\(key(["\"sequence\""]))),"
            }
        return """
            CREATE TABLE \(qualified(Self.operationTable)) (
                \(Self.scopeColumn) \(type(.uuid)) NOT NULL,
                "id" \(type(.uuid)) NOT NULL,
                "committed_at" \(type(.timestamp)) NOT NULL,\(sequence)
                PRIMARY KEY (\(key(["\"id\""])))
            )\(dialect.tableOptions)
            """
    }

    /// Returns the text that reads the marker's JSON, without parameters; it needs no schema.
    public static func selectMarker(in namespace: String? = nil) -> String {
        "SELECT \"marker\" FROM \(SQLDialect.quoted(markerTable, in: namespace))"
    }

    /// Returns the text that reads what every write checks first, without parameters: role, successor, fingerprint and
    /// the era of the history.
    public static func selectControl(in namespace: String? = nil) -> String {
        "SELECT \"role\", \"successor\", \"fingerprint\", \"era\" FROM \(SQLDialect.quoted(markerTable, in: namespace))"
    }

    /// The text of a query of the control row that fails, by a division by zero, unless role, fingerprint and era have
    /// the bound values.
    ///
    /// A write that is committed in the same round trip cannot look at the row in between.
    var controlRequirement: String {
        var writer = SQLWriter(self)
        for (number, column) in ["role", "fingerprint", "era"].enumerated() {
            writer.write("\(number == 0 ? "SELECT 1 / CAST(" : " AND ")\(SQLDialect.quoted(column)) = ")
            writer.writePlaceholder(number + 1)
        }
        writer.write(" AS INTEGER) FROM \(qualified(Self.markerTable))")
        return writer.statement.text
    }

    /// Returns the text that reads the marker's digest, which is another one after each change, without parameters.
    package static func selectMarkerDigest(in namespace: String? = nil) -> String {
        "SELECT \"digest\" FROM \(SQLDialect.quoted(markerTable, in: namespace))"
    }

    /// Returns the text that reads the marker's summary, in the order of its members, followed by the marker's JSON,
    /// without parameters.
    public static func selectMarkerSummary(in namespace: String? = nil) -> String {
        """
        SELECT "format", "role", "version", "fingerprint", "digest", "marker" FROM \
        \(SQLDialect.quoted(markerTable, in: namespace))
        """
    }

    /// Returns the statement that inserts the marker of a new store.
    ///
    /// - Throws: `valueNotRepresentable` if the marker cannot be written as JSON.
    public func insertMarker(_ marker: StoreMarker) throws -> SQLStatement {
        var writer = SQLWriter(self)
        let columns = try columns(of: marker)
        writer.write("INSERT INTO \(qualified(Self.markerTable)) (\"singleton\"")
        for column in columns { writer.write(", \(SQLDialect.quoted(column.name))") }
        writer.write(") VALUES (1")
        for column in columns {
            writer.write(", ")
            writer.placeholder(column.parameter)
        }
        writer.write(")")
        return writer.statement
    }

    /// Returns the statement that updates the marker of a store.
    ///
    /// - Throws: `valueNotRepresentable` if the marker cannot be written as JSON.
    public func updateMarker(_ marker: StoreMarker) throws -> SQLStatement {
        var writer = SQLWriter(self)
        writer.write("UPDATE \(qualified(Self.markerTable)) SET ")
        writer.list(try columns(of: marker)) { writer, column in
            writer.write("\(SQLDialect.quoted(column.name)) = ")
            writer.placeholder(column.parameter)
        }
        return writer.statement
    }

    /// The columns beside the JSON of the marker.
    static let markerColumns: [(name: String, type: AttributeType)] = [
        ("id", .uuid), ("format", .int), ("generation", .int), ("role", .text), ("successor", .text),
        ("version", .text), ("fingerprint", .text), ("era", .int), ("digest", .text),
    ]

    /// The values of these columns for a marker and its JSON.
    static func values(of marker: StoreMarker, json: String) -> [StoredValue] {
        let summary = StoreMarker.Summary(marker, json: json)
        return [
            .uuid(marker.storeID), .int(Int64(marker.format)), .int(marker.generation), .text(summary.role),
            marker.successor.map { .text($0) } ?? .null, .text(summary.version), .text(summary.fingerprint),
            .int(marker.recordingEra), .text(summary.digest),
        ]
    }

    private func columns(of marker: StoreMarker) throws -> [(name: String, parameter: SQLParameter)] {
        let marker = marker.relative(to: directory)
        let json = try CanonicalJSON.text(marker)
        return zip(Self.markerColumns, Self.values(of: marker, json: json)).map { column, value in
            (column.name, .value(value, column.type))
        } + [("marker", .value(.json(json), .json))]
    }

    /// Returns the text that reads what is kept beside the JSON of the marker, followed by the JSON, without parameters.
    static func selectMarkerColumns(in namespace: String? = nil) -> String {
        let names = (markerColumns.map(\.name) + ["marker"]).map { SQLDialect.quoted($0) }
        return "SELECT \(names.joined(separator: ", ")) FROM \(SQLDialect.quoted(markerTable, in: namespace))"
    }

    /// Returns the statement that records the id of a write that is being committed.
    ///
    /// - Parameters:
    ///   - operation: The id.
    ///   - now: The device's time in microseconds since 1970, which is used if there is no server with a clock.
    /// - Returns: The statement.
    public func recordOperation(_ operation: OperationID, at now: Int64) -> SQLStatement {
        var writer = recordingOperation(operation)
        switch dialect.clock {
        case .server(let now): writer.write(now)
        case .device: writer.placeholder(.value(.timestamp(now), .timestamp))
        }
        writer.write(")")
        return writer.statement
    }

    /// The beginning of a statement that records an id, up to the time.
    private func recordingOperation(_ operation: OperationID) -> SQLWriter {
        var writer = SQLWriter(self)
        let table = qualified(Self.operationTable)
        var columns = ["\"id\"", "\"committed_at\""]
        if isScoped, case .device = dialect.clock { columns.insert("\"sequence\"", at: 0) }
        writer.write("INSERT INTO \(table) (\(key(columns))) VALUES (")
        if let scope = scopes.first {
            writer.placeholder(.value(.uuid(scope.uuid), .uuid))
            writer.write(", ")
            if case .device = dialect.clock {
                writer.write("(SELECT COALESCE(MAX(\"sequence\"), 0) + 1 FROM \(table) WHERE ")
                writer.scope()
                writer.write("), ")
            }
        }
        writer.placeholder(.value(.uuid(operation.uuid), .uuid))
        writer.write(", ")
        return writer
    }

    /// Returns the statement that deletes the operations that are older than `OperationID.retention`.
    ///
    /// By a device's clock, the last `OperationID.leastKept` of them are kept.
    ///
    /// - Parameter now: The device's time in microseconds since 1970, which is used if there is no server with a clock.
    /// - Returns: The statement.
    public func forgetOperations(at now: Int64) -> SQLStatement {
        let table = qualified(Self.operationTable)
        let seconds = Int64(OperationID.retention)
        var writer = SQLWriter(self)
        writer.write("DELETE FROM \(table) WHERE ")
        writer.scopeAnd()
        switch dialect.clock {
        case .server(let now): writer.write("\"committed_at\" < \(now) - INTERVAL '\(seconds) seconds'")
        case .device:
            // A clock that was fast for a while has left operations in the future, which would be kept for too long.
            writer.write("(\"committed_at\" < ")
            writer.placeholder(.value(.timestamp(now - seconds * 1_000_000), .timestamp))
            writer.write(" OR \"committed_at\" > ")
            writer.placeholder(.value(.timestamp(now + seconds * 1_000_000), .timestamp))
            // The `+` keeps SQLite from using this index, by which it would search all but the last operations for old
            // ones.
            writer.write(") AND +\"sequence\" <= (SELECT MAX(\"sequence\") FROM \(table)")
            if isScoped {
                writer.write(" WHERE ")
                writer.scope()
            }
            writer.write(") - \(OperationID.leastKept)")
        }
        return writer.statement
    }

    /// Returns the statement that selects the recorded ids after another one, in ascending order, with the times of their
    /// commits.
    public func selectOperations(after last: OperationID?, limit: Int) -> SQLStatement {
        var writer = SQLWriter(self)
        writer.write("SELECT \"id\", \"committed_at\" FROM \(qualified(Self.operationTable)) WHERE ")
        writer.scopeAnd()
        if let last {
            writer.write("\"id\" > ")
            writer.placeholder(.value(.uuid(last.uuid), .uuid))
        } else {
            writer.write("TRUE")
        }
        writer.write(" ORDER BY \"id\" LIMIT ")
        writer.value(.int(Int64(limit)), .int)
        return writer.statement
    }

    /// Returns the statement that records the id of another store's write, unless it is recorded.
    ///
    /// By a server's clock it is not older than now: the clock of the device that wrote may be wrong.
    public func adoptOperation(_ operation: CommittedOperation) -> SQLStatement {
        var writer = recordingOperation(operation.id)
        let time = SQLParameter.value(.timestamp(operation.time), .timestamp)
        if case .server(let now) = dialect.clock {
            writer.write("GREATEST(\(now), ")
            writer.placeholder(time)
            writer.write(")")
        } else {
            writer.placeholder(time)
        }
        writer.write(") ON CONFLICT (\(key(["\"id\""]))) DO NOTHING")
        return writer.statement
    }

    /// Returns the statement that selects one row if the write with an operation id was committed, and none otherwise.
    public func findOperation(_ operation: OperationID) -> SQLStatement {
        var writer = SQLWriter(self)
        writer.write("SELECT \"id\" FROM \(qualified(Self.operationTable)) WHERE ")
        writer.scopeAnd()
        writer.write("\"id\" = ")
        writer.placeholder(.value(.uuid(operation.uuid), .uuid))
        return writer.statement
    }
}
