internal import SwitchyardCore
internal import SwitchyardSQL

/// Compares the rules of row-level security that a database has with those that a store should have, and looks for ways
/// around them.
struct RowSecurityCheck {
    private let session: Session
    private let catalog: Catalog
    private let security: RowSecurity

    /// - Parameters:
    ///   - session: A session in a transaction, whose search path is that of the catalogue.
    ///   - security: What should be there.
    ///   - namespace: The database schema of the store.
    init(_ session: Session, _ security: RowSecurity, namespace: String) {
        (self.session, self.security) = (session, security)
        catalog = Catalog(session, namespace: namespace)
    }

    /// The gaps, one sentence each.
    func gaps() throws -> [String] {
        guard
            try !catalog.texts(
                "SELECT 'found' FROM pg_catalog.pg_roles WHERE $1 <> '' AND rolname = $2", role
            ).isEmpty
        else { return ["The role \(role) does not exist. Run grant."] }
        return try roles() + tables() + policies() + privileges() + functions() + identities() + probes()
    }

    private var role: String { security.role }

    /// A query of the role and of those that are its members, but the owner, with their object ids.
    private static let servants = """
        WITH RECURSIVE servants (oid) AS (
            SELECT oid FROM pg_catalog.pg_roles WHERE rolname = $2
            UNION
            SELECT m.member FROM pg_catalog.pg_auth_members AS m JOIN servants AS s ON s.oid = m.roleid
            JOIN pg_catalog.pg_roles AS r ON r.oid = m.member WHERE r.rolname <> $3)
        """

    // MARK: Roles

    /// Roles to which no rule applies, or that can become one.
    private func roles() throws -> [String] {
        try catalog.texts(
            Self.servants + """
                SELECT CASE
                    WHEN r.rolsuper THEN 'The role ' || r.rolname || ' is a superuser, to whom no rule applies. Use another one.'
                    WHEN r.rolbypassrls THEN 'The role ' || r.rolname
                        || ' has BYPASSRLS, so that no rule applies to it. Run ALTER ROLE … NOBYPASSRLS.'
                    WHEN pg_catalog.pg_has_role(r.oid, o.oid, 'MEMBER') THEN 'The role ' || r.rolname
                        || ' is a member of ' || o.rolname || ', which owns the store. Run REVOKE.'
                    ELSE 'The role ' || r.rolname || ' may create roles, and so become another one. Run ALTER ROLE … NOCREATEROLE.'
                    END
                FROM servants AS s JOIN pg_catalog.pg_roles AS r ON r.oid = s.oid
                JOIN pg_catalog.pg_roles AS o ON o.rolname = $3
                WHERE $1 <> '' AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole
                    OR pg_catalog.pg_has_role(r.oid, o.oid, 'MEMBER'))
                ORDER BY 1
                """, role, security.owner)
            + catalog.texts(
                Self.servants + """
                    SELECT 'The role ' || r.rolname || ' owns ' || owned.name || '. Give it to ' || $3 || '.'
                    FROM servants AS s JOIN pg_catalog.pg_roles AS r ON r.oid = s.oid
                    JOIN (
                        SELECT c.relowner AS owner, c.relname::text AS name FROM pg_catalog.pg_class AS c
                        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1
                        UNION ALL SELECT p.proowner, p.proname::text FROM pg_catalog.pg_proc AS p
                        JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = $1
                        UNION ALL SELECT n.nspowner, 'the schema ' || n.nspname FROM pg_catalog.pg_namespace AS n
                        WHERE n.nspname = $1) AS owned ON owned.owner = s.oid
                    ORDER BY 1
                    """, role, security.owner)
            + catalog.texts(
                """
                SELECT 'The role ' || $2 || ' may create objects in the schema ' || $1 || '. Run REVOKE CREATE ON SCHEMA.'
                WHERE pg_catalog.has_schema_privilege($2, $1, 'CREATE')
                """, role)
    }

    // MARK: Tables

