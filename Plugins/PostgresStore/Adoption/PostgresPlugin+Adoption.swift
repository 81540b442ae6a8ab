internal import Logging
public import SwitchyardCore
internal import SwitchyardSQL

extension PostgresPlugin {
    /// Makes the tables of a database schema a store in place, or compares them with versions of a schema.
    ///
    /// Other writers wait until it has finished. The server makes no copy.
    ///
    /// - Returns: What was found and done.
    /// - Throws: As `ForeignDatabasePlugin` says.
    public static func adopt(
        _ settings: StoreSettings, as versions: [Schema], options: OpenOptions
    ) async throws -> InPlaceAdoption {
        let settings = try expandingURL(settings)
        guard try Distribution(settings) == .none else { throw Distribution.needsScope }
        let session = try sessionOptions(settings)
        let plans = try versions.map { version in
            try SQLPlan(SQLGenerator(dialect: .postgres, schema: version, namespace: session.schema))
        }
        let pool = ConnectionPool(
            try ConnectionParameters(settings), options: session,
            limits: ConnectionPool.Limits(
                size: 1, wait: .seconds(try settings.requiredSeconds("poolTimeout"))), logger: options.logger)
        let result: Result<InPlaceAdoption, any Error>
        do {
            result = .success(
                try await pool.run { try $0.adopt(plans, location: location(of: settings), options: options) }
            )
        } catch { result = .failure((error as? FinalError)?.storeError ?? error) }
        await pool.close()
        return try result.get()
    }
}

extension Session {
    fileprivate func adopt(
        _ plans: [SQLPlan], location: String, options: OpenOptions
    ) throws -> InPlaceAdoption {
        let namespace = self.options.schema
        guard try Catalog(self, namespace: namespace).hasNamespace() else {
            throw StoreError(
                .notFound, "There is no schema \(namespace) at \(location). Correct the setting schema.")
        }
        guard options.access == .readWrite else {
            try begin(.snapshot)
            defer { rollback() }
            return try PostgresTransaction.comparing(self, with: plans).found
        }
        let needed = Set(plans.flatMap { $0.schema.entities.map(\.table) })
        let tables = try Catalog(self, namespace: namespace).tables().columns.keys.filter(needed.contains)
        try begin(.serializable)
        // Taken before the snapshot, so that no row is written that was not compared.
        if !tables.isEmpty {
            let names = tables.sorted().map { "\"\(namespace)\".\"\($0)\"" }.joined(separator: ", ")
            try command("LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE")
        }
        let (transaction, found) = try PostgresTransaction.comparing(self, with: plans)
        try found.requirePossible()
        try transaction.becomeStore(StoreMarker(schema: transaction.plan.schema, options: options))
        try commit()
        return found
    }
}
