import Foundation

/// The statements that the server logs from now on for the stores that ask for it.
public struct StatementLog: Sendable {
    /// The path of the server's log; nil where no server was started.
    private static let path = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_POSTGRES_LOG"]

    /// What the URL of a store ends with whose statements are logged, without parameters and the details of errors.
    public static let settings =
        "&options="
        + ["log_statement=all", "log_parameter_max_length=0", "log_error_verbosity=terse"]
        .map { "-c%20\($0.replacing("=", with: "%3D"))" }.joined(separator: "%20")

    private let path: String
    private let start: String

    /// Notes where the log ends.
    public init() async throws {
        guard let path = Self.path else {
            throw AdministrationError(description: "A test \(PostgresServer.need).")
        }
        self.path = path
        start = try await PostgresServer.rows(of: "SELECT size FROM pg_stat_file('\(path)')")[0][0] ?? "0"
    }

    /// The statements since then.
    public var statements: [String] {
        get async throws {
            let text = try await PostgresServer.rows(
                of: "SELECT pg_read_file('\(path)', \(start), 1000000000)")[0][0]
            var statements: [String] = []
            var isStatement = false
            for line in (text ?? "").split(separator: "\n") {
                if line.hasPrefix("\t") {
                    if isStatement { statements[statements.count - 1] += "\n" + line.dropFirst() }
                } else if let match = line.firstMatch(
                    of: /\] (?:LOG:  (?:statement|execute [^:]+): |STATEMENT:  )(.*)/)
                {
                    isStatement = true
                    statements.append(String(match.1))
                } else {
                    isStatement = false
                }
            }
            return statements
        }
    }

    /// The texts and numbers that statements about rows hold, as they are written there.
    ///
    /// Statements that only change tables, set up a session or read the catalogue are left out: they have no rows.
    public static func constants(in statements: [String]) -> Set<String> {
        let others = ["CREATE ", "ALTER ", "DROP ", "SET "]
        return statements.filter { statement in
            !statement.contains("pg_catalog.") && !others.contains(where: statement.hasPrefix)
        }
        .reduce(into: []) { found, statement in
            // A quoted name, a text, a parameter, a name or keyword, or a number.
            let tokens = statement.matches(of: /"[^"]*"|'(?:[^']|'')*'|\$\d+|[A-Za-z_][A-Za-z_0-9]*|\d[\d.]*/)
            for token in tokens.map(\.0) where token.first == "'" || token.first?.isNumber == true {
                found.insert(String(token))
            }
        }
    }
}