    private func tables() throws -> [String] {
        var found: [String: (owner: String, isEnabled: Bool, isForced: Bool)] = [:]
        try catalog.forEachRow(
            """
            SELECT c.relname::text, pg_catalog.pg_get_userbyid(c.relowner)::text, c.relrowsecurity, c.relforcerowsecurity
            FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
            """
        ) { found[$0[0].string] = ($0[1].string, $0[2].word == 1, $0[3].word == 1) }
        return security.tables.flatMap { table -> [String] in
            guard let state = found[table] else {
                return ["The table \(table) is missing. Migrate the store."]
            }
            return [
                state.owner == security.owner
                    ? nil : "The table \(table) belongs to \(state.owner), and not to \(security.owner).",
                state.isEnabled ? nil : "The table \(table) has no row-level security. Run grant.",
                state.isForced
                    ? nil : "The table \(table) does not force row-level security on its owner. Run grant.",
            ].compactMap(\.self)
        }
    }

    /// A rule as the database has it.
    private struct Found {
        let command: String, roles: String
        let isPermissive: Bool
        let rows: String?, newRows: String?
    }

    private func policies() throws -> [String] {
        var found: [String: [String: Found]] = [:]
        try catalog.forEachRow(
            """
            SELECT tablename::text, policyname::text, cmd, pg_catalog.array_to_string(roles, ', '), permissive = 'PERMISSIVE',
                qual, with_check
            FROM pg_catalog.pg_policies WHERE schemaname = $1
            """
        ) { cells in
            found[cells[0].string, default: [:]][cells[1].string] = Found(
                command: cells[2].string, roles: cells[3].string, isPermissive: cells[4].word == 1,
                rows: cells[5].kind == .null ? nil : cells[5].string,
                newRows: cells[6].kind == .null ? nil : cells[6].string)
        }
        let missing = security.policies.compactMap { policy -> String? in
            let found = found[policy.table, default: [:]].removeValue(forKey: policy.name)
            guard let found else {
                return "The table \(policy.table) lacks the policy \(policy.name). Run grant."
            }
            let isSame =
                found.command == policy.command && found.roles == policy.role && found.isPermissive
                && RowSecurity.comparable(found.rows) == RowSecurity.comparable(policy.rows)
                && RowSecurity.comparable(found.newRows) == RowSecurity.comparable(policy.newRows)
            return isSame
                ? nil
                : "The policy \(policy.name) of the table \(policy.table) is another one than it should be. Run grant."
        }
        // One that restricts takes nothing away from the others.
        let others = security.tables.flatMap { table in
            found[table, default: [:]].filter(\.value.isPermissive).keys.sorted().map {
                "The table \(table) has the policy \($0) of somebody else, which may let more rows through. Drop it."
            }
        }
        return missing + others
    }

    // MARK: Privileges

    /// What the role may do more, or less, than it should; with other tables and views it should do nothing, since a view
    /// reads with its owner's rights.
    private func privileges() throws -> [String] {
        var gaps: [String] = []
        try catalog.forEachRow(
            """
            SELECT c.relname::text, pg_catalog.array_to_string(ARRAY(
                SELECT word FROM pg_catalog.unnest(
                    ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS word
                WHERE pg_catalog.has_table_privilege($2, c.oid, word)
                    OR word IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
                        AND pg_catalog.has_any_column_privilege($2, c.oid, word)), ' ')
            FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1
            """, [role]
        ) { cells in
            let (table, words) = (
                cells[0].string, Set(cells[1].string.split(separator: " ").map(String.init))
            )
            let expected = Set(security.privileges[table, default: []])
            for word in expected.subtracting(words).sorted() {
                gaps.append("The role \(role) lacks the privilege \(word) on \(table). Run grant.")
            }
            for word in words.subtracting(expected).sorted() {
                gaps.append(
                    "The role \(role) has the privilege \(word) on \(table), which it should not have. Run REVOKE."
                )
            }
        }
        return gaps
    }

    // MARK: Functions

