internal import ArgumentParser
internal import PostgresStore
internal import SwitchyardCommands
internal import SwitchyardConfiguration
internal import SwitchyardCore
internal import SwitchyardMirrorService

/// Row-level security of a PostgreSQL store, for the role as which the service logs in.
extension MirrorServiceCommand {
    struct Grant: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "grant",
                abstract: "Prints the statements that keep the service to each device's household.",
                discussion: """
                    They give a role what the service needs, and have PostgreSQL show and take the rows of the household alone for \
                    which a transaction is, as far as the member's role allows. Run it as the owner of the store, with --apply, \
                    before the first serve and after each migration. The service logs in as a member of the role, and the other \
                    commands go on as the owner.
                    """)
        }

        @OptionGroup var place: App.Place
        @Option(help: "The role; it is created if it is missing.") var role = PostgresStore.serviceRole
        @Flag(help: "Whether the service has a login of the app's own, which the database then believes.")
        var logins = false
        @Flag(help: "Runs the statements, in one transaction.") var apply = false
        @OptionGroup var options: App.Options

        func run() async throws {
            let call = StoreCall(place, options)
            try await StoreSession<App>.withPostgresStore(call) { store in
                let statements = try await store.grantStatements(for: role, admitsLogins: logins)
                if apply { try await store.grant(to: role, admitsLogins: logins) }
                if call.json {
                    return try Terminal.print(json: GrantOutput(statements: statements, applied: apply))
                }
                if apply { return Terminal.print("Ran \(statements.count) statements.") }
                for line in statements.flatMap({ ($0 + ";").split(separator: "\n") }) {
                    Terminal.print(String(line))
                }
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "check",
                abstract: "Looks for gaps in what grant has set up, and fails if there is one.")
        }

        @OptionGroup var place: App.Place
        @Option(help: "The role that the service's login is a member of.") var role = PostgresStore
            .serviceRole
        @Flag(help: "Whether grant was run with --logins.") var logins = false
        @OptionGroup var options: App.Options

        func run() async throws {
            let call = StoreCall(place, options)
            try await StoreSession<App>.withPostgresStore(call) { store in
                let gaps = try await store.rowSecurityGaps(for: role, admitsLogins: logins)
                if call.json {
                    try Terminal.print(json: ["gaps": gaps])
                } else {
                    for gap in gaps { Terminal.print(gap) }
                }
                guard gaps.isEmpty else {
                    throw StoreError(
                        .configuration, "The households are not kept apart, for the reasons shown above.")
                }
                if !call.json { Terminal.print("Each household is fenced.") }
            }
        }
    }
}

/// What `grant` prints as JSON.
private struct GrantOutput: Encodable {
    let statements: [String]
    let applied: Bool
}

extension StoreSession {
    /// Runs work with the PostgreSQL store that a call selects, once it is a server.
    ///
    /// - Throws: `UsageError` for any other store; what the work throws.
    fileprivate static func withPostgresStore(
        _ call: StoreCall, _ work: (PostgresStore) async throws -> Void
    ) async throws {
        try await serving(call) { service, session in
            guard session.configuration.backend == PostgresPlugin.scheme else {
                throw UsageError("The store is not in PostgreSQL, and only there are roles.")
            }
            let scope = try await service.hasScopes ? StoreScope.unused : nil
            // The session's own is behind others, which know nothing of roles.
            let store = try await PostgresPlugin.open(
                session.configuration.settings, schema: service.store.schema,
                options: OpenOptions(scope: scope))
            do { if let store = store as? PostgresStore { try await work(store) } } catch {
                try? await store.close()
                throw error
            }
            try await store.close()
        }
    }
}
