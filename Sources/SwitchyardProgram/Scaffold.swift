import ArgumentParser
import Foundation
import SwitchyardCommands
import SwitchyardConfiguration
import SwitchyardCore
import SwitchyardTransfer

/// `scaffold DATABASE`.
struct Scaffold: StoreSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "scaffold",
        abstract: "Prints models and an adoption plan for a database that is not a store.",
        discussion: """
            The database is a Core Data or SwiftData store, coredata:PATH, an SQLite file or a schema of PostgreSQL. Every value is \
            read, so that the models hold all of them. The output compiles as it is, and its plan converts the database as it \
            is; nothing is changed. What the plan would still refuse is shown on standard error.
            """)

    @OptionGroup var place: StoreArgument
    @Option(help: ArgumentHelp("The name of the schema; by default that of the file.", valueName: "name"))
    var name: String?
    @OptionGroup var options: ProgramOptions

    func run() async throws {
        let database = try await Session.foreignDatabase(call)
        let file = URL(filePath: database.location).deletingPathExtension().lastPathComponent
        let name = name ?? (file.isEmpty ? "Database" : file)
        let scaffold = try await Interruption.cancelling {
            try await AdoptionScaffold(of: database, named: name)
        }
        let faults = scaffold.preview.faults.map(\.description)
        if call.json { return try Terminal.print(json: ScaffoldOutput(scaffold, faults)) }
        Terminal.print(
            lines: scaffold.source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        for fault in faults { Terminal.writeError("refused  \(fault)\n") }
    }
}

/// A scaffold in the command's output.
private struct ScaffoldOutput: Encodable {
    let source: String
    let tables: [String: Int]
    let findings: [String]
    let faults: [String]

    init(_ scaffold: AdoptionScaffold, _ faults: [String]) {
        (source, self.faults) = (scaffold.source, faults)
        tables = Dictionary(
            scaffold.preview.tables.map { ($0.name, $0.rows) }, uniquingKeysWith: { first, _ in first })
        findings = scaffold.preview.findings.map { "\($0.code): \($0.description)" }
    }
}
