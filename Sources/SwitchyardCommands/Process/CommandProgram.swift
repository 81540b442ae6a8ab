public import ArgumentParser
internal import Foundation

/// Runs a command, and reports an error as one paragraph on standard error with an exit status: 0 for success, 1 for a
/// failure, 2 for wrong usage.
public enum CommandProgram {
    /// The author in the store's history: the words of the command.
    @TaskLocal static var author: String?

    /// Runs a command by the process's arguments, and ends the process.
    ///
    /// It runs off the main actor: nothing here needs it, and each return to it would wake another thread.
    @concurrent
    public static func run(_ root: any ParsableCommand.Type) async -> Never {
        do {
            var command = try root.parseAsRoot(try ProcessText.arguments())
            let words = root.words(of: type(of: command))
            if var command = command as? any AsyncParsableCommand {
                try await $author.withValue(words?.joined(separator: " ")) { try await command.run() }
            } else if words == nil {
                printHelp(by: &command, of: root)
            } else {
                try command.run()
            }
            try Terminal.flush()
            exit(ExitStatus.done.rawValue)
        } catch let interruption as Interruption {
            interruption.endProcess()
        } catch {
            exit(end(with: error, of: root).rawValue)
        }
    }

    /// Prints what `--help` asks for: the parser throws a command of its own, the only one that is not ours.
    private static func printHelp(by command: inout any ParsableCommand, of root: any ParsableCommand.Type) {
        do {
            try command.run()
        } catch {
            print(root.fullMessage(for: error))
        }
    }

    /// Reports an error; a request for help is printed on standard output and is not an error.
    private static func end(with error: any Error, of root: any ParsableCommand.Type) -> ExitStatus {
        let failure = Failure(error, of: root)
        guard failure.status == .done else {
            Terminal.writeError(failure.paragraph + "\n")
            return failure.status
        }
        do {
            print(root.fullMessage(for: error))
            try Terminal.flush()
            return .done
        } catch {
            Terminal.writeError(Failure(error, of: root).paragraph + "\n")
            return .failed
        }
    }
}

extension ParsableCommand {
    /// The error for an argument that should be a subcommand and is not; nil for correct arguments.
    ///
    /// The parser complains of the options after it instead, which a group of commands does not have.
    static func misspelling(in arguments: ArraySlice<String>, after words: [String]) -> String? {
        guard configuration.defaultSubcommand == nil, let word = arguments.first, !word.hasPrefix("-") else {
            return nil
        }
        if let next = configuration.subcommands.first(where: { $0.word == word }) {
            return next.misspelling(in: arguments.dropFirst(), after: words + [word])
        }
        guard !configuration.subcommands.isEmpty, word != "help" else { return nil }
        return
            "Unexpected argument '\(word)'. See '\(words.joined(separator: " ")) --help' for more information."
    }

    /// The word by which a command is called.
    static var word: String { configuration.commandName ?? "\(self)".lowercased() }

    /// The words that call a command below this one, such as `baby` and `add`; nil if it is not below this one.
    fileprivate static func words(of command: any ParsableCommand.Type) -> [String]? {
        for subcommand in configuration.subcommands {
            if subcommand == command { return [subcommand.word] }
            if let rest = subcommand.words(of: command) { return [subcommand.word] + rest }
        }
        return nil
    }
}
