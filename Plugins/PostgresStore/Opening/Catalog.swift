internal import SwitchyardCore

/// The contents of a database schema, from PostgreSQL's system catalogue.
struct Catalog {
    private let session: Session
    private let namespace: String

    init(_ session: Session, namespace: String) {
        self.session = session
        self.namespace = namespace
    }

    func hasNamespace() throws -> Bool {
        try !texts("SELECT nspname::text FROM pg_catalog.pg_namespace WHERE nspname = $1").isEmpty
    }

    /// The names of the tables and views, without those that belong to an extension.
    func relations() throws -> [String] {
        try texts(
            """
            SELECT c.relname::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
            AND NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_depend AS d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
            ORDER BY c.relname
            """)
    }

    /// The columns of the tables, and their constraints and indexes on request.
    func tables(withConstraints: Bool = false) throws -> PostgresTables {
        PostgresTables(
            columns: try columns(), constraints: withConstraints ? try constraints() : [:],
            indexes: withConstraints ? try indexes() : [:],
            conflicts: withConstraints ? try conflicts() : [:],
            restrictions: withConstraints ? try restrictions() : [:],
            takenNames: withConstraints ? try names() : [],
            dependents: withConstraints ? try dependents() : [])
    }

    private func columns() throws -> [String: [String: PostgresTables.Column]] {
        var columns: [String: [String: PostgresTables.Column]] = [:]
        try forEachRow(
            """
            SELECT c.relname::text, a.attname::text, a.atttypid::bigint, a.attnotnull, k.collname::text
            FROM pg_catalog.pg_attribute AS a
            JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_collation AS k ON k.oid = a.attcollation
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
            """
        ) { cells in
            columns[cells[0].string, default: [:]][cells[1].string] = PostgresTables.Column(
                type: cells[2].word, isRequired: cells[3].word == 1,
                collation: cells[4].kind == .null ? nil : cells[4].string)
        }
        return columns
    }

    /// The validated primary and foreign keys, unique constraints and checks.
    private func constraints() throws -> [String: [String: PostgresTables.Constraint]] {
        var constraints: [String: [String: PostgresTables.Constraint]] = [:]
        try forEachRow(
            """
            SELECT c.relname::text, k.conname::text, pg_catalog.pg_get_constraintdef(k.oid), a.attname::text, f.relname::text
            FROM pg_catalog.pg_constraint AS k
            JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
            LEFT JOIN pg_catalog.pg_class AS f ON f.oid = k.confrelid
            WHERE n.nspname = $1 AND k.convalidated AND k.contype IN ('p', 'f', 'u', 'c')
            """
        ) { cells in
            constraints[cells[0].string, default: [:]][cells[1].string] = PostgresTables.Constraint(
                definition: cells[2].string, column: cells[3].kind == .null ? "" : cells[3].string,
                target: cells[4].kind == .null ? nil : cells[4].string)
        }
        return constraints
    }

    /// The valid indexes, and whether each is unique.
    private func indexes() throws -> [String: Bool] {
        var indexes: [String: Bool] = [:]
        try forEachRow(
            """
            SELECT c.relname::text, i.indisunique FROM pg_catalog.pg_index AS i
            JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND i.indisvalid
            """
        ) { indexes[$0[0].string] = $0[1].word == 1 }
        return indexes
    }

    /// Triggers, policies, and foreign keys that act or are not checked at the commit.
    private func conflicts() throws -> [String: [String]] {
        var conflicts: [String: [String]] = [:]
        try forEachRow(
            """
            WITH c AS (
                SELECT c.oid, c.relname::text AS name, c.relrowsecurity FROM pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1)
            SELECT c.name, 'the table ' || c.name || ' has the trigger ' || t.tgname
            FROM c JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal
            UNION ALL SELECT c.name, 'the table ' || c.name || ' has row security' FROM c WHERE c.relrowsecurity
            UNION ALL SELECT c.name, 'the foreign key ' || k.conname
                || CASE WHEN k.condeferred THEN ' has an action' ELSE ' is not deferred' END
            FROM c JOIN pg_catalog.pg_constraint AS k ON k.conrelid = c.oid
            WHERE k.contype = 'f' AND (k.confdeltype <> 'a' OR k.confupdtype <> 'a' OR NOT k.condeferred)
            ORDER BY 2
            """
        ) { conflicts[$0[0].string, default: []].append($0[1].string) }
        return conflicts
    }

