package import ArgumentParser
internal import Foundation
internal import SwitchyardConfiguration
internal import SwitchyardCore

extension StoreCommand {
    /// `store repair [--dry-run]`.
    package struct Repair: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "repair",
                abstract: "Repairs a store that was left half-way between two versions of the schema.",
                discussion: """
                    In one transaction, the tables and the marker get the same version, and all rows are kept. An SQLite file is \
                    first copied in its directory. A sound store stays unchanged, even if it has an older version; the command \
                    migrate takes it to the newest.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Flag(help: "Only show the faults, and how they would be repaired.")
        var dryRun = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let plan = try await Session.plan(call)
            let (opening, open) = try await Session.opener(call)
            guard !dryRun else { return try show(try await plan.diagnose(opening, open)) }
            let report = try await plan.repair(opening, open)
            if call.json { return try Terminal.print(json: report) }
            Terminal.print(lines: report.diagnosis.findings.map(\.line))
            guard !report.diagnosis.isSound else {
                return Terminal.print(lines: [report.diagnosis.summary(App.self)])
            }
            Terminal.print(lines: report.diagnosis.operations.map(\.line))
            if let backup = report.backup { Terminal.print("backup   \(backup)") }
            Terminal.print(
                "The store is repaired\(report.diagnosis.version.map { " as version \($0)" } ?? "").")
        }

        private func show(_ diagnosis: StoreDiagnosis) throws {
            if call.json {
                try Terminal.print(json: diagnosis)
            } else {
                Terminal.print(lines: diagnosis.findings.map(\.line) + diagnosis.operations.map(\.line))
                Terminal.print(
                    diagnosis.summary(App.self) + (diagnosis.isSound ? "" : " Nothing was changed."))
            }
            guard !diagnosis.isOnlyObstructed else {
                throw StoreError(
                    .schemaMismatch,
                    "A repair does not remove what others have added. Move it out of the way by hand.")
            }
            guard diagnosis.isSound || diagnosis.canBeRepaired else {
                throw StoreError(.corrupted, "The store cannot be repaired. Restore it from a backup.")
            }
        }
    }
}

extension StoreDiagnosis {
    /// What was found, in a sentence.
    func summary<App: StoreApp>(_ app: App.Type) -> String {
        guard isSound else {
            if isOnlyObstructed {
                return "The store cannot be migrated before what is shown above is out of the way."
            }
            return canBeRepaired
                ? "The store is damaged, and can be repaired: \(App.repairCommand)."
                : "The store is damaged, and cannot be repaired."
        }
        guard isOlder, let version else { return "The store is sound." }
        return
            "The store is sound. It has version \(version), and the newest is \(newestVersion): \(App.commandName) store migrate."
    }
}

extension StoreDiagnosis.Operation {
    /// What is done, in a line.
    var line: String {
        let rows = rows == 0 ? "" : ", " + Terminal.count(rows, "row", "rows")
        return "\(table ?? "marker"): \(fate.rawValue)\(rows). \(message)"
    }
}
