internal import Logging
public import SwitchyardCore
internal import SwitchyardSQL

/// The tables of any database schema, which are read and never changed.
struct PostgresDatabase: ForeignDatabase {
    let parameters: ConnectionParameters
    let options: SessionOptions
    let location: String
    let logger: Logger

    func read<Value>(_ body: (any ForeignSnapshot) throws -> Value) throws -> Value {
        let session = try Session.connect(
            parameters, options: options, canceller: Canceller(), logger: logger)
        try session.begin(.snapshot)
        defer { session.rollback() }
        // Policies would leave out rows in silence: with this, the server refuses instead. The others are the forms of texts.
        try session.script(
            "SET LOCAL row_security = off; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'iso_8601'"
        )
        return try body(SchemaSnapshot(session: session, schema: options.schema, location: location))
    }
}

/// The tables of a schema in one transaction.
private struct SchemaSnapshot: ForeignSnapshot {
    /// The number of rows that the server is asked for at once; each arrives by itself.
    private static let batch = 1_000

    let session: Session
    let schema: String
    let location: String

    /// The tables, views and foreign tables; partitions are part of their table, and an extension's tables
    /// are left out.
    func tables() throws -> [ForeignTable] {
        guard try Catalog(session, namespace: schema).hasNamespace() else {
            throw StoreError(
                .notFound, "There is no schema \(schema) at \(location). Correct the setting schema.")
        }
        let found = try rows(
            """
            SELECT c.relname::text, (c.relkind IN ('r', 'p'))::text FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
            AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
            AND NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
            ORDER BY c.relname
            """)
        guard !found.contains(where: { $0[0] == SQLGenerator.markerTable }) else {
            throw StoreError(
                .invalidArgument,
                "The schema holds a store of Switchyard. Open it, or move it with a switch.")
        }
        let (columns, keys, references) = (try columns(), try primaryKeys(), try foreignKeys())
        let unique = try uniqueConstraints()
        return found.map { table in
            ForeignTable(
                name: table[0], isTable: table[1] == "true", columns: columns[table[0], default: []],
                primaryKey: keys[table[0], default: []], foreignKeys: references[table[0], default: []],
                uniqueConstraints: unique[table[0], default: []])
        }
    }

    private func columns() throws -> [String: [ForeignTable.Column]] {
        try rows(
            """
            SELECT c.relname::text, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
                CASE WHEN a.attgenerated = '' THEN coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '') ELSE '' END
            FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
            LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
            AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """
        ).reduce(into: [:]) { columns, row in
            columns[row[0], default: []].append(
                .init(
                    name: row[1], type: row[2], isOptional: row[3] == "false",
                    defaultValue: ForeignValue(literal: row[4])))
        }
    }

    private func primaryKeys() throws -> [String: [String]] {
        try rows(
            """
            SELECT c.relname::text, a.attname::text
            FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
            CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS u(number, position)
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = u.number
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
            AND k.contype = 'p' ORDER BY u.position
            """
        ).reduce(into: [:]) { keys, row in keys[row[0], default: []].append(row[1]) }
    }

    /// The columns that are unique together in each table; an index over a part of the rows, or over an expression, constrains
    /// other things than columns.
    private func uniqueConstraints() throws -> [String: [[String]]] {
        try rows(
            """
            SELECT c.relname::text, i.indexrelid::text, a.attname::text
            FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid
            CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS u(number, position)
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = u.number
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
            AND i.indisunique AND NOT i.indisprimary AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
            AND u.position <= i.indnkeyatts ORDER BY i.indexrelid, u.position
            """
        ).reduce(into: [String: [(index: String, columns: [String])]]()) { constraints, row in
            if constraints[row[0]]?.last?.index != row[1] {
                constraints[row[0], default: []].append((row[1], []))
            }
            let last = constraints[row[0], default: []].count - 1
            constraints[row[0]]?[last].columns.append(row[2])
        }.mapValues { $0.map(\.columns) }
    }

