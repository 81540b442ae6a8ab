package import ArgumentParser
internal import Foundation
internal import SwitchyardConfiguration
internal import SwitchyardCore

extension StoreCommand {
    /// `store adopt [--dry-run]`.
    package struct Adopt: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "adopt",
                abstract: "Turns a database with the app's tables into a store, in place.",
                discussion: """
                    The tables must match a released version, to the last column. Otherwise the command lists the differences and \
                    changes nothing. Rows and other tables stay unchanged. An SQLite file is first backed up in its directory. The \
                    next command that writes migrates the store to the newest version.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Flag(help: "Only compare, and list the differences.") var dryRun = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let plan = try App.requiredPlan
            let (configuration, _) = try await Session.configuration(call)
            var opening = Session.opening(call)
            opening.access = dryRun ? .readOnly : .readWrite
            opening.historyRetention = App.historyRetention
            let found = try await Session.registry.adopt(configuration, as: plan, options: opening)
            let output = AdoptionOutput(found)
            if call.json {
                try Terminal.print(json: output)
            } else {
                Terminal.print(lines: output.lines)
            }
            guard found.isPossible else {
                throw StoreError(
                    .schemaMismatch,
                    "The database cannot become a store where it is, for the reasons shown above. Nothing was changed."
                )
            }
            guard dryRun, !call.json else { return }
            Terminal.print(
                "The database would become a store of version \(found.version). Nothing was changed.")
        }
    }
}

/// What an adoption has found and done, in the command's output.
private struct AdoptionOutput: Encodable {
    let version: String
    let differences: [String]
    let additions: [String]
    let otherTables: [String]
    let rows: [String: Int]
    @OrNull var backup: String?

    init(_ found: InPlaceAdoption) {
        version = found.version.description
        (differences, additions, otherTables) = (found.differences, found.additions, found.otherTables)
        (rows, backup) = (found.rows, found.backup)
    }

    var lines: [String] {
        ["version  \(version)"] + differences.map { "against  \($0)" } + additions.map { "adds     \($0)" }
            + otherTables.map { "leaves   \($0)" } + (backup.map { ["backup   \($0)"] } ?? [])
            + rows.sorted { $0.key < $1.key }.map { "rows     \($0.key): \($0.value)" }
    }
}
