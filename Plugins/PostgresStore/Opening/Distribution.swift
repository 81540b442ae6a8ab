internal import SwitchyardCore
internal import SwitchyardSQL

/// Whether new stores are distributed over the machines of a cluster.
///
/// Only the creation of a store depends on it: the server knows how an existing store's tables are kept,
/// whatever a later setting says.
enum Distribution: String, CaseIterable {
    /// Every table is on one server.
    case none
    /// Citus spreads the rows by their scope.
    case citus

    /// Takes the setting of a store.
    ///
    /// - Throws: `configuration` if the value is unknown.
    init(_ settings: StoreSettings) throws {
        self = try settings.requiredText("distribution") == Self.citus.rawValue ? .citus : .none
    }

    /// The error for a store without scopes, whose rows cannot be distributed.
    static var needsScope: StoreError {
        StoreError(
            .configuration,
            "The setting store.postgres.distribution spreads the rows of a store by their scope, and this one has none. "
                + "Make the store with a scope (OpenOptions.scope), or leave the setting out; nothing was changed."
        )
    }
}

extension Catalog {
    /// The names of the tables that Citus spreads over its machines, by a hash or as a copy on each; nil if the database does
    /// not have the extension.
    func distributedTables() throws -> Set<String>? {
        let extensions = try texts(
            "SELECT extname::text FROM pg_catalog.pg_extension WHERE extname = 'citus' AND $1 IS NOT NULL")
        guard !extensions.isEmpty else { return nil }
        return Set(
            try texts(
                """
                SELECT c.relname::text FROM pg_catalog.pg_dist_partition AS p
                JOIN pg_catalog.pg_class AS c ON c.oid = p.logicalrelid
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND (p.partmethod = 'h' OR p.repmodel = 't')
                """))
    }
}

extension SQLGenerator {
    /// Compares how tables of a store are kept with the setting.
    ///
    /// - Parameters:
    ///   - tables: The tables that the store has.
    ///   - distributed: Those that Citus spreads over its machines; nil if the database does not have the extension.
    ///   - place: Where the store is, for people.
    /// - Returns: Whether the store is distributed.
    /// - Throws: `configuration` if it should be, and has no scopes, or the database does not have the extension or keeps
    ///   a table on one machine.
    func isDistributed(_ tables: [String], distributed: Set<String>?, at place: String) throws -> Bool {
        guard isDistributed else { return distributed?.contains(Self.operationTable) == true }
        guard isScoped else { throw Distribution.needsScope }
        guard let distributed else {
            throw StoreError(
                .configuration,
                "The setting store.postgres.distribution is citus, and \(place) does not have that extension. Run CREATE "
                    + "EXTENSION citus in this database on every machine of the cluster, or leave the setting out; nothing "
                    + "was changed.")
        }
        let local = tables.filter { !distributed.contains($0) }
        guard local.isEmpty else {
            throw StoreError(
                .configuration,
                "The setting store.postgres.distribution is citus, and the store of \(place) has tables on one machine. "
                    + "Leave the setting out, or stop every program that writes and run once: "
                    + "\(distribute(local).joined(separator: "; ")); nothing was changed.")
        }
        return true
    }
}
