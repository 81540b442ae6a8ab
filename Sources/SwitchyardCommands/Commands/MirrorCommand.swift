public import ArgumentParser
internal import Foundation
internal import SwitchyardConfiguration
internal import SwitchyardCore
public import SwitchyardMirror

/// An app's command `mirror start|join|status|exchange|conflicts|verify|members|share|revoke|leave|stop`.
public struct MirrorCommand<App: StoreApp>: AsyncParsableCommand {
    /// The word `mirror`, and the commands below it.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "mirror",
            abstract: "Keeps the store in step with a server, and with the other devices of a household.",
            discussion: """
                The server is the setting store.mirror.url, or is named by --server; or the store has joined a household by its \
                link, which people share. The app exchanges by itself; these commands do it once, and show what waits.
                """,
            subcommands: [
                Start.self, Join.self, Status.self, Exchange.self, Conflicts.self, Verify.self, Members.self,
                Share.self, Revoke.self, Leave.self, Stop.self,
            ])
    }

    typealias Session = StoreSession<App>

    /// Creates the declaration that the parser reads.
    public init() {}
}

/// The arguments that name the server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server's store, instead of the setting store.mirror.url.", valueName: "url"))
    var server: String?
    @Option(
        help: ArgumentHelp(
            "The household's scope there, instead of the setting store.mirror.scope.", valueName: "id"))
    var household: String?

    func describe(_ call: StoreCall) -> StoreCall {
        var call = call
        (call.server, call.household) = (server, household)
        return call
    }
}

extension MirrorCommand {
    package struct Start: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "start", abstract: "Makes the store a mirror of the server, and exchanges once.",
                discussion: """
                    The rows that the store has are sent to the server, and those of the server come beside them. A store is made \
                    on either side where there is none.
                    """)
        }

        @OptionGroup package var place: App.Place
        @OptionGroup var server: ServerOptions
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let call = server.describe(call)
            try await Session.runMirrored(call, for: .filling) { session in
                try Terminal.print(status: try await session.exchange(call), call)
            }
        }
    }

    package struct Exchange: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "exchange",
                abstract: "Sends what was written here, and applies what was written elsewhere.")
        }

        @OptionGroup package var place: App.Place
        @OptionGroup var server: ServerOptions
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let call = server.describe(call)
            try await Session.run(call, for: .changing) { session in
                try await session.requireMirrored()
                try Terminal.print(status: try await session.exchange(call), call)
            }
        }
    }

    package struct Status: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "status",
                abstract:
                    "Shows what waits to be sent, when something was exchanged last, and the household.",
                discussion:
                    "The household is shown as the service has told it last; the command mirror members asks for it."
            )
        }

        @Flag(
            help:
                "Exchange in the background, and show each change, until interrupted; with --json, each on one line."
        )
        var watch = false
        @OptionGroup package var place: App.Place
        @OptionGroup var server: ServerOptions
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let call = server.describe(call)
            guard watch else {
                return try await Session.run(call, for: .inspecting) { session in
                    let role = try await session.store.marker().mirror
                    let counts = try await session.store.read { try MirrorCounts($0) }
                    let output = MirrorOutput(
                        role, counts, server: session.configuration.mirror?.location)
                    if call.json { return try Terminal.print(json: output) }
                    Terminal.print(lines: output.lines)
                }
            }
            try await Interruption.cancelling {
                try await Session.run(call, for: .changing) { session in
                    try await session.mirroring(required: true) { mirror in
                        var last: [String] = []
                        for await status in mirror?.statuses() ?? AsyncStream(unfolding: { nil }) {
                            let output = ExchangeOutput(status)
                            guard output.lines != last else { continue }
                            last = output.lines
                            if call.json {
                                try Terminal.print(json: output, onOneLine: true)
                            } else {
                                Terminal.print(output.line)
                            }
                            try Terminal.flush()
                        }
                    }
                    try Task.checkCancellation()
                }
            }
        }
    }

    package struct Stop: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "stop", abstract: "Ends the mirror; the store keeps its rows.",
                discussion: """
                    Writes that were not sent yet, and those that the server has rejected, keep it from ending, unless they are \
                    to be forgotten.
                    """)
        }

        @Flag(help: "Forget what was not sent or was rejected; the local rows keep these changes.")
        var discardUnsent = false
        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            try await Session.run(call, for: .changing) { session in
                // One that has joined a household becomes a mirror with the first exchange.
                if try await !session.store.hasJoinedHousehold() { try await session.requireMirrored() }
                try await session.store.endMirror(discardingUnsent: discardUnsent)
                if call.json { return try Terminal.print(json: ["isMirrored": false]) }
                Terminal.print("The store is no mirror any more; it keeps its rows.")
            }
        }
    }
}

