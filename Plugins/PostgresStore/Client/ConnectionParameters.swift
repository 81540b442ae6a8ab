internal import CLibPQ
internal import SwitchyardCore

/// libpq's connection parameters by keyword: server, database and login.
///
/// libpq fills in missing values as usual, from its `PG…` environment variables and the password file. The one
/// exception is `sslmode`: its default is `verify-full` for a host that is not local, so that a forgotten setting
/// cannot send data to an impostor. No text form of this type contains the password.
struct ConnectionParameters: Sendable {
    /// Values by keyword; empty ones are left out.
    private(set) var values: [String: String] = [:]

    /// The modes that libpq knows, weakest first.
    static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
    /// The timeout of each address in seconds, unless `connect_timeout` is set.
    static let defaultConnectTimeout = 10

    /// Creates an empty set of parameters.
    init() {}

    /// Parses a URL (`postgres://user@host:port/database?sslmode=…`) or libpq's `key=value` text.
    ///
    /// - Throws: `configuration`, without libpq's own message, which may quote the password; `unsupported` if libpq is
    ///   not installed.
    init(url: String) throws {
        try self.init(
            text: url,
            orElse:
                "The PostgreSQL URL cannot be read; it looks like postgres://user@host:5432/database?sslmode=…, "
                + "with other characters percent-encoded.")
    }

    /// Parses libpq's `key=value` text, or a URL.
    ///
    /// - Throws: As `init(url:)`, with this message for `configuration`.
    init(text: String, orElse message: String) throws {
        try LibPQ.require()
        guard let options = pq_conninfoParse(text, nil) else { throw StoreError(.configuration, message) }
        defer { pq_conninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { self[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
    }

    /// The keywords of all parameters that libpq knows.
    ///
    /// - Throws: `unsupported` if libpq is not installed.
    static var keywords: [String] {
        get throws {
            try LibPQ.require()
            var keywords: [String] = []
            forEachOption { keywords.append($0.keyword) }
            return keywords
        }
    }

    /// The environment variables that libpq reads, each with its keyword; empty if libpq is not installed.
    static var variables: [(name: String, keyword: String, isSecret: Bool)] {
        guard (try? LibPQ.require()) != nil else { return [] }
        var variables: [(name: String, keyword: String, isSecret: Bool)] = []
        forEachOption { option in
            if let name = option.variable { variables.append((name, option.keyword, option.isSecret)) }
        }
        return variables
    }

    /// Calls the body with libpq's description of each of its parameters.
    private static func forEachOption(
        _ body: ((keyword: String, variable: String?, isSecret: Bool)) -> Void
    ) {
        guard let options = pq_conndefaults() else { return }
        defer { pq_conninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            let display = option.pointee.dispchar.map { String(cString: $0) }
            body(
                (String(cString: keyword), option.pointee.envvar.map { String(cString: $0) }, display == "*"))
            option += 1
        }
    }

    /// The value of a keyword; nil or empty to let libpq fill it in.
    subscript(keyword: String) -> String? {
        get { values[keyword] }
        set { values[keyword] = newValue?.isEmpty == true ? nil : newValue }
    }

    /// Refuses values that libpq would only reject while connecting.
    ///
    /// - Throws: `configuration`, with the keyword and what is allowed, but without the value: if it comes from a URL,
    ///   it may be a part of a password.
    func validate() throws {
        if let mode = self["sslmode"], !Self.sslModes.contains(mode) {
            throw StoreError(
                .configuration,
                "sslmode is not valid. Set it to one of \(Self.sslModes.joined(separator: ", ")).")
        }
        for host in (self["host"] ?? "").split(separator: ",") where !host.hasPrefix("/") {
            guard !host.dropFirst().contains("@"), !host.contains("://") else {
                throw StoreError(
                    .configuration,
                    "The host contains `@` or `://`. Set it to the name or address of a server alone.")
            }
        }
        for port in (self["port"] ?? "").split(separator: ",", omittingEmptySubsequences: true) {
            guard let number = Int(port), (1...65_535).contains(number) else {
                throw StoreError(
                    .configuration, "The port is not a number. Set it to a number from 1 to 65535.")
            }
        }
        if let timeout = self["connect_timeout"], (Int(timeout) ?? 0) <= 0 {
            throw StoreError(
                .configuration,
                "connect_timeout is not a valid timeout. Set it to a whole number of seconds greater than 0.")
        }
        for (keyword, value) in values where value.utf8.contains(0) {
            throw StoreError(.configuration, "The value of \(keyword) contains U+0000; remove it.")
        }
    }

    /// Whether the server is on this machine, judging by its name.
    ///
    /// A service may name any server, so it counts as remote.
    var isLocal: Bool {
        if self["service"] != nil, self["host"] == nil, self["hostaddr"] == nil { return false }
        let hosts = [self["host"], self["hostaddr"]].compactMap(\.self).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        return hosts.allSatisfy { host in
            host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
                || (host.hasPrefix("127.") && host.utf8.allSatisfy { (46...57).contains($0) && $0 != 47 })
        }
    }

    /// How long connecting to one address may take, in seconds.
    var connectTimeout: Int {
        min(self["connect_timeout"].flatMap { Int($0) } ?? Self.defaultConnectTimeout, 3_600)
    }

    /// The values to connect with: those given, and Switchyard's defaults for the rest.
    var resolved: [String: String] {
        // Detects a vanished peer within a minute; the system's default is two hours.
        let defaults = [
            "application_name": "switchyard", "keepalives_idle": "30", "keepalives_interval": "10",
            "keepalives_count": "3", "tcp_user_timeout": "60000",
        ]
        var resolved = defaults.merging(values) { $1 }
        resolved["client_encoding"] = "UTF8"
        if !isLocal, resolved["sslmode"] == nil { resolved["sslmode"] = "verify-full" }
        return resolved
    }

    /// The server's address, as error messages name it.
    var place: String {
        let name = self["host"]
        let number = self["hostaddr"]
        var host = name ?? number ?? "the default host"
        if let name, let number, name != number { host = "\(name) (\(number))" }
        return self["port"].map { "\(host), port \($0)" } ?? host
    }

    /// Removes the password from a text.
    func redact(_ text: String) -> String {
        // If a URL was given as the database or user name, the server's message repeats it.
        let text = text.contains("://") ? Redaction.redact(text) : text
        guard let password = self["password"], !password.isEmpty else { return text }
        return text.replacingBytes(of: password, with: "…")
    }
}

extension ConnectionParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String {
        values.sorted { $0.key < $1.key }
            .map { $0.key.contains("password") ? "\($0.key)=…" : "\($0.key)=\($0.value)" }
            .joined(separator: " ")
    }

    var debugDescription: String { description }

    var customMirror: Mirror { Mirror(self, children: ["values": description]) }
}
