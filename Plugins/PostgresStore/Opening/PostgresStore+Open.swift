internal import CLibPQ
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

extension PostgresStore {
    /// The number of attempts when other clients are creating the same store.
    private static var attempts: Int { 5 }

    /// Opens the store in a database schema, and creates it if it does not exist and the options allow it.
    ///
    /// - Throws: As `PostgresPlugin.open`; the pool is then closed.
    static func open(
        _ pool: ConnectionPool, plan: SQLPlan, namespace: String, options: OpenOptions
    ) async throws -> PostgresStore {
        let start = ContinuousClock.now
        do {
            var attempt = 1
            while true {
                let found = try await pool.run {
                    try $0.inspect(plan, namespace: namespace, options: options)
                }
                if let (info, marker) = found.store {
                    let plan =
                        found.isDistributed == plan.sql.isDistributed
                        ? plan : try SQLPlan(plan.sql.distributed(found.isDistributed))
                    let telemetry = StoreTelemetry(
                        info, system: "postgresql", storeID: marker.storeID, logger: options.logger)
                    telemetry.opened(since: start)
                    pool.tell(telemetry)
                    return PostgresStore(
                        plan: plan, pool: pool, info: info, options: options,
                        marker: marker, telemetry: telemetry)
                }
                guard options.createsIfMissing, options.access == .readWrite else {
                    throw StoreError(
                        .notFound,
                        "There is no store in the schema \(namespace) of \(found.place)."
                    )
                }
                do {
                    try await pool.run {
                        try $0.createStore(plan, namespace: namespace, options: options, found)
                    }
                } catch let error as StoreError where attempt < attempts && error.meansOvertaken {
                    attempt += 1
                }
            }
        } catch {
            await pool.close()
            throw (error as? FinalError)?.storeError ?? error
        }
    }
}

extension StoreError {
    /// Whether a column or an index that was to be added is there already.
    fileprivate var meansPresent: Bool {
        ["42701", "42P07"].contains((underlying as? PostgresError)?.sqlState ?? "")
    }

    /// Whether another client may just have created the same tables.
    fileprivate var meansOvertaken: Bool {
        [.unique, .schemaMismatch, .serialization, .busy].contains(code)
            // duplicate_schema and duplicate_object.
            || ["42P06", "42710"].contains((underlying as? PostgresError)?.sqlState ?? "")
    }
}

/// The content of a database schema in which a store is to be opened.
struct StoreInspection: Sendable {
    /// The store; nil if the schema holds no tables.
    let store: (StoreInfo, StoreMarker)?
    let place: String
    let hasNamespace: Bool
    /// Whether Citus spreads the tables of the store over several machines, or will.
    let isDistributed: Bool
}

