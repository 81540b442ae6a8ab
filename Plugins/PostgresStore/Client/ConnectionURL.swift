internal import Foundation
internal import SwitchyardCore

/// A URL of a PostgreSQL store: a URL of libpq, whose query may also contain settings of the plugin.
struct ConnectionURL {
    /// The URL without the plugin's own settings.
    let libpqURL: String
    private let own: [String: String]

    /// The plugin's settings that the query may contain beside libpq's parameters.
    private static let ownNames: Set<String> = [
        "schema", "distribution", "pooling", "poolSize", "poolTimeout", "idleTimeout", "connectTimeout",
        "statementTimeout", "lockTimeout", "transactionTimeout",
    ]
    /// The settings that are parameters of libpq, under another name.
    static let settingNames = [
        "host": "host", "port": "port", "dbname": "database", "user": "user", "password": "password",
        "sslmode": "sslmode", "sslrootcert": "sslrootcert", "connect_timeout": "connectTimeout",
    ]

    /// Parses a URL.
    ///
    /// - Throws: `configuration` if it has another scheme, or if the end of the password is ambiguous.
    init(_ url: String) throws {
        guard let colon = url.firstIndex(of: ":"),
            ["postgres", "postgresql"].contains(url[..<colon].lowercased()), url[colon...].hasPrefix("://")
        else {
            throw StoreError(
                .configuration,
                "The URL of a PostgreSQL store looks like postgres://user@host:5432/database?sslmode=verify-full."
            )
        }
        try Self.requireEncoding(url[colon...].dropFirst(3))
        let parts = url[colon...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var kept: [Substring] = []
        var own: [String: String] = [:]
        var names: Set<String> = []
        for word in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0]).removingPercentEncoding ?? String(pair[0])
            try Self.requireKnown(name)
            guard names.insert(name).inserted else {
                throw StoreError(
                    .configuration, "The PostgreSQL URL holds `\(name)` twice; leave one of them out.")
            }
            guard pair.count == 2, Self.ownNames.contains(name) else {
                kept.append(word)
                continue
            }
            guard let value = String(pair[1]).removingPercentEncoding else {
                throw StoreError(
                    .configuration,
                    "The value of \(name) in the PostgreSQL URL is not percent-encoded as it should be.")
            }
            own[name] = value
        }
        self.own = own
        libpqURL = "postgres" + parts[0] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    /// Refuses a parameter that neither the plugin nor libpq knows.
    ///
    /// The error only shows a name that resembles a known one: any other may be a part of a password that contains a
    /// `?`.
    private static func requireKnown(_ name: String) throws {
        // libpq accepts `ssl=true` in URLs, for compatibility with other drivers.
        let known = try ConnectionParameters.keywords + ownNames.sorted() + ["ssl"]
        guard !known.contains(name) else { return }
        let fault =
            Spelling.nearest(to: name, among: known).map {
                "`\(name)`, which is no parameter. Did you mean `\($0)`?"
            }
            ?? "a parameter that there is not."
        throw StoreError(
            .configuration,
            "The PostgreSQL URL holds \(fault) There are libpq's connection parameters, and: "
                + "\(ownNames.sorted().joined(separator: ", ")).")
    }

    /// Refuses a URL in which part of the password could be taken for the host, the port or the database, and then be
    /// shown.
    private static func requireEncoding(_ rest: Substring) throws {
        guard let at = rest.lastIndex(of: "@"), rest[..<at].contains(where: "@/?#".contains) else { return }
        throw StoreError(
            .configuration,
            "The PostgreSQL URL is ambiguous, because it holds `@`, `/`, `?` or `#` in front of an `@`: percent-encode the "
                + "password, and every other part that holds such a character (%40, %2F, %3F, %23).")
    }

    /// Each part under the name of its setting; libpq's other parameters together under `parameters`.
    ///
    /// - Throws: `configuration` if libpq cannot parse the URL.
    var settings: [String: String] {
        get throws {
            var settings = own
            var further: [String] = []
            for (keyword, value) in try ConnectionParameters(url: libpqURL).values.sorted(by: {
                $0.key < $1.key
            }) {
                // A list of ports, one for each host, is not a number.
                let isList = keyword == "port" && value.contains(",")
                if let name = Self.settingNames[keyword], !isList {
                    settings[name] = value
                } else {
                    let escaped = value.replacingBytes(of: "\\", with: "\\\\").replacingBytes(
                        of: "'", with: "\\'")
                    further.append("\(keyword)='\(escaped)'")
                }
            }
            if !further.isEmpty { settings["parameters"] = further.joined(separator: " ") }
            return settings
        }
    }
}
