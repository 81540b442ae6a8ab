internal import SwitchyardCore
internal import SwitchyardSQL

/// Row-level security for a store whose scopes are households: a second wall behind the checks of the service that devices
/// reach.
///
/// The service connects as a role that owns nothing. For each transaction it says on behalf of which device it acts, and the
/// database shows and takes the rows of that device's household only, as far as its member's role allows.
extension PostgresStore {
    /// The role to which the rules apply by default; the service's login is a member of it.
    public static let serviceRole = "switchyard_service"

    /// The statements that give a role what a mirror's service needs, and nothing else.
    ///
    /// They can be run again, and are after a migration, which makes tables that the role has no right to yet.
    ///
    /// - Parameters:
    ///   - role: The role; it is created if it is missing.
    ///   - admitsLogins: Whether the service has a login of the app's own. The database cannot ask that login, so it believes the
    ///     service whom it lets in; without it, the service can come into no household for which it has no secret.
    /// - Returns: The statements, in order.
    /// - Throws: `unsupported` for a store without scopes or on a Citus cluster; `invalidArgument` for a role that owns the
    ///   store; a `StoreError` if the store cannot be queried.
    public func grantStatements(
        for role: String = serviceRole, admitsLogins: Bool = false
    ) async throws -> [String] {
        try await pool.run { [plan] session in
            try session.begin(.snapshot)
            let security = try session.rowSecurity(of: role, plan, admitsLogins: admitsLogins)
            try session.endRead()
            return security.statements
        }
    }

    /// Runs `grantStatements(for:admitsLogins:)` in one transaction, for which others wait.
    ///
    /// - Parameters:
    ///   - role: The role; it is created if it is missing.
    ///   - admitsLogins: Whether the service has a login of the app's own.
    /// - Throws: As `grantStatements(for:admitsLogins:)`; `configuration` if the store was not opened by its owner, or by one who cannot
    ///   create the role.
    public func grant(to role: String = serviceRole, admitsLogins: Bool = false) async throws {
        try await pool.run { [plan] session in
            try session.begin(.serializable)
            let security = try session.rowSecurity(of: role, plan, admitsLogins: admitsLogins)
            try session.command(security.lockTables)
            try session.script(security.statements.joined(separator: ";\n"))
            try session.commit()
        }
    }

    /// Looks for gaps in the rules of row-level security.
    ///
    /// - Parameters:
    ///   - role: The role that the service's login is a member of.
    ///   - admitsLogins: Whether the service has a login of the app's own.
    /// - Returns: The gaps found, one sentence each; empty if everything holds.
    /// - Throws: As `grantStatements(for:admitsLogins:)`.
    public func rowSecurityGaps(
        for role: String = serviceRole, admitsLogins: Bool = false
    ) async throws -> [String] {
        try await pool.run { [plan] session in
            // The server prints names as the search path allows, and the rules are compared by their texts.
            try session.begin(.serializable)
            defer { session.rollback() }
            let security = try session.rowSecurity(of: role, plan, admitsLogins: admitsLogins)
            try session.command("SET LOCAL search_path = pg_catalog, pg_temp")
            return try RowSecurityCheck(session, security, namespace: plan.sql.namespace ?? "public").gaps()
        }
    }
}

extension Session {
    fileprivate func rowSecurity(
        of role: String, _ plan: SQLPlan, admitsLogins: Bool
    ) throws -> RowSecurity {
        guard plan.sql.isScoped, !plan.sql.isDistributed else {
            throw StoreError(
                .unsupported,
                "Row-level security fences the scopes of a store on one server, and this store has no scopes or is spread over "
                    + "several machines. Nothing was changed.")
        }
        let owners = try Catalog(self, namespace: plan.sql.namespace ?? "public").texts(
            """
            SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
            """, SQLGenerator.markerTable)
        guard let owner = owners.first else { throw StoreMarker.missing() }
        guard owner != role, !role.isEmpty, role.utf8.count <= Limits.nameBytes else {
            throw StoreError(
                .invalidArgument,
                "The role of the service must be another one than \(owner), which owns the store and so sees everything, and its "
                    + "name has up to \(Limits.nameBytes) bytes. Nothing was changed.")
        }
        return plan.sql.rowSecurity(of: role, owner: owner, admitsLogins: admitsLogins)
    }
}