extension Session {
    /// Inspects the schema without changing anything, unless an earlier release has made the store, and it is opened for
    /// writing: that is completed.
    ///
    /// - Throws: `notAStore`, with their names, if the schema holds other tables; `schemaTooNew` or
    ///   `schemaMismatch` for a store of another schema; `corrupted` for a damaged one; `configuration` if it
    ///   should be distributed and is not, or cannot be.
    func inspect(
        _ plan: SQLPlan, namespace: String, options: OpenOptions
    ) throws -> StoreInspection {
        try begin(.snapshot)
        let catalog = Catalog(self, namespace: namespace)
        let hasNamespace = try catalog.hasNamespace()
        let relations = hasNamespace ? try catalog.relations() : []
        let location = "\(place), schema \(namespace)"
        func isDistributed() throws -> Bool {
            let distributed = plan.sql.isScoped ? try catalog.distributedTables() : nil
            let tables = plan.sql.storeTables.filter(relations.contains)
            return try plan.sql.isDistributed(tables, distributed: distributed, at: location)
        }
        if options.isAsFound, relations.contains(SQLGenerator.operationTable) {
            let columns = try catalog.tables().columns[SQLGenerator.operationTable, default: [:]]
            try options.requireScopes(columns[StoreScope.attribute.column] != nil)
            let isDistributed = try isDistributed()
            if relations.contains(SQLGenerator.markerTable),
                let marker = try? marker(in: namespace, location: location)
            {
                return try inspection(of: marker, isDistributed, location: location)
            }
            // The identity is needed only for listeners, and a damaged store has none.
            rollback()
            try begin(.snapshot)
            return try inspection(
                of: StoreMarker(schema: plan.schema, options: options), isDistributed, location: location)
        }
        guard relations.contains(SQLGenerator.markerTable) else {
            guard relations.isEmpty else {
                let names = relations.prefix(5).joined(separator: ", ") + (relations.count > 5 ? ", …" : "")
                throw StoreError(
                    .notAStore,
                    "The schema \(namespace) of \(place) holds other tables and no store: \(names). Give the store a schema of "
                        + "its own with store.postgres.schema; nothing was changed.")
            }
            let makesStore = options.createsIfMissing && options.access == .readWrite
            return StoreInspection(
                store: nil, place: place, hasNamespace: hasNamespace,
                isDistributed: try makesStore && isDistributed())
        }
        let marker = try marker(in: namespace, location: location)
        try marker.admit(plan.schema, options: options)
        let tables = try catalog.tables()
        let faults = try plan.columnFaults(in: tables)
        guard faults.isEmpty else {
            let completion = try plan.completion(in: tables, role: options.role)
            guard !completion.isEmpty else { throw StoreError.damaged(at: location, faults) }
            guard options.access == .readWrite else {
                throw StoreError.incompleteForReading(at: location)
            }
            try complete(by: completion)
            return try inspect(plan, namespace: namespace, options: options)
        }
        return try inspection(of: marker, try isDistributed(), location: location)
    }

    /// Adds what a store's own tables lack, unless another client does so at the same time.
    private func complete(by statements: [String]) throws {
        rollback()
        try begin(.serializable)
        do {
            try script(statements.joined(separator: ";\n"))
            try commit()
        } catch let error as StoreError where error.meansPresent { rollback() }
    }

    /// Completes the inspection of an existing store.
    private func inspection(
        of marker: StoreMarker, _ isDistributed: Bool, location: String
    ) throws -> StoreInspection {
        try endRead()
        let version = pq_parameterStatus(handle, "server_version").map { String(cString: $0) } ?? ""
        let info = StoreInfo(
            backend: PostgresPlugin.scheme, location: location,
            version: version.split(separator: " ").first.map(String.init) ?? version)
        return StoreInspection(
            store: (info, marker), place: place, hasNamespace: true, isDistributed: isDistributed)
    }

    /// Creates an empty store.
    func createStore(
        _ plan: SQLPlan, namespace: String, options: OpenOptions, _ found: StoreInspection
    ) throws {
        try begin(.serializable)
        if !found.hasNamespace { try script("CREATE SCHEMA \"\(namespace)\"") }
        try script(try plan.sql.createStore(role: options.role).joined(separator: ";\n"))
        let marker = try plan.sql.insertMarker(
            StoreMarker(schema: plan.schema, options: options))
        _ = try execute(marker.text, Parameters(marker), isCached: false)
        try commit()
    }

    /// Reads the marker, in which the store describes itself.
    ///
    /// - Throws: `corrupted` if it is missing or cannot be read; `schemaTooNew` for a marker of a newer format.
    func marker(in namespace: String?, location: String) throws -> StoreMarker {
        var text: String?
        try execute(SQLGenerator.selectMarker(in: namespace), isCached: false).forEachRow { cells in
            text = String(validating: cells[0].bytes, as: UTF8.self)
        }
        return try StoreMarker.decode(text, at: location)
    }

    /// The server and database, as error messages name them.
    private var place: String {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        return "\(text(pq_host(handle))):\(text(pq_port(handle)))/\(text(pq_db(handle)))"
    }
}
