internal import Foundation
public import SwitchyardCore
internal import SwitchyardSQL

/// The plugin of stores in a PostgreSQL database: `postgres://USER@HOST/DATABASE`.
///
/// ## Settings
/// - `url`: Several of the settings below in one URL, as libpq reads it:
///   `postgres://user@host:5432/database?sslmode=verify-full`. The other settings below may also follow the
///   `?`.
/// - `host`, `port`, `database`, `user`, `password`: The server, the database and the login. A host that begins with
///   `/` is the directory of a Unix socket.
/// - `sslmode`, `sslrootcert`: How strictly the server is authenticated, and the certificates to check it against.
///   `verify-full` is the default unless the host is local.
/// - `parameters`: Further connection parameters of libpq, as `keyword=value` words.
/// - `schema`: The database schema that holds the store's tables; it is created if it is missing.
/// - `distribution`: `citus` to distribute a new store with scopes over the machines of a Citus cluster.
/// - `pooling`: `transaction` if a pooler such as PgBouncer gives each transaction another server session.
/// - `poolSize`, `poolTimeout`, `idleTimeout`: The maximum number of connections, how long a transaction waits for one,
///   and how long an unused one is kept.
/// - `connectTimeout`: How long connecting to each address of the server may take. Several addresses of a
///   name, and several hosts, are tried in turn, as libpq's `target_session_attrs` says.
/// - `statementTimeout`, `lockTimeout`, `transactionTimeout`: How long a statement may run, how long it may wait for a
///   lock, and how long a transaction may be idle.
///
/// Every wait for the server has a timeout, even if TCP stays open. A connection is given up if the server sends
/// nothing for 5 seconds longer than `statementTimeout`, or for 5 seconds after a request that it can answer at once,
/// such as a ROLLBACK or a cancel request. Rows that are sent together count as one statement. If the server does not
/// answer the BEGIN after a pause, the transaction runs on another connection. TCP detects a peer that has vanished
/// sooner: after 60 seconds without an acknowledgement (`tcp_user_timeout`), or a minute of idleness
/// (`keepalives_idle`, `keepalives_interval`, `keepalives_count`).
///
/// For everything that is not set, libpq uses its `PG…` environment variables, which the explanation of a configuration
/// shows, and the user's password file.
public enum PostgresPlugin: StorePlugin {
    /// `postgres`.
    public static let scheme = "postgres"
    /// `postgresql` means the same.
    public static let schemeAliases = ["postgresql"]
    /// The settings listed above.
    public static let settings = [
        SettingKey(
            "url", .text,
            summary:
                "Server and database in one, such as postgres://user@host:5432/database?sslmode=verify-full."),
        SettingKey("host", .host, summary: "The server's name or address, or the directory of its socket."),
        SettingKey("port", .integer(1...65_535), summary: "The server's port."),
        SettingKey("database", .text, summary: "The database."),
        SettingKey("user", .text, summary: "The database user."),
        SettingKey("password", .text, isSecret: true, summary: "The user's password."),
        SettingKey(
            "sslmode", .choice(ConnectionParameters.sslModes),
            summary: "How strictly the server is authenticated; verify-full unless the host is local."),
        SettingKey("sslrootcert", .path, summary: "The certificates to check the server's against."),
        SettingKey(
            "parameters", .text, isSecret: true,
            summary: "Further connection parameters of libpq, as keyword=value words."),
        SettingKey(
            "schema", .text, default: "public",
            summary: "The database schema that holds the store's tables; it is created if it is missing."),
        SettingKey(
            "distribution", .choice(Distribution.allCases.map(\.rawValue)),
            default: Distribution.none.rawValue,
            summary: "Whether a new store with scopes is spread over the machines of a Citus cluster."),
        SettingKey(
            "pooling", .choice(SessionOptions.Pooling.allCases.map(\.rawValue)), default: "session",
            summary: "Whether a connection is one session, or a pooler gives each transaction another one."),
        SettingKey(
            "poolSize", .integer(1...1_000), default: "8", summary: "The maximum number of connections."),
        SettingKey(
            "poolTimeout", .seconds(0.001...3_600), default: "30",
            summary: "How many seconds a transaction waits for a connection."),
        SettingKey(
            "idleTimeout", .seconds(0.001...86_400), default: "60",
            summary: "How many seconds an unused connection is kept."),
        SettingKey(
            "connectTimeout", .integer(1...3_600), default: "10",
            summary: "How many seconds connecting to each of the server's addresses may take."),
        SettingKey(
            "statementTimeout", .seconds(0.001...86_400), default: "600",
            summary: "How many seconds one statement may run; the server may be silent for 5 more."),
        SettingKey(
            "lockTimeout", .seconds(0.001...86_400), default: "10",
            summary: "How many seconds a statement may wait for a lock."),
        SettingKey(
            "transactionTimeout", .seconds(0.001...86_400), default: "60",
            summary: "How many seconds a transaction may be idle."),
    ]

