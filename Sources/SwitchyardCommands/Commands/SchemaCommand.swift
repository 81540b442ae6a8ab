public import ArgumentParser
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardLint

/// `store schema show|diff|plan|lint|freeze`.
package struct SchemaCommand<App: StoreApp>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "schema",
            abstract: "Shows the schema and its versions, and checks the stages between them.",
            subcommands: [Show.self, Diff.self, Plan.self, Lint.self, Freeze.self],
            defaultSubcommand: Show.self)
    }

    typealias Session = StoreSession<App>

    package init() {}

    package struct Show: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "show",
                abstract: "Prints the store's schema, or a version of the plan."
            )
        }

        @OptionGroup package var place: App.Place
        @Argument(help: ArgumentHelp("The version; the store's by default.", valueName: "version"))
        var version: String?
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            if let version { return try show(App.checkedPlan.schema(version)) }
            try await Session.run(call, for: .inspecting) { session in
                try show(try await session.store.marker().schema)
            }
        }

        private func show(_ schema: Schema) throws {
            if call.json { return try Terminal.print(json: schema) }
            Terminal.print(
                lines: schema.description.split(separator: "\n", omittingEmptySubsequences: false).map {
                    String($0)
                })
        }
    }

    package struct Diff: ParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "diff", abstract: "Shows the differences between two versions, stage by stage."
            )
        }

        @Argument(help: ArgumentHelp("The older version, such as 7.", valueName: "older")) var older: String
        @Argument(help: ArgumentHelp("The newer version.", valueName: "newer")) var newer: String
        @Flag(help: "Print JSON.") var json = false

        package init() {}

        package func run() throws {
            let plan = try App.checkedPlan
            let (from, to) = (try plan.schema(older).version, try plan.schema(newer).version)
            guard from <= to else {
                throw UsageError("Version \(from) is newer than \(to); give the older one first.")
            }
            let stages = plan.changes.filter { from <= $0.from && $0.to <= to }.map { StageOutput($0) }
            if json { return try Terminal.print(json: stages) }
            guard !stages.isEmpty else { return Terminal.print("Nothing is different.") }
            Terminal.print(lines: stages.flatMap { [$0.line] + $0.changes.map { "  \($0.sentence)" } })
        }
    }

    package struct Plan: ParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "plan",
                abstract: "Shows the versions of the schema, and the stages between them.")
        }

        @Flag(help: "Print JSON.") var json = false

        package init() {}

        package func run() throws {
            let plan = PlanOutput(try App.checkedPlan)
            if json { return try Terminal.print(json: plan) }
            Terminal.print(lines: plan.versions.map { "version  \($0.version)  \($0.fingerprint)" })
            Terminal.print(lines: plan.stages.map { "stage    \($0.line)" })
        }
    }

    package struct Lint: ParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "lint",
                abstract: "Checks all versions of the schema, and the stages between them.",
                discussion: """
                    Correct each error, or accept it with a reason in the file that ends in .accepted, beside the lock file. Run the \
                    command in the package's directory, or name the lock file.
                    """)
        }

        @OptionGroup var options: LintOptions<App>

        package init() {}

        package func run() throws { try options.lint() }
    }

    package struct Freeze: ParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "freeze",
                abstract: "Adds new versions of the schema to the lock file.",
                discussion: "It refuses a version that has changed since it was frozen.")
        }

        @Option(
            help: ArgumentHelp(
                "Freeze this version again, if it was never released.", valueName: "version"))
        var replace: String?
        @Option(help: ArgumentHelp("The lock file.", valueName: "file")) var lock = App.schemaLockFile

        package init() {}

        package func run() throws {
            let tool = SchemaLintTool(try App.requiredPlan, lockFile: lock)
            let frozen = try tool.freeze(replacing: try replace.map { try SchemaVersion(argument: $0) })
            Terminal.print(tool.sentence(frozen))
        }
    }
}

/// The word `schema-lint`, by which `swift package schema-lint` calls an app's command.
public struct SchemaLintCommand<App: StoreApp>: ParsableCommand {
    /// The word, which help does not show.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "schema-lint", abstract: "Does the same as store schema lint.", shouldDisplay: false)
    }

    @OptionGroup var options: LintOptions<App>

    /// Creates the declaration that the parser reads.
    public init() {}

    /// Checks the app's plan.
    ///
    /// - Throws: `schemaInvalid` if something must be corrected; `configuration` for a file that cannot be read.
    public func run() throws { try options.lint() }
}

/// What a lint is told.
struct LintOptions<App: StoreApp>: ParsableArguments {
    @Option(
        help: "How to write what is found: text, json or sarif.",
        transform: { word in
            guard let format = SchemaLintTool.Format(rawValue: word) else {
                throw ValidationError("`\(word)` is not a format; choose text, json or sarif.")
            }
            return format
        })
    var format: SchemaLintTool.Format?
    @Flag(help: "The same as --format json.") var json = false
    @Flag(help: "End with 1 for a warning or a note, too.") var strict = false
    @Option(help: ArgumentHelp("The lock file.", valueName: "file")) var lock = App.schemaLockFile

    func validate() throws {
        if json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) exclude each other.")
        }
    }

    func lint() throws {
        let tool = SchemaLintTool(try App.requiredPlan, lockFile: lock)
        let lint = try tool.lint()
        let text = try tool.report(lint, as: json ? .json : format ?? .text)
        Terminal.print(
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
        )
        if lint.fails(strictly: strict) {
            throw StoreError(
                .schemaInvalid, "The schema has faults that must be corrected or accepted, as shown above.")
        }
    }
}

extension SchemaVersion {
    init(argument: String) throws {
        guard let version = SchemaVersion(text: argument) else {
            throw UsageError("`\(argument)` is not a version; write it as 8 or 8.0.0.")
        }
        self = version
    }
}

extension MigrationPlan {
    /// The schema of a version that an argument names.
    fileprivate func schema(_ argument: String) throws -> Schema {
        let version = try SchemaVersion(argument: argument)
        guard let schema = schemas.first(where: { $0.version == version }) else {
            let known = schemas.map(\.version.description).joined(separator: ", ")
            throw UsageError("There is no version \(version) of the schema; there are \(known).")
        }
        return schema
    }
}

/// A migration plan in the command's output.
private struct PlanOutput: Encodable {
    struct Version: Encodable { let version, fingerprint: String }

    let versions: [Version]
    let stages: [StageOutput]

    init(_ plan: MigrationPlan) {
        versions = plan.schemas.map { Version(version: $0.version.description, fingerprint: $0.fingerprint) }
        stages = plan.changes.map { StageOutput($0) }
    }
}

/// A stage in the command's output.
private struct StageOutput: Encodable {
    struct Change: Encodable {
        let entity: String
        @OrNull var part: String?
        let sentence: String

        init(_ change: SchemaChange) {
            // Of an index, the sentence does not say which one.
            let name = change.part.flatMap { change.difference.contains($0) ? nil : " (\($0))" } ?? ""
            (entity, sentence) = (change.entity, "\(change.difference.dropLast())\(name).")
            part = change.part
        }
    }

    let from: String
    let to: String
    let hasCode: Bool
    let changes: [Change]

    init(_ stage: (from: SchemaVersion, to: SchemaVersion, changes: [SchemaChange], hasCode: Bool)) {
        (from, to, hasCode) = (stage.from.description, stage.to.description, stage.hasCode)
        changes = stage.changes.map { Change($0) }
    }

    var line: String {
        let count = Terminal.count(changes.count, "change", "changes")
        return "\(from) to \(to): \(count)\(hasCode ? ", with code of its own" : "")"
    }
}