    /// The constraints of each table that may refuse a row, and its unique indexes.
    private func restrictions() throws -> [String: [String]] {
        var restrictions: [String: [String]] = [:]
        try forEachRow(
            """
            WITH c AS (
                SELECT c.oid, c.relname::text AS name FROM pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1)
            SELECT c.name, k.conname::text FROM c JOIN pg_catalog.pg_constraint AS k ON k.conrelid = c.oid
            WHERE k.contype IN ('c', 'f', 'p', 'u', 'x')
            UNION SELECT c.name, i.relname::text FROM c JOIN pg_catalog.pg_index AS x ON x.indrelid = c.oid
            JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid WHERE x.indisunique ORDER BY 2
            """
        ) { restrictions[$0[0].string, default: []].append($0[1].string) }
        return restrictions
    }

    private func names() throws -> Set<String> {
        Set(
            try texts(
                """
                SELECT c.relname::text FROM pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'i', 'I', 'S')
                """))
    }

    /// Objects that depend on tables or on their columns, besides their own parts.
    ///
    /// A view depends on a table by its rule. The index of a constraint depends on that, and a default on its column; that a
    /// column is not null is a constraint of its own since PostgreSQL 18. The rules of row-level security outlast a change, as
    /// privileges do.
    private func dependents() throws -> [PostgresTables.Dependent] {
        var dependents: [PostgresTables.Dependent] = []
        try forEachRow(
            """
            SELECT DISTINCT c.relname::text, coalesce(a.attname::text, ''),
                CASE WHEN k.oid IS NOT NULL THEN CASE WHEN k.conrelid = c.oid THEN 'constraint' ELSE 'foreignKey' END
                    WHEN i.oid IS NOT NULL THEN 'index' WHEN t.oid IS NOT NULL THEN 'trigger'
                    WHEN v.oid <> c.oid THEN 'view' ELSE 'other' END,
                coalesce(
                    k.conname::text, i.relname::text, t.tgname::text,
                    CASE WHEN v.oid <> c.oid THEN v.relname::text END,
                    pg_catalog.pg_describe_object(d.classid, d.objid, 0)),
                coalesce(o.relname::text, '')
            FROM pg_catalog.pg_depend AS d
            JOIN pg_catalog.pg_class AS c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p')
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid AND a.attnum > 0
            LEFT JOIN pg_catalog.pg_constraint AS k
                ON d.classid = 'pg_catalog.pg_constraint'::regclass AND k.oid = d.objid
            LEFT JOIN pg_catalog.pg_class AS o ON o.oid = k.conrelid
            LEFT JOIN pg_catalog.pg_class AS i
                ON d.classid = 'pg_catalog.pg_class'::regclass AND i.oid = d.objid AND i.relkind IN ('i', 'I')
            LEFT JOIN pg_catalog.pg_trigger AS t
                ON d.classid = 'pg_catalog.pg_trigger'::regclass AND t.oid = d.objid
            LEFT JOIN pg_catalog.pg_rewrite AS r
                ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND r.oid = d.objid
            LEFT JOIN pg_catalog.pg_class AS v ON v.oid = r.ev_class
            WHERE n.nspname = $1 AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.deptype IN ('n', 'a')
                AND d.classid <> 'pg_catalog.pg_attrdef'::regclass AND NOT coalesce(t.tgisinternal, FALSE)
                AND k.contype IS DISTINCT FROM 'n'
                AND NOT EXISTS (
                    SELECT FROM pg_catalog.pg_policy AS y WHERE d.classid = 'pg_catalog.pg_policy'::regclass
                    AND y.oid = d.objid AND y.polname LIKE 'switchyard\\_%')
            ORDER BY 1, 3, 4
            """
        ) { cells in
            dependents.append(
                PostgresTables.Dependent(
                    table: cells[0].string, column: cells[1].string, kind: cells[2].string,
                    name: cells[3].string, source: cells[4].string))
        }
        return dependents
    }

    /// The first column of a query of texts.
    ///
    /// - Parameters:
    ///   - sql: The query, whose first parameter is the name of the schema.
    ///   - others: The names that are its further parameters.
    /// - Returns: The texts.
    /// - Throws: As a query.
    func texts(_ sql: String, _ others: String...) throws -> [String] {
        var texts: [String] = []
        try forEachRow(sql, others) { texts.append($0[0].string) }
        return texts
    }

    func forEachRow(
        _ sql: String, _ others: [String] = [], _ body: (UnsafeBufferPointer<Cell>) throws -> Void
    ) throws {
        var parameters = Parameters()
        for name in [namespace] + others { try parameters.append(.text(name), as: .text) }
        try session.execute(sql, parameters, isCached: false).forEachRow(body)
    }
}

extension Cell {
    /// A name as text, in UTF-8 like everything that the server sends.
    var string: String { String(decoding: bytes, as: UTF8.self) }
}
