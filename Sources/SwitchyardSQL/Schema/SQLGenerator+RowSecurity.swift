internal import SwitchyardCore

extension SQLGenerator {
    /// Prints the rules that keep a role to the rows of the household that a transaction is for, whatever a statement asks.
    ///
    /// Each rule asks a function that is called once for a statement, and so compares the scope of a row with a constant. The
    /// texts of the rules are those in which the server prints them, so that a check can compare them.
    ///
    /// - Parameters:
    ///   - role: The role that serves devices.
    ///   - owner: The role that owns the tables, which sees and writes everything.
    ///   - admitsLogins: Whether the role may say whom the app's own login knows, who then come into any household that it names.
    /// - Returns: The rules, and the statements that set them up.
    package func rowSecurity(of role: String, owner: String, admitsLogins: Bool) -> RowSecurity {
        let policies = policies(of: role, owner: owner)
        let functions = rowSecurityFunctions(admitsLogins: admitsLogins)
        let privileges = privileges()
        return RowSecurity(
            role: role, owner: owner, tables: storeTables, functions: functions, policies: policies,
            privileges: privileges,
            statements: statements(role, owner, functions, policies, privileges),
            lockTables: "LOCK TABLE "
                + ([Self.queueTable] + storeTables.filter { $0 != Self.queueTable }).map(qualified)
                .joined(separator: ", ") + " IN ACCESS EXCLUSIVE MODE",
            becomeRole: "SET LOCAL ROLE \(SQLDialect.quoted(role))",
            probes: Dictionary(
                uniqueKeysWithValues: storeTables.filter { privileges[$0]?.contains("SELECT") == true }.map {
                    ($0, "SELECT EXISTS (SELECT FROM \(qualified($0)))")
                }))
    }

    private func statements(
        _ role: String, _ owner: String, _ functions: [RowSecurity.Function],
        _ policies: [RowSecurity.Policy], _ privileges: [String: [String]]
    ) -> [String] {
        let (service, maker) = (SQLDialect.quoted(role), SQLDialect.quoted(owner))
        let name = dialect.literal(.text(role), .text)
        var statements = [
            """
            DO $role$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = \(name)) THEN
                    CREATE ROLE \(service) NOLOGIN NOINHERIT;
                END IF;
            END $role$
            """
        ]
        for function in functions {
            let signature = "\(qualified(function.name))(\(function.parameters))"
            statements += [
                function.definition,
                "ALTER FUNCTION \(signature) OWNER TO \(maker)",
                "REVOKE ALL ON FUNCTION \(signature) FROM PUBLIC, \(service)",
            ]
            if function.isGranted {
                statements.append("GRANT EXECUTE ON FUNCTION \(signature) TO \(service)")
            }
        }
        for table in storeTables {
            statements += [
                "ALTER TABLE \(qualified(table)) ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE \(qualified(table)) FORCE ROW LEVEL SECURITY",
            ]
            for policy in policies where policy.table == table {
                statements += [
                    "DROP POLICY IF EXISTS \(SQLDialect.quoted(policy.name)) ON \(qualified(table))",
                    create(policy),
                ]
            }
            statements.append("REVOKE ALL ON TABLE \(qualified(table)) FROM \(service)")
            let rights = privileges[table, default: []]
            if !rights.isEmpty {
                statements.append(
                    "GRANT \(rights.joined(separator: ", ")) ON TABLE \(qualified(table)) TO \(service)")
            }
        }
        if let namespace {
            statements.append("GRANT USAGE ON SCHEMA \(SQLDialect.quoted(namespace)) TO \(service)")
        }
        return statements
    }

    private func create(_ policy: RowSecurity.Policy) -> String {
        "CREATE POLICY \(SQLDialect.quoted(policy.name)) ON \(qualified(policy.table)) FOR \(policy.command) "
            + "TO \(SQLDialect.quoted(policy.role))"
            + (policy.rows.map { " USING (\($0))" } ?? "")
            + (policy.newRows.map { " WITH CHECK (\($0))" } ?? "")
    }

    // MARK: Rules