    /// The settings that a URL contains.
    ///
    /// - Returns: Each part under the name of its setting; libpq's other parameters together under `parameters`.
    /// - Throws: `configuration` if libpq cannot parse the URL; `unsupported` if libpq is not installed.
    public static func settings(fromURL url: String) throws -> [String: String] {
        try ConnectionURL(url).settings
    }

    /// The URL of a server, a database and a database schema, and how the server is authenticated; without a password and
    /// further parameters.
    public static func location(of settings: StoreSettings) -> String {
        let settings = (try? expandingURL(settings)) ?? settings
        func parts(_ names: [String]) -> [String] {
            names.compactMap { name in
                let usual = Self.settings.first { $0.name == name }?.defaultValue
                guard let text = settings.text(name), text != usual else { return nil }
                return "\(name)=\(escaped(text))"
            }
        }
        var (server, query) = ("", parts(["sslmode", "sslrootcert", "schema", "pooling"]))
        if let host = settings.text("host"), escaped(host) == host {
            server = host + (settings.text("port").map { ":" + $0 } ?? "")
        } else {
            // The directory of a socket, an IPv6 address, or a list of hosts.
            query = parts(["host", "port"]) + query
        }
        let user = settings.text("user").map { escaped($0) + "@" } ?? ""
        let database = settings.text("database").map { escaped($0) } ?? ""
        return "\(scheme)://\(user)\(server)/\(database)"
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// A part of a URL, with everything escaped that could have a meaning there.
    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))
            .union(CharacterSet(charactersIn: "-._~"))
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    /// The `PG…` variables that libpq reads for parameters that the settings leave out; empty if the settings name no
    /// server, because libpq then does not connect.
    public static func clientVariables(beside settings: StoreSettings) -> [ClientVariable] {
        guard let settings = try? expandingURL(settings),
            let given = try? ConnectionParameters(settings).resolved
        else { return [] }
        return ConnectionParameters.variables.filter { given[$0.keyword] == nil }.map { variable in
            ClientVariable(
                variable.name, setting: ConnectionURL.settingNames[variable.keyword],
                isSecret: variable.isSecret)
        }
    }

    /// Opens the store of a database schema, and creates it if it does not exist and the options allow it.
    ///
    /// - Returns: A `PostgresStore`.
    /// - Throws: As `StorePlugin` says. A database schema that is refused is left unchanged.
    public static func open(
        _ settings: StoreSettings, schema: Schema, options: OpenOptions
    ) async throws -> any Store {
        let settings = try expandingURL(settings)
        var session = try sessionOptions(settings)
        session.storeSchema = schema
        let limits = ConnectionPool.Limits(
            size: try settings.requiredInteger("poolSize"),
            wait: .seconds(try settings.requiredSeconds("poolTimeout")),
            idle: .seconds(try settings.requiredSeconds("idleTimeout")))
        let pool = ConnectionPool(
            try ConnectionParameters(settings), options: session, limits: limits,
            logger: options.logger)
        return try await PostgresStore.open(
            pool,
            plan: SQLPlan(
                schema, namespace: session.schema, isScoped: options.scope != nil,
                isDistributed: Distribution(settings) == .citus),
            namespace: session.schema,
            options: options)
    }

    /// The settings of a session.
    static func sessionOptions(_ settings: StoreSettings) throws -> SessionOptions {
        var session = SessionOptions()
        session.schema = try databaseSchema(settings)
        let pooling = try settings.requiredText("pooling")
        session.pooling = pooling == SessionOptions.Pooling.transaction.rawValue ? .transaction : .session
        session.statementTimeout = .seconds(try settings.requiredSeconds("statementTimeout"))
        session.lockTimeout = .seconds(try settings.requiredSeconds("lockTimeout"))
        session.idleInTransactionTimeout = .seconds(try settings.requiredSeconds("transactionTimeout"))
        return session
    }

    /// Replaces the URL, if there is one, by the settings in it.
    ///
    /// A configuration has already split its URLs; settings that an app passes by name may still have one.
    ///
    /// - Throws: `configuration` if the URL cannot be parsed, or contradicts a setting that is also given by itself.
    static func expandingURL(_ given: StoreSettings) throws -> StoreSettings {
        guard let url = given.text("url") else { return given }
        var values: [String: String] = [:]
        for setting in settings where setting.name != "url" {
            // The URL overrides a value that is only the default.
            if let text = given.text(setting.name), text != setting.defaultValue {
                values[setting.name] = text
            }
        }
        for (name, value) in try settings(fromURL: url) {
            if name == "parameters", let further = values[name] {
                values[name] = "\(further) \(value)"
                continue
            }
            guard values[name] ?? value == value else {
                throw StoreError(
                    .configuration,
                    "The setting store.postgres.\(name) and the one in store.postgres.url have different values. Leave "
                        + "one of them out.")
            }
            values[name] = value
        }
        return try StoreSettings(values, for: Self.self, isFromURL: true)
    }

    /// The name of the database schema, which becomes part of statements and must therefore be plain.
    private static func databaseSchema(_ settings: StoreSettings) throws -> String {
        let name = try settings.requiredText("schema")
        let isPlain = name.utf8.allSatisfy { byte in
            (97...122).contains(byte | 0x20) || (48...57).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard isPlain, name.utf8.count <= Limits.nameBytes, !name.hasPrefix("pg_") else {
            throw StoreError(
                .configuration,
                "The setting store.postgres.schema takes letters, digits and underscores, at most \(Limits.nameBytes), and "
                    + "not the prefix pg_, which is PostgreSQL's own.")
        }
        return name
    }
}

