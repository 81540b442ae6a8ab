import PostgresTestServer

/// From where to where a store is switched.
enum SwitchWay: String, CaseIterable, Sendable {
    case files = "SQLite to SQLite"
    case toServer = "SQLite to PostgreSQL"
    case fromServer = "PostgreSQL to SQLite"

    /// Those that are possible here.
    static let reachable = allCases.filter { $0 == .files || PostgresServer.url != nil }

    /// Lends the URLs of the old store and the new one, and clears their places afterwards.
    func withPlaces<Result>(
        in scratch: Scratch, _ body: (_ old: String, _ new: String) async throws -> Result
    ) async throws -> Result {
        let files = ("sqlite:\(scratch.file("old.sqlite"))", "sqlite:\(scratch.file("new.sqlite"))")
        if self == .files { return try await body(files.0, files.1) }
        let server = try ServerScenarios.serverURL
        return try await PostgresServer.withSchemaName { name in
            let url = "\(server)&schema=\(name)"
            return try await self == .toServer ? body(files.0, url) : body(url, files.1)
        }
    }
}