    private func policies(of role: String, owner: String) -> [RowSecurity.Policy] {
        let (readable, writable) = (isScope("read"), isScope("write"))
        func policy(
            _ table: String, _ name: String, _ command: String, _ rows: String?, _ newRows: String?
        ) -> RowSecurity.Policy {
            RowSecurity.Policy(
                table: table, name: "switchyard_\(name)", command: command, role: role, rows: rows,
                newRows: newRows)
        }
        let (history, block, consumer, mirror) = (
            Entity.historyTransaction.table, Entity.historyBlock.table, Entity.historyConsumer.table,
            Entity.mirrorRecord.table
        )
        var policies = storeTables.map { table in
            RowSecurity.Policy(
                table: table, name: "switchyard_owner", command: "ALL", role: owner, rows: "true",
                newRows: "true")
        }
        policies.append(policy(Self.markerTable, "read", "SELECT", "true", nil))
        let entered = isScope("enter")
        policies.append(policy(Self.queueTable, "queue", "ALL", entered, entered))
        for table in [Self.operationTable, consumer, history, block] + schema.entities.map(\.table) {
            policies.append(policy(table, "read", "SELECT", readable, nil))
        }
        // The past is added to, and not rewritten.
        for table in [history, block] + schema.entities.map(\.table) {
            policies.append(policy(table, "insert", "INSERT", nil, writable))
        }
        for table in schema.entities.map(\.table) {
            policies.append(policy(table, "update", "UPDATE", writable, writable))
            policies.append(policy(table, "delete", "DELETE", writable, nil))
        }
        return policies + recordPolicies { policy(mirror, $0, $1, $2, $3) }
    }

    /// The rules of the mirror's records: verdicts and parts of large writes, which readers get and send as well; what merges
    /// note; and who belongs to the household.
    ///
    /// The server asks the rules of one command in the opposite order of their names, and usually needs the one for reading alone.
    private func recordPolicies(
        _ policy: (_ name: String, _ command: String, _ rows: String?, _ newRows: String?) ->
            RowSecurity.Policy
    ) -> [RowSecurity.Policy] {
        let (exchanges, merges) = (
            "(\(isScope("read")) AND ((kind = 5) OR (kind = 19)))",
            "(\(isScope("write")) AND ((kind = 6) OR (kind = 9) OR (kind = 10)))"
        )
        let (kept, replaced) = (
            "\(qualified("switchyard_may_keep"))(\(Self.scopeColumn), kind, id, number, data)",
            "\(qualified("switchyard_may_replace"))(\(Self.scopeColumn), kind, id, number, data)"
        )
        return [
            policy("read", "SELECT", isScope("read"), nil),
            policy(
                "own", "SELECT", "(\(isScope("known")) AND (id = \(call("switchyard_own", "device"))))",
                nil),
            // Who comes in sees whether the device, or the person, is known.
            policy(
                "arriving", "SELECT",
                "(\(isScope("arrive")) AND ((kind = 15) OR (kind = 16) "
                    + "OR (id = \(call("switchyard_own", "invitation")))))", nil),
            policy("notes", "ALL", exchanges, exchanges),
            policy("merges", "ALL", merges, merges),
            policy("insert", "INSERT", nil, "((kind >= 15) AND \(kept))"),
            policy("update", "UPDATE", "((kind >= 15) AND \(replaced))", "((kind >= 15) AND \(kept))"),
            // Members and devices stay, as ones that were.
            policy("delete", "DELETE", "((kind = 17) AND \(replaced))", nil),
        ]
    }

    /// The condition that a row is of the scope in which the transaction has a right.
    private func isScope(_ right: String) -> String {
        "(\(Self.scopeColumn) = \(call("switchyard_scope_for", right)))"
    }

    /// The call of a function once for a statement.
    private func call(_ function: String, _ word: String) -> String {
        "( SELECT \(qualified(function))('\(word)'::text) AS \(function))"
    }

    // MARK: Privileges

    private func privileges() -> [String: [String]] {
        let all = ["SELECT", "INSERT", "UPDATE", "DELETE"]
        var privileges = [
            Self.markerTable: ["SELECT"], Self.queueTable: ["SELECT", "INSERT", "UPDATE"],
            Self.operationTable: ["SELECT"],
            Entity.historyTransaction.table: ["SELECT", "INSERT"],
            Entity.historyBlock.table: ["SELECT", "INSERT"],
            Entity.historyConsumer.table: ["SELECT"], Entity.mirrorRecord.table: all,
        ]
        for entity in schema.entities { privileges[entity.table] = all }
        return privileges
    }
}