extension ConnectionParameters {
    /// Takes the parameters from settings whose URL has been replaced by its parts.
    ///
    /// - Throws: `configuration` if the server or the database is not named, libpq cannot parse `parameters`, or these
    ///   contradict another setting; `unsupported` if libpq is not installed.
    init(_ settings: StoreSettings) throws {
        self.init()
        if let further = settings.text("parameters") {
            try self.init(
                text: further,
                orElse:
                    "The setting store.postgres.parameters cannot be read; it takes libpq's keywords, such as "
                    + "application_name=babies options='-c work_mem=64MB'.")
        }
        let keywords = [
            "host": "host", "port": "port", "database": "dbname", "user": "user", "password": "password",
            "sslmode": "sslmode", "sslrootcert": "sslrootcert",
        ]
        for (setting, keyword) in keywords.sorted(by: { $0.key < $1.key }) {
            guard let value = settings.text(setting) else { continue }
            guard self[keyword] ?? value == value else {
                throw StoreError(
                    .configuration,
                    "The setting store.postgres.\(setting) and \(keyword) among store.postgres.parameters have different "
                        + "values. Leave one of them out.")
            }
            self[keyword] = value
        }
        if self["connect_timeout"] == nil { self["connect_timeout"] = settings.text("connectTimeout") }
        guard self["host"] != nil || self["hostaddr"] != nil || self["service"] != nil else {
            throw StoreError(
                .configuration,
                "The setting store.postgres.host is missing; give it the server's name, or a URL to store.postgres.url."
            )
        }
        guard self["dbname"] != nil || self["service"] != nil else {
            throw StoreError(
                .configuration, "The setting store.postgres.database is missing; give it the database's name."
            )
        }
        try validate()
    }
}
