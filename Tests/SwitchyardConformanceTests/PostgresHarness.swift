import Foundation
import PostgresStore
import PostgresTestServer
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization
import Testing

/// PostgreSQL, for the suite: each store in a schema of its own.
struct PostgresHarness: ConformanceHarness {
    let name = "postgres"
    /// Whether stores keep a history from the beginning: their writes then queue, and are not serializable to the server.
    var keepsHistory = false
    /// Whether the server logs what the stores ask for.
    var logsStatements = false
    /// Whether stores are on the Citus cluster, spread over its machines.
    var isDistributed = false

    private var url: String? { isDistributed ? PostgresServer.citusURL : PostgresServer.url }
    private var distribution: String { isDistributed ? "&distribution=citus" : "" }

    /// The proxies of stores to cut, by the names of their schemas.
    private static let proxies = Mutex<[String: FaultProxy]>([:])

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        try await recording(
            try await open(
                schema, in: PostgresServer.newSchemaName(), "&lockTimeout=\(busyTimeout / .seconds(1))"))
    }

    func makeScopedStore(
        _ schema: Schema, busyTimeout: Duration, scope: StoreScope
    ) async throws -> any Store {
        try await recording(
            try await open(
                schema, in: PostgresServer.newSchemaName(), "&lockTimeout=\(busyTimeout / .seconds(1))",
                options: OpenOptions(scope: scope)))
    }

    func makeStoreToCut(_ schema: Schema, scope: StoreScope?) async throws -> any Store {
        let url = try #require(self.url)
        let parameters = URLComponents(string: url)?.queryItems ?? []
        let proxy = try FaultProxy(
            host: #require(parameters.first { $0.name == "host" }?.value),
            port: #require(parameters.first { $0.name == "port" }?.value.flatMap { Int($0) }))
        let namespace = PostgresServer.newSchemaName()
        Self.proxies.withLock { $0[namespace] = proxy }
        return try await recording(
            try await PluginRegistry([PostgresPlugin.self]).open(
                url: "\(url.prefix { $0 != "?" })?host=127.0.0.1&port=\(proxy.port)&sslmode=disable"
                    + "&application_name=\(namespace)&schema=\(namespace)\(distribution)\(logging)",
                schema: schema, options: OpenOptions(scope: scope)))
    }

    private func recording(_ store: any Store) async throws -> any Store {
        if keepsHistory { try await store.keepHistory() }
        return store
    }

    func reopen(
        _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
    ) async throws -> any Store {
        try await open(
            schema, in: namespace(of: store), "&lockTimeout=\(busyTimeout / .seconds(1))", options: options)
    }

    func dispose(_ store: any Store) async {
        try? await store.close()
        Self.proxies.withLock { $0.removeValue(forKey: namespace(of: store)) }?.stop()
        do { try await PostgresServer.drop(schema: namespace(of: store), at: url) } catch {
            Issue.record(error)
        }
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
        let namespace = namespace(of: store)
        func plant(_ literal: String, _ entity: String, _ attribute: String) async throws {
            let (table, column, check) = try column(entity, attribute)
            try await administer(
                "ALTER TABLE \(table) DROP CONSTRAINT \(check); UPDATE \(table) SET \(column) = \(literal)")
        }
        func column(_ entity: String, _ attribute: String) throws -> (
            table: String, column: String, check: String
        ) {
            let entity = try store.schema.require(entity)
            let attribute = try #require(entity.attribute(attribute))
            return (
                "\(namespace).\"\(entity.name)\"", "\"\(attribute.column)\"",
                "\"\(ConstraintName.check(attribute, of: entity))\""
            )
        }
        switch fault {
        case .text(let entity, let attribute):
            let (table, column, check) = try column(entity, attribute)
            try await administer(
                "ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS \(check), ALTER \(column) DROP DEFAULT, "
                    + "ALTER \(column) TYPE text USING 'seven'")
        case .integerTwo(let entity, let attribute):
            let (table, column, _) = try column(entity, attribute)
            try await administer("ALTER TABLE \(table) ALTER \(column) TYPE bigint USING 2")
        case .wideInteger(let entity, let attribute):
            try await plant("300", entity, attribute)
        case .unknownCase(let entity, let attribute):
            try await plant("'unheard-of'", entity, attribute)
        case .furtherColumn(let entity):
            try await administer(
                "ALTER TABLE \(namespace).\"\(entity)\" ADD COLUMN further text")
        case .invalidUTF8:
            return .impossible(reason: "The server takes no bytes for text that are not UTF-8.")
        }
        return .done
    }

    /// In turn as the server does it, which says a last word, and as a network does it, which says none.
    func cutConnections(of store: any Store) async throws -> Intervention {
        let namespace = namespace(of: store)
        let proxy = try #require(Self.proxies.withLock { $0[namespace] })
        if Self.cuts.add(1, ordering: .relaxed).newValue.isMultiple(of: 2) {
            proxy.closeConnections()
        } else {
            try await administer(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '\(namespace)'"
            )
        }
        return .done
    }

    private static let cuts = Atomic(0)

    func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
        let proxy = try #require(Self.proxies.withLock { $0[namespace(of: store)] })
        proxy.setFaultOfNextRequest(
            .init(.cut, moment == .afterItIsDone ? .afterRequest("COMMIT\0") : .beforeRequest("COMMIT\0")))
        return .done
    }

    func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
        let table = "\(namespace(of: store)).switchyard_operation"
        let change = "SET committed_at = committed_at - interval '\(age.components.seconds) seconds'"
        try await administer(
            isDistributed
                // Citus refuses such a difference, which depends on the time zone, in a statement of its own.
                ? "SELECT run_command_on_shards('\(table)', $$UPDATE %s \(change)$$)"
                : "UPDATE \(table) \(change)")
        return .done
    }

    func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
        let text = json.replacing("'", with: "''")
        try await administer("UPDATE \(namespace(of: store)).switchyard_store SET marker = '\(text)'")
        return .done
    }

    func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
        let namespace = namespace(of: store)
        switch change {
        case .columnRemoved(let name, let attribute):
            let column = try #require(try store.schema.require(name).attribute(attribute)).column
            try await administer(
                "ALTER TABLE \(namespace).\"\(name)\" DROP COLUMN \"\(column)\"")
        case .entityRemoved(let name):
            try await administer("DROP TABLE \(namespace).\"\(name)\"")
        }
        return .done
    }

    func whileLocked(
        _ store: any Store, _ work: LockedWork
    ) async throws -> Intervention {
        let tables = store.schema.entities.map { "\(namespace(of: store)).\"\($0.name)\"" }
        try await PostgresServer.whileOpen(
            "BEGIN; LOCK TABLE \(tables.joined(separator: ", ")) IN EXCLUSIVE MODE", at: url
        ) { try await work() }
        return .done
    }

    private func open(
        _ schema: Schema, in namespace: String, _ settings: String = "", options: OpenOptions = OpenOptions()
    ) async throws -> any Store {
        let url = try #require(self.url)
        return try await PluginRegistry([PostgresPlugin.self]).open(
            url: "\(url)&schema=\(namespace)\(distribution)\(settings)\(logging)", schema: schema,
            options: options)
    }

    private func administer(_ script: String) async throws {
        try await PostgresServer.administer(script, at: url)
    }

    private var logging: String { logsStatements ? StatementLog.settings : "" }

    private func namespace(of store: any Store) -> String {
        store.info.location.split(separator: " ").last.map(String.init) ?? ""
    }
}
