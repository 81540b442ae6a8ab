import ArgumentParser
import BabyMonitor
import Foundation

/// Runs the command, and reports an error as one paragraph on standard error with an exit status: 0 for success,
/// 1 for a failure, 2 for wrong usage.
@main
enum Main {
    static func main() async { await run() }

    /// Runs the command and ends the process, off the main actor: nothing here needs it, and each return to it
    /// would wake another thread.
    @concurrent
    private static func run() async -> Never {
        do {
            var command = try BabyMonitorCommand.parseAsRoot(try ProcessText.arguments())
            let words = BabyMonitorCommand.words(of: type(of: command))
            if var command = command as? any AsyncParsableCommand {
                try await Session.$author.withValue(words?.joined(separator: " ")) { try await command.run() }
            } else if words == nil {
                printHelp(by: &command)
            } else {
                try command.run()
            }
            try Terminal.flush()
            exit(ExitStatus.done.rawValue)
        } catch let interruption as Interruption {
            interruption.endProcess()
        } catch {
            exit(end(with: error).rawValue)
        }
    }

    /// Prints what `--help` asks for: the parser's own command, the only one that is none of ours, throws it.
    private static func printHelp(by command: inout any ParsableCommand) {
        do {
            try command.run()
        } catch {
            print(BabyMonitorCommand.fullMessage(for: error))
        }
    }

    /// Reports an error; a request for help is printed on standard output and is not an error.
    private static func end(with error: any Error) -> ExitStatus {
        let failure = Failure(error)
        guard failure.status == .done else {
            Terminal.writeError(failure.paragraph + "\n")
            return failure.status
        }
        do {
            print(BabyMonitorCommand.fullMessage(for: error))
            try Terminal.flush()
            return .done
        } catch {
            Terminal.writeError(Failure(error).paragraph + "\n")
            return .failed
        }
    }
}

/// The root command.
struct BabyMonitorCommand: AsyncParsableCommand {
    static let name = "babymonitor"
    static let configuration = CommandConfiguration(
        commandName: name,
        abstract:
            "Logs feeds and diaper changes of one or more babies, on the store that the configuration chooses.",
        discussion: """
            The store is chosen by --store URL, by SWITCHYARD_STORE_… in the environment, by a configuration file, or is the \
            SQLite file in the app group. `babymonitor config explain` shows which, and why.
            """,
        subcommands: [
            Baby.self, EventType.self, Status.self, History.self, Undo.self, Import.self, Export.self,
            IntentCommand.self, Say.self,
            Widgets.self,
            StoreCommand.self, Config.self, Seed.self, SchemaLintWord.self,
        ])
}

extension ParsableCommand {
    /// What is wrong with a word that should be one of this command's, which is called by the words before; nil if there
    /// is none such.
    ///
    /// The parser complains of the options after it instead, which a group of commands does not have.
    static func misspelling(in arguments: ArraySlice<String>, after words: [String]) -> String? {
        guard configuration.defaultSubcommand == nil, let word = arguments.first, !word.hasPrefix("-") else {
            return nil
        }
        if let next = configuration.subcommands.first(where: { $0.name == word }) {
            return next.misspelling(in: arguments.dropFirst(), after: words + [word])
        }
        guard !configuration.subcommands.isEmpty, word != "help" else { return nil }
        return
            "Unexpected argument '\(word)'. See '\(words.joined(separator: " ")) --help' for more information."
    }

    private static var name: String { configuration.commandName ?? "\(self)".lowercased() }

    /// The words by which a command is called after this one, such as `baby` and `add`; nil if it is none of this
    /// one's.
    fileprivate static func words(of command: any ParsableCommand.Type) -> [String]? {
        for subcommand in configuration.subcommands {
            if subcommand == command { return [subcommand.name] }
            if let rest = subcommand.words(of: command) { return [subcommand.name] + rest }
        }
        return nil
    }
}