extension StoreConfiguration {
    /// The server that the store mirrors.
    ///
    /// - Throws: `configuration` if none is named.
    var requiredMirror: MirrorConfiguration {
        get throws {
            guard let mirror else {
                throw StoreError(
                    .configuration,
                    "No server is named. Give its URL by --server, set store.mirror.url, or join a household by its link."
                )
            }
            return mirror
        }
    }
}

extension StoreSession {
    /// Runs work that needs a server: that one is named is checked before anything is opened or created.
    fileprivate static func runMirrored(
        _ call: StoreCall, for purpose: Purpose, _ work: (StoreSession) async throws -> Void
    ) async throws {
        let check = { @Sendable (configuration: StoreConfiguration) in _ = try configuration.requiredMirror }
        try await run(call, for: purpose, checking: check, work)
    }

    /// Checks that the store is a mirror.
    func requireMirrored() async throws {
        guard try await store.marker().mirror?.isDevice == true else {
            let command =
                App.plan == nil ? "the command mirror start of its app" : "\(App.commandName) mirror start"
            throw StoreError(
                .invalidArgument,
                "The store is not a mirror. Make it one with \(command); nothing was changed.")
        }
    }

    /// The server that the store mirrors; nil if it mirrors none.
    ///
    /// - Throws: `configuration` if one is required and none is known.
    private func server(isRequired: Bool) async throws -> MirrorServer? {
        let registry = try Self.registry
        if let configured = configuration.mirror {
            // A store there is made only when the mirror begins: later, a server that is missing is another one, or its URL is
            // misspelt.
            return if let plan = App.plan {
                try configured.server(registry: registry, migrating: plan, mergingBy: App.mergeFunctions)
            } else {
                try configured.server(registry: registry, schema: store.schema, mergingBy: App.mergeFunctions)
            }
        }
        if try await store.hasJoinedHousehold() { return .joined }
        if isRequired { _ = try configuration.requiredMirror }
        return nil
    }

    /// Exchanges once.
    ///
    /// - Returns: The status afterwards.
    func exchange(_ call: StoreCall) async throws -> ExchangeOutput {
        try await mirroring(required: true) { mirror in
            guard let mirror else { return ExchangeOutput(MirrorStatus()) }
            return ExchangeOutput(try await mirror.exchange())
        }
    }

    /// Runs work while the store is kept in step with its server; the mirror is nil without one.
    ///
    /// - Parameters:
    ///   - isRequired: Whether a missing server is an error.
    ///   - work: The work.
    /// - Returns: The work's result.
    /// - Throws: `configuration` if a server is required, and none is known; as `MirroredStore.open(_:mirroring:device:)`; what the
    ///   work throws.
    public func mirroring<Value>(
        required isRequired: Bool = false, _ work: (MirroredStore?) async throws -> Value
    ) async throws -> Value {
        guard let server = try await server(isRequired: isRequired) else { return try await work(nil) }
        let mirror = try await MirroredStore.open(
            store, mirroring: server, device: configuration.mirror?.device ?? Self.deviceName)
        do {
            let value = try await work(mirror)
            await mirror.end()
            return value
        } catch {
            await mirror.end()
            throw error
        }
    }
}

extension Terminal {
    fileprivate static func print(status: ExchangeOutput, _ call: StoreCall) throws {
        if call.json { return try print(json: status) }
        print(lines: status.lines)
    }
}

/// The status of an exchange in the command's output.
struct ExchangeOutput: Encodable {
    let phase: String
    let received: Int
    let pending: Int
    let rejected: Int
    let conflicts: Int
    @OrNull var problem: String?

    init(_ status: MirrorStatus) {
        phase = status.phase.rawValue
        received = status.received
        pending = status.pending
        rejected = status.rejected
        conflicts = status.conflicts
        problem = status.problem?.message
    }

    var line: String {
        let counts = [
            (received, "received"), (pending, "pending"), (rejected, "rejected"),
            (conflicts, conflicts == 1 ? "conflict" : "conflicts"),
        ].compactMap { $0 > 0 ? "\($0) \($1)" : nil }
        let state =
            switch phase {
            case "upToDate": "up to date"
            case "opened": "not exchanged yet"
            default: phase
            }
        return ([state] + counts + [problem].compactMap { $0 }).joined(separator: "; ")
    }

    var lines: [String] {
        var lines = [line]
        if rejected > 0 || conflicts > 0 { lines.append("See the command mirror conflicts.") }
        return lines
    }
}
