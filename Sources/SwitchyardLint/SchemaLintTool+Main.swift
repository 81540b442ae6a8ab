internal import Foundation
public import SwitchyardCore

extension SchemaLintTool {
    /// Runs the command line of an executable that does nothing else, and ends the process: with 0, with 1
    /// after an error, or with 2 for wrong use.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - lockFile: The lock file, unless another is given with `--lock`.
    ///   - arguments: The arguments after the command's own name.
    public static func main(
        _ plan: any SchemaMigrationPlan.Type, lockFile: String = "schema.lock",
        arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) -> Never {
        let answer = run(plan, lockFile: lockFile, arguments)
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(answer.output.utf8))
            try FileHandle.standardError.write(contentsOf: Data(answer.error.utf8))
        } catch {
            // The reader did not get the whole output, and must not take the status for that of a complete
            // one.
            exit(max(answer.status, 2))
        }
        exit(answer.status)
    }

    /// The result of a command line.
    struct Answer: Equatable {
        var status: Int32 = 0
        var output = ""
        var error = ""
    }

    static func run(
        _ plan: any SchemaMigrationPlan.Type, lockFile: String, _ arguments: [String]
    ) -> Answer {
        do {
            let words = try Words(arguments)
            let tool = SchemaLintTool(plan, lockFile: words.lockFile ?? lockFile)
            switch words.command {
            case .lint:
                let lint = try tool.lint()
                return Answer(
                    status: lint.fails(strictly: words.isStrict) ? 1 : 0,
                    output: try tool.report(lint, as: words.format))
            case .freeze:
                let frozen = try tool.freeze(replacing: words.replaced)
                return Answer(output: tool.sentence(frozen) + "\n")
            case .help: return Answer(output: Words.help)
            }
        } catch let error as StoreError {
            return Answer(status: error.code == .configuration ? 2 : 1, error: error.message + "\n")
        } catch {
            return Answer(status: 2, error: "\(error)\n")
        }
    }

    /// What was frozen, in a sentence.
    public func sentence(_ frozen: [SchemaVersion]) -> String {
        frozen.isEmpty
            ? "All versions are in \(lockFile) already."
            : "\(lockFile) has \(frozen.map(\.description).joined(separator: ", ")) now. Commit it."
    }
}

/// The words of a command line.
private struct Words {
    enum Command { case lint, freeze, help }

    private(set) var command = Command.lint
    private(set) var format = SchemaLintTool.Format.text
    private(set) var isStrict = false
    private(set) var lockFile: String?
    private(set) var replaced: SchemaVersion?

    static let help = """
        schema-lint [--strict] [--format text|json|sarif] [--lock FILE]   checks the migration plan
        schema-freeze [--replace VERSION] [--lock FILE]                   writes the schemas of released versions to the lock file

        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        switch rest.popFirst() {
        case "schema-lint": command = .lint
        case "schema-freeze": command = .freeze
        case "--help", "-h", "help": command = .help
        case let word: throw Self.fault("`\(word ?? "")` is not a command")
        }
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                command = .help
                return
            }
            if word == "--strict", command == .lint {
                isStrict = true
                continue
            }
            guard let value = rest.popFirst() else {
                throw Self.fault("`\(word)` is unknown, or lacks its value")
            }
            switch (word, command) {
            case ("--lock", _): lockFile = value
            case ("--format", .lint):
                guard let format = SchemaLintTool.Format(rawValue: value) else {
                    throw Self.fault("`\(value)` is not a format")
                }
                self.format = format
            case ("--replace", .freeze):
                guard let version = SchemaVersion(text: value) else {
                    throw Self.fault("`\(value)` is not a version")
                }
                replaced = version
            default: throw Self.fault("`\(word)` is unknown")
            }
        }
    }

    private static func fault(_ message: String) -> StoreError {
        StoreError(
            .configuration,
            "\(message). Write schema-lint [--strict] [--format text|json|sarif] [--lock FILE], or schema-freeze "
                + "[--replace VERSION] [--lock FILE].")
    }
}
