import ArgumentParser
import BabyMonitor
import Foundation
import SwitchyardIntents

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
            for intent in intents { print(intent.text) }
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Runs an intent.",
            usage:
                "babymonitor intent run NAME [--PARAMETER VALUE …] [--json] [--store URL] [--config FILE] [--profile NAME]",
            discussion: """
                `babymonitor intent list` shows the names and parameters. A required parameter that is missing is asked for on a \
                terminal and is an error elsewhere. NAME - reads a request from standard input: \
                {"intent": NAME, "parameters": {NAME: VALUE}}.
                """)

        @Argument(help: "The intent's name or title; - for a request in JSON on standard input.") var name:
            String
        @Argument(parsing: .captureForPassthrough, help: "The parameters, each as --NAME VALUE.")
        var parameters: [String] = []

        func run() async throws {
            let given = try PassedParameters(parameters)
            let request =
                name == "-"
                ? try IntentRequest(json: FileHandle.standardInput.readToEnd() ?? Data())
                : IntentRequest(intent: name, parameters: given.values.mapValues { .text($0) })
            try await Session.run(given.options, for: .filling) { session in
                let result = try await BabyMonitorShortcuts.registry().run(request, in: session.intentContext)
                try result.print(given.options)
            }
        }
    }
}

/// `say "…"`.
struct Say: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "say", abstract: "Runs an intent by one of its phrases.",
        discussion:
            "`babymonitor intent list` shows the phrases, such as: babymonitor say \"Start feeding for BabyMonitor\"."
    )

    @Argument(help: "What to say.") var phrase: String
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Session.run(options, for: .filling) { session in
            let result = try await BabyMonitorShortcuts.registry().say(phrase, in: session.intentContext)
            try result.print(options)
        }
    }
}

/// What follows an intent's name: its parameters, and the options of every command.
struct PassedParameters {
    private(set) var options = GlobalOptions.none
    private(set) var values: [String: String] = [:]

    init(_ words: [String]) throws {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                throw ValidationError("`\(word)` is no parameter; write each as --NAME VALUE.")
            }
            let parts = word.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if name == "json", parts.count == 1 {
                options.json = true
                continue
            }
            guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst() else {
                throw ValidationError("--\(name) needs a value.")
            }
            switch name {
            case "store": options.store = value
            case "config": options.config = value
            case "profile": options.profile = value
            default:
                guard values.updateValue(value, forKey: name) == nil else {
                    throw ValidationError("--\(name) is given twice.")
                }
            }
        }
    }
}

extension Session {
    /// What intents work with.
    var intentContext: IntentContext {
        var context = IntentContext(
            store: store, interaction: Terminal.interaction, measurementSystem: Self.measurementSystem)
        context.add(afterWrite)
        return context
    }

    /// The person's units where the process's environment tells them; on Apple systems the settings do.
    private static var measurementSystem: Locale.MeasurementSystem? {
        #if canImport(Darwin)
            nil
        #else
            Locale.MeasurementSystem(environment: ProcessInfo.processInfo.environment)
        #endif
    }
}

extension IntentResult {
    fileprivate func print(_ options: GlobalOptions) throws {
        if options.json { return try Terminal.print(json: self) }
        if let dialog { Swift.print(dialog) }
    }
}

extension IntentDeclaration {
    fileprivate var text: String {
        let rows = parameters.map { parameter in
            let need =
                parameter.defaultValue.map { " (\($0) if not given)" }
                ?? (parameter.isRequired ? "" : " (optional)")
            return "    --\(parameter.name)  \(parameter.type.description)\(need)"
        }
        return (["\(name): \(title)"] + rows + phrases.map { "    say \"\($0)\"" }).joined(separator: "\n")
    }
}
