import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands
import SwitchyardCore
import SwitchyardIntents
import SwitchyardMirror

/// `intent list|run`.
struct IntentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intent", abstract: "Lists and runs the app's intents.",
        subcommands: [List.self, Run.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the intents with their parameters and phrases.")

        @OptionGroup var options: GlobalOptions

        func run() throws {
            let intents = try BabyMonitorShortcuts.registry().intents
            if options.json { return try Terminal.print(json: intents) }
            Terminal.print(lines: intents.flatMap(\.lines))
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Runs an intent.",
            usage:
                "babymonitor intent run NAME [--PARAMETER VALUE …] [--json] [--verbose] [--store URL] [--config FILE] [--profile NAME]",
            discussion: """
                `babymonitor intent list` shows the names, and `babymonitor intent run NAME --help` the parameters of one. A \
                required parameter that is missing is asked for on a terminal and is an error elsewhere. NAME - reads a \
                request from standard input: {"intent": NAME, "parameters": {NAME: VALUE}}.
                """)

        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp(
                "The intent's name or title, or - for a request in JSON on standard input; its parameters, each as --NAME "
                    + "VALUE; and the options of every command.", valueName: "word"))
        var words: [String] = []

        func run() async throws {
            let given = try PassedWords(words)
            let registry = try BabyMonitorShortcuts.registry()
            guard let name = given.subject else {
                if given.wantsHelp { throw CleanExit.helpRequest(Run.self) }
                throw UsageError("Name the intent to run; `babymonitor intent list` shows them all.")
            }
            if given.wantsHelp {
                guard name != "-" else { throw CleanExit.helpRequest(Run.self) }
                return Terminal.print(lines: try registry.declaration(named: name).help)
            }
            let request = name == "-" ? try await readRequest(given) : given.request(for: name)
            _ = try registry.intent(named: request.intent)
            try await Session.run(given.options, for: .changing) { session in
                try await registry.run(request, in: session.intentContext).print(given.options)
            }
        }

        private func readRequest(_ given: PassedWords) async throws -> IntentRequest {
            if let name = given.parameters.keys.min() {
                throw UsageError(
                    "A request on standard input contains its parameters: put \(name) there, instead of --\(name)."
                )
            }
            return try await Cancellation.run { _ in
                try IntentRequest(json: FileHandle.standardInput.readToEnd() ?? Data())
            }
        }
    }
}

/// `say "…"`.
struct Say: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "say", abstract: "Runs an intent by one of its phrases.",
        usage:
            "babymonitor say PHRASE [--PARAMETER VALUE …] [--json] [--verbose] [--store URL] [--config FILE] [--profile NAME]",
        discussion: """
            `babymonitor intent list` shows the phrases, such as: babymonitor say "Start feeding for BabyMonitor" --baby Mia. A \
            required parameter that is neither said nor given is asked for on a terminal and is an error elsewhere.
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp(
            "What to say, in quotes; parameters that the phrase leaves out, each as --NAME VALUE; and the options of every "
                + "command.", valueName: "word"))
    var words: [String] = []

    func run() async throws {
        let given = try PassedWords(words)
        if given.wantsHelp { throw CleanExit.helpRequest(Say.self) }
        guard let phrase = given.subject else {
            throw UsageError(
                "Say something, such as: babymonitor say \"Start feeding for BabyMonitor\". `babymonitor intent list` shows "
                    + "what can be said.")
        }
        try await Session.run(given.options, for: .changing) { session in
            let result = try await BabyMonitorShortcuts.registry().say(
                phrase, given.arguments, in: session.intentContext)
            try result.print(given.options)
        }
    }
}

extension PassedWords {
    fileprivate var arguments: [String: IntentArgument] { parameters.mapValues { .text($0) } }

    fileprivate func request(for intent: String) -> IntentRequest {
        IntentRequest(intent: intent, parameters: arguments)
    }
}

extension Session {
    /// The context of the intents.
    var intentContext: IntentContext {
        var context = IntentContext(
            store: store, interaction: Terminal.interaction, measurementSystem: Self.measurementSystem)
        context.add(Self.device)
        context.add(
            HouseholdInviter { role in
                try await mirroring(required: true) { mirror in
                    guard let mirror else {
                        throw StoreError(.notFound, "The store has joined no household.")
                    }
                    return try await mirror.invite(role)
                }
            })
        return context
    }

    /// The system of units set by the process's environment; on Apple systems the user's settings decide.
    private static var measurementSystem: Locale.MeasurementSystem? {
        #if canImport(Darwin)
            nil
        #else
            Locale.MeasurementSystem(environment: ProcessInfo.processInfo.environment)
        #endif
    }
}

extension IntentResult {
    fileprivate func print(_ options: StoreCall) throws {
        if options.json { return try Terminal.print(json: self) }
        if let dialog { Terminal.print(dialog.text) }
    }
}

extension IntentDeclaration {
    /// The intent's lines in a list.
    fileprivate var lines: [String] {
        ["\(name): \(title)"] + parameters.map { "    \($0.line)" } + phrases.map { "    say \"\($0)\"" }
    }

    /// The help text for running the intent.
    fileprivate var help: [String] {
        let flags = parameters.map { $0.isRequired ? "--\($0.name) VALUE" : "[--\($0.name) VALUE]" }
        let usage =
            ["babymonitor intent run \(name)"] + flags + [
                "[--json] [--verbose] [--store URL] [--config FILE] [--profile NAME]"
            ]
        return ["\(title): \(description)", "", "USAGE: \(usage.joined(separator: " "))", "", "PARAMETERS:"]
            + parameters.map { "  \($0.line)" } + ["", "PHRASES:"] + phrases.map { "  say \"\($0)\"" }
    }
}

extension ParameterDeclaration {
    fileprivate var line: String {
        let need = defaultValue.map { " (\($0) if not given)" } ?? (isRequired ? "" : " (optional)")
        return "--\(name)  \(type.description)\(need)"
    }
}
