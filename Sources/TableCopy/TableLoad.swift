internal import PostgresStore
internal import SQLiteStore
internal import SwitchyardCore
internal import SwitchyardTransfer

/// The work on the server, in one transaction, which the caller begins and ends.
struct TableLoad {
    /// The number of rows between reports of progress.
    private static let step = 100_000

    private let planner: TablePlanner
    private let session: LoadSession
    private let server: LoadConnection

    init(_ planner: TablePlanner, _ session: LoadSession, _ server: LoadConnection) {
        (self.planner, self.session, self.server) = (planner, session, server)
    }

    /// Refuses a database schema that holds relations of the same names.
    ///
    /// - Throws: `invalidArgument`, with the names.
    static func requireRoom(
        for tables: [SourceTable], _ session: LoadSession, _ server: LoadConnection
    ) throws {
        let indexes = tables.flatMap { $0.indexes.filter { !$0.isConstraint }.map(\.name) }
        let wanted = Set(tables.map(\.name) + indexes)
        let found = try session.texts(
            """
            SELECT c.relname::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = \(server.schema.quotedText) ORDER BY c.relname
            """
        ).map { $0[0] }.filter(wanted.contains)
        guard !found.isEmpty else { return }
        let names = found.prefix(5).joined(separator: ", ") + (found.count > 5 ? ", …" : "")
        throw StoreError(
            .invalidArgument,
            "The schema \(server.schema) at \(server.place) already holds: \(names). Give another with ?schema=NAME; nothing "
                + "was changed.")
    }

    /// Makes the tables, copies the rows, and compares what the server returns.
    func copy(
        from snapshot: FileSnapshot, _ progress: (TableCopyProgress) -> Void
    ) throws -> [TableCopyReport.Table] {
        try Self.requireRoom(for: planner.tables.map(\.source), session, server)
        try create()
        let digests = try planner.tables.map { try send($0, snapshot, progress) }
        for table in planner.tables {
            progress(.indexing(table: table.source.name))
            for index in table.indexes where !index.isRenamed { try run(index, of: table) }
        }
        // PostgreSQL chooses names for indexes and keys that avoid existing ones.
        for table in planner.tables {
            for index in table.indexes where index.isRenamed { try run(index, of: table) }
            for sql in table.keys { try run(sql, of: table.source.name) }
        }
        for key in planner.foreignKeys { try run(key.sql, of: key.table) }
        for table in planner.tables { try session.run("ANALYZE \(table.name)") }
        return try zip(planner.tables, digests).map { table, digest in
            try verify(table, digest)
            progress(.verified(table: table.source.name, rows: digest.count))
            return TableCopyReport.Table(name: table.source.name, digest: digest)
        }
    }

    private func run(_ index: TargetTable.Index, of table: TargetTable) throws {
        try run(index.sql, of: table.source.name, index: index.name)
    }

    /// Runs a statement, whose error names the table and the index even if the server does not.
    private func run(_ sql: String, of table: String, index: String? = nil) throws {
        do {
            try session.run(sql)
        } catch var error as StoreError {
            error.entity = error.entity ?? table
            error.constraint = error.constraint ?? index
            throw error
        }
    }

    /// Creates the tables, and the schema if it is missing.
    ///
    /// - Throws: `invalidArgument` if another client creates tables of the same names.
    private func create() throws {
        let isThere = try session.texts(
            "SELECT nspname::text FROM pg_catalog.pg_namespace WHERE nspname = \(server.schema.quotedText)")
        do {
            if isThere.isEmpty { try session.run("CREATE SCHEMA \(server.schema.quoted)") }
            for table in planner.tables { try session.run(table.create) }
        } catch let error as StoreError where error.meansTaken {
            throw StoreError(
                .invalidArgument,
                "Another client has just created a table or type of the same name in the schema "
                    + "\(server.schema) at \(server.place). Inspect it; this copy has changed nothing.",
                detail: error.detail, underlying: error)
        }
    }

    /// Sends the rows of a table.
    ///
    /// - Returns: The digest of what the file returned.
    private func send(
        _ table: TargetTable, _ snapshot: FileSnapshot, _ progress: (TableCopyProgress) -> Void
    ) throws -> RowsDigest {
        var (digest, form) = (RowsDigest(), SourceForm(table.types))
        let conversion = RowConversion(table.types)
        let name = table.source.name
        progress(.copying(table: name, rows: 0, of: table.rows))
        try session.copyIn(
            "COPY \(table.name) (\(table.columnList)) FROM STDIN (FORMAT binary)",
            types: table.types.map(\.wire)
        ) { write in
            try snapshot.forEachRow(table.select) { row in
                form.read(file: row)
                digest.add(canonical: form.bytes)
                try write(try conversion.convert(row))
                if digest.count.isMultiple(of: Self.step) {
                    progress(.copying(table: name, rows: digest.count, of: table.rows))
                }
            }
        }
        return digest
    }

    /// Reads a table back.
    ///
    /// - Throws: `verification` if it does not hold the same rows.
    private func verify(_ table: TargetTable, _ digest: RowsDigest) throws {
        var (found, form) = (RowsDigest(), SourceForm(table.types))
        do {
            try session.forEachRow(table.readBack, types: table.types.map(\.wire)) { row in
                form.read(server: row)
                found.add(canonical: form.bytes)
            }
        } catch let error as StoreError where error.code == .corrupted {
            throw StoreError(
                .verification,
                "The server returned a value that the file cannot have held. Nothing was created.",
                entity: table.source.name, attribute: error.attribute, underlying: error)
        }
        guard found != digest else { return }
        let what =
            found.count == digest.count
            ? "\(found.count) rows, but not the same ones" : "\(found.count) rows instead of \(digest.count)"
        throw StoreError(
            .verification, "The server returned \(what). Nothing was created.", entity: table.source.name)
    }
}

extension StoreError {
    /// Whether PostgreSQL refuses a name because it is taken: duplicate_table, duplicate_schema, duplicate_object, or
    /// unique_violation in its own catalogue.
    fileprivate var meansTaken: Bool {
        ["42P07", "42P06", "42710", "23505"].contains((underlying as? PostgresError)?.sqlState ?? "")
    }
}
