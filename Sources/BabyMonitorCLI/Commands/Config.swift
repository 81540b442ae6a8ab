import ArgumentParser
import Switchyard

/// `config explain`.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Shows the configuration.", subcommands: [Explain.self])

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Shows each key, its value, and where the value came from; secrets are hidden.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let explanation = try await Session.configuration(options).configuration.explanation
            if options.json { return try Terminal.print(json: explanation) }
            print(explanation)
        }
    }
}
