public import ArgumentParser
internal import Foundation
internal import Logging
public import SwitchyardCommands
internal import SwitchyardCore
internal import SwitchyardMirror
internal import SwitchyardMirrorService

/// The commands of a mirror's service, for an app's own one; `switchyard-mirror` has them for any store.
///
/// ```swift
/// @main
/// struct DairyMirror: AsyncParsableCommand {
///     static let configuration = MirrorServiceCommand<Dairy>.configuration
///     static func main() async { await CommandProgram.run(MirrorServiceCommand<Dairy>.self) }
/// }
/// ```
public struct MirrorServiceCommand<App: StoreApp>: AsyncParsableCommand {
    /// The command's word, and the commands below it.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: App.commandName,
            abstract: "Lets devices mirror a server's store over HTTPS, and says who belongs to a household.",
            subcommands: [
                Serve.self, Invite.self, Members.self, Revoke.self, Grant.self, Check.self,
            ])
    }

    /// Creates the declaration that the parser reads.
    public init() {}
}

extension MirrorServiceCommand {
    struct Serve: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "serve", abstract: "Answers devices until it is told to end.",
                discussion: """
                    Several of them serve one store. Without a certificate it answers over HTTP, for a proxy that ends TLS on the \
                    same machine. GET /health says that the process lives, and /ready that it reaches its store.
                    """)
        }

        @OptionGroup var place: App.Place
        @Option(help: "The address to listen at.") var host = "127.0.0.1"
        @Option(help: "The port to listen at; 0 for any that is free.") var port = 8443
        @Option(help: ArgumentHelp("The certificate and its chain, PEM.", valueName: "file")) var certificate:
            String?
        @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file")) var key: String?
        @Option(help: "How many requests one device may make in a minute.") var requestsPerMinute = 600
        @Option(help: "How many connections there may be at once.") var connections = 20_000
        @Flag(help: "Believes the X-Forwarded-For and trace headers that a proxy sets.")
        var forwarded = false
        @OptionGroup var options: App.Options

        func validate() throws {
            guard (certificate == nil) == (key == nil) else {
                throw ValidationError("--certificate and --key belong together.")
            }
            guard (0...65_535).contains(port), requestsPerMinute > 0, connections > 0 else {
                throw ValidationError("A port is at most 65535, and the limits are more than 0.")
            }
        }

        func run() async throws {
            let call = StoreCall(place, options)
            let settings = HTTPService.Settings(
                host: host, port: port, tls: certificate.flatMap { file in key.map { (file, $0) } },
                connections: connections, isForwarded: forwarded)
            let authenticator = try await (App.self as? any MirrorServiceApp.Type)?.authenticator()
            try await StoreSession<App>.serving(
                call, forDevices: true, authenticator: authenticator, requestsPerMinute: requestsPerMinute
            ) { service, _ in
                var logger = Logger(label: App.commandName) { StreamLogHandler.standardError(label: $0) }
                logger.logLevel = call.verbose ? .debug : .notice
                try await HTTPService(service: service, settings: settings, logger: logger).run { port in
                    Terminal.print(
                        "Listening at \(settings.tls == nil ? "http" : "https")://\(settings.host):\(port)")
                    try? Terminal.flush()
                }
            }
        }
    }

    struct Invite: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "invite", abstract: "Prints a link by which somebody joins a household.",
                discussion: """
                    Without --household a new household begins, and the link makes its first owner; owners invite others in the app. \
                    Whoever has the link can accept it.
                    """)
        }

        @OptionGroup var place: App.Place
        @Option(help: ArgumentHelp("The URL at which devices reach the service.", valueName: "url"))
        var service: String
        @Option(help: ArgumentHelp("The household's scope; a new one by default.", valueName: "id"))
        var household: String?
        @Option(help: "owner, member or reader.") var role = HouseholdRole.owner
        @Option(help: "For how many hours the link can be accepted.") var hours = 24
        @Flag(help: "Shows the link as a QR code too, for a phone's camera.") var qr = false
        @OptionGroup var options: App.Options

        func validate() throws {
            guard (1...720).contains(hours) else {
                throw ValidationError("A link is open for 1 to 720 hours.")
            }
        }

        func run() async throws {
            let call = StoreCall(place, options)
            try call.requireForPeople(qr, "--qr")
            guard let service = URL(string: service) else { throw UsageError("--service is no URL.") }
            let (known, terms) = (try scope(household), InvitationTerms(role: role, lifetime: hours * 3_600))
            try await StoreSession<App>.serving(call) { mirror, _ in
                let household = try await mirror.hasScopes ? known ?? StoreScope() : known
                let link = try await mirror.invite(terms, into: household, service: service)
                if call.json {
                    return try Terminal.print(
                        json: ["link": link.text, "household": household?.description].compactMapValues(
                            \.self))
                }
                if let household, known == nil { Terminal.print("household  \(household)") }
                Terminal.print("link       \(link.text)")
                if qr { Terminal.print(qrCodeOf: link.text) }
            }
        }
    }

    struct Members: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "members", abstract: "Shows who belongs to a household.")
        }

        @OptionGroup var place: App.Place
        @Option(help: ArgumentHelp("The household's scope.", valueName: "id")) var household: String?
        @OptionGroup var options: App.Options

        func run() async throws {
            let (call, scope) = (StoreCall(place, options), try scope(household))
            try await StoreSession<App>.serving(call) { mirror, _ in
                try HouseholdOutput(try await mirror.household(scope)).show(asJSON: call.json)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "revoke",
                abstract: "Ends a membership; the member's devices lose the household's rows.")
        }

        @OptionGroup var place: App.Place
        @Argument(help: "The member's id, as members shows it.") var member: String
        @Option(help: ArgumentHelp("The household's scope.", valueName: "id")) var household: String?
        @OptionGroup var options: App.Options

        func run() async throws {
            let (call, scope) = (StoreCall(place, options), try scope(household))
            guard let member = UUID(uuidString: member) else {
                throw UsageError("The member's id is a UUID.")
            }
            try await StoreSession<App>.serving(call) { mirror, _ in
                try await mirror.revoke(member: member, of: scope)
            }
        }
    }
}