    /// A function as the database has it.
    private struct FoundFunction {
        let body: String, owner: String
        /// Whether it depends on no setting of the caller's.
        let isFixed: Bool
        let isPublic: Bool, isGranted: Bool, actsAsOwner: Bool
    }

    private func functions() throws -> [String] {
        var found: [String: FoundFunction] = [:]
        var others: [String] = []
        let names = Set(security.functions.map(\.name))
        try catalog.forEachRow(
            """
            SELECT p.proname::text, p.prosrc, pg_catalog.pg_get_userbyid(p.proowner)::text,
                p.provolatile = 's' AND p.proconfig IS NOT DISTINCT FROM
                    CASE WHEN p.prosecdef THEN ARRAY['search_path=pg_catalog, pg_temp'] END,
                EXISTS (SELECT FROM pg_catalog.aclexplode(
                    coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) AS a WHERE a.grantee = 0),
                pg_catalog.has_function_privilege($2, p.oid, 'EXECUTE'), p.prosecdef
            FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname = $1 ORDER BY 1
            """, [role]
        ) { cells in
            let name = cells[0].string
            if names.contains(name), found[name] == nil {
                found[name] = FoundFunction(
                    body: cells[1].string, owner: cells[2].string, isFixed: cells[3].word == 1,
                    isPublic: cells[4].word == 1, isGranted: cells[5].word == 1,
                    actsAsOwner: cells[6].word == 1)
            } else if cells[5].word == 1, cells[6].word == 1 {
                others.append(
                    "The role \(role) may call the function \(name), which acts with its owner's rights. Revoke that."
                )
            }
        }
        return security.functions.flatMap { function -> [String] in
            guard let state = found[function.name] else {
                return ["The function \(function.name) is missing. Run grant."]
            }
            let isSame =
                state.isFixed && state.owner == security.owner && state.body == function.body
                && state.actsAsOwner == function.isGranted
            return [
                isSame ? nil : "The function \(function.name) is another one than it should be. Run grant.",
                !state.isPublic && state.isGranted == function.isGranted
                    ? nil : "Others may call the function \(function.name) than should. Run grant.",
            ].compactMap(\.self)
        } + others
    }

    // MARK: What happens

    /// Defaults that would give a transaction without an identity one.
    private func identities() throws -> [String] {
        try catalog.texts(
            """
            SELECT 'The setting ' || pg_catalog.split_part(setting, '=', 1) || ' has a default, for '
                || coalesce('the role ' || r.rolname, 'every role')
                || ', so that whoever says nothing is somebody. Run ALTER … RESET.'
            FROM pg_catalog.pg_db_role_setting AS d
            LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = d.setrole
            CROSS JOIN LATERAL pg_catalog.unnest(d.setconfig) AS setting
            WHERE $1 <> '' AND setting LIKE 'switchyard.%' AND (d.setdatabase = 0 OR d.setdatabase = (
                SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
            ORDER BY 1
            """)
    }

    /// Tables of which the role sees rows without an identity; none where the session's user cannot become the role.
    private func probes() throws -> [String] {
        try session.command("SAVEPOINT switchyard_probe")
        defer { try? session.command("ROLLBACK TO SAVEPOINT switchyard_probe") }
        do { try session.command(security.becomeRole) } catch let error as StoreError
            where (error.underlying as? PostgresError)?.sqlState == "42501"
        { return [] }
        var gaps: [String] = []
        for (table, probe) in security.probes.sorted(by: { $0.key < $1.key })
        where table != SQLGenerator.markerTable {
            try session.command("SAVEPOINT switchyard_table")
            do {
                try session.execute(probe, isCached: false).forEachRow { cells in
                    guard cells[0].word == 1 else { return }
                    gaps.append("The role \(role) sees rows of \(table) without being anybody's device.")
                }
            } catch let error as StoreError
                where error.code == .configuration || error.code == .schemaMismatch
            {
                // A privilege, a function or the table is missing, which was found before.
                try session.command("ROLLBACK TO SAVEPOINT switchyard_table")
            }
        }
        return gaps
    }
}