    /// The foreign keys of each table; one of another schema is named with its schema.
    private func foreignKeys() throws -> [String: [ForeignTable.Reference]] {
        let parts = try rows(
            """
            SELECT c.relname::text, k.oid::text, a.attname::text, b.attname::text,
                CASE WHEN t.relnamespace = c.relnamespace THEN '' ELSE n.nspname || '.' END || t.relname,
                CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'r' THEN 'RESTRICT' ELSE '' END
            FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
            JOIN pg_catalog.pg_class AS t ON t.oid = k.confrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
            CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS u(own, other, position)
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = u.own
            JOIN pg_catalog.pg_attribute AS b ON b.attrelid = t.oid AND b.attnum = u.other
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
            AND k.contype = 'f' AND k.conparentid = 0 ORDER BY k.conname, k.oid, u.position
            """)
        var references: [String: [ForeignTable.Reference]] = [:]
        var rest = parts[...]
        while let first = rest.first {
            let key = rest.prefix { $0[1] == first[1] }
            references[first[0], default: []].append(
                .init(
                    columns: key.map { $0[2] }, table: first[4], targets: key.map { $0[3] },
                    deleteRule: DeleteRule(action: first[5])))
            rest = rest.dropFirst(key.count)
        }
        return references
    }

    func forEachRow(
        of table: ForeignTable, _ columns: [String], _ body: ([ForeignValue]) throws -> Void
    ) throws {
        let kind = try rows(
            """
            SELECT c.relkind::text FROM pg_catalog.pg_class AS c
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1) AND c.relname = $2
            """, table.name)
        // A table that others inherit from would return their rows, too; one with partitions has no rows of its own.
        let only = kind == [["p"]] ? "" : "ONLY "
        let source = "\(only)\(quoted(schema)).\(quoted(table.name))"
        let names = columns.isEmpty ? ["NULL"] : columns.map(quoted)
        let forms = try forms(of: names, in: source)
        let order =
            table.primaryKey.isEmpty
            ? "" : " ORDER BY " + table.primaryKey.map(quoted).joined(separator: ", ")
        let list = zip(names, forms).map { $1.sql($0) }.joined(separator: ", ")
        try session.command("DECLARE \"rows\" NO SCROLL CURSOR FOR SELECT \(list) FROM \(source)\(order)")
        var count: Int
        repeat {
            count = 0
            try session.forEachRow("FETCH \(Self.batch) FROM \"rows\"", isCached: false) { cells in
                count += 1
                try body(zip(cells, forms).map { $1.value($0) })
                return true
            }
        } while count == Self.batch
        try session.command("CLOSE \"rows\"")
    }

    /// The expression that reads each column; the query looks through domains.
    private func forms(of names: [String], in source: String) throws -> [ForeignColumnForm] {
        let shape = try session.execute(
            "SELECT \(names.joined(separator: ", ")) FROM \(source) LIMIT 0", isCached: false)
        return names.indices.map { ForeignColumnForm(typeOID: shape.columnType($0)) }
    }

    /// The rows of a query of the catalogue, all of them texts, about the schema and what else is given.
    private func rows(_ sql: String, _ others: String...) throws -> [[String]] {
        var parameters = Parameters()
        for text in [schema] + others { try parameters.append(.text(text), as: .text) }
        var rows: [[String]] = []
        try session.execute(sql, parameters, isCached: false).forEachRow { cells in
            rows.append(cells.map { String(decoding: $0.bytes, as: UTF8.self) })
        }
        return rows
    }

    private func quoted(_ name: String) -> String {
        "\"" + name.replacingBytes(of: "\"", with: "\"\"") + "\""
    }
}

extension PostgresPlugin: ForeignDatabasePlugin {
    /// The tables of the setting `schema`, which need not be a store.
    ///
    /// Numbers, truth values, bytes and UUIDs are read as such. Everything else is text: a time as ISO 8601,
    /// in UTC if its column has a zone and without a zone if not; a `numeric`, a day, JSON, an `enum` or an
    /// array as the server prints it. A domain is read as its base type.
    ///
    /// The database user must be able to read all rows: a table whose policies hide some of them is refused.
    public static func foreignDatabase(_ settings: StoreSettings) throws -> any ForeignDatabase {
        let expanded = try expandingURL(settings)
        return PostgresDatabase(
            parameters: try ConnectionParameters(expanded), options: try sessionOptions(expanded),
            location: location(of: expanded), logger: .current)
    }
}