/// The household's scope that an argument names.
private func scope(_ text: String?) throws -> StoreScope? {
    guard let text else { return nil }
    guard let scope = StoreScope(text) else {
        throw UsageError("`\(text)` is not the id of a household, which is a UUID.")
    }
    return scope
}

extension StoreSession {
    /// Runs work with a service of the store that a call selects.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - isForDevices: Whether devices are answered, rather than one command carried out.
    ///   - authenticator: The app's own login.
    ///   - requestsPerMinute: How many requests one device may make.
    ///   - work: The work.
    /// - Throws: As `run(_:for:checking:_:)` and `MirrorService.serving`.
    static func serving(
        _ call: StoreCall, forDevices isForDevices: Bool = false,
        authenticator: (any MirrorAuthenticator)? = nil, requestsPerMinute: Int = 600,
        _ work: (MirrorService, StoreSession) async throws -> Void
    ) async throws {
        var isServing = false
        func run(_ call: StoreCall) async throws {
            try await self.run(call, for: .changing) { session in
                isServing = true
                let service = try await MirrorService.serving(
                    isForDevices ? session.unsettledStore : session.store, migratedBy: App.plan,
                    functions: App.mergeFunctions,
                    authenticator: authenticator, requestsPerMinute: requestsPerMinute)
                do { try await work(service, session) } catch {
                    await service.close()
                    throw error
                }
                await service.close()
            }
        }
        do { try await run(call) } catch let error as StoreError
            where error.code == .scopeMismatch && call.scope == nil && !isServing
        {
            // Each household is a scope, and none is preferred.
            var call = call
            call.scope = StoreScope.unused.description
            try await run(call)
        }
    }
}
