public import ArgumentParser
internal import SwitchyardConfiguration
internal import SwitchyardCore
public import SwitchyardJSON

extension JSONBackup.RestoreMode: ExpressibleByArgument {}

extension StoreCommand {
    /// `store backup FILE`.
    package struct Backup: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "backup", abstract: "Writes all rows to one JSON document.",
                discussion: """
                    The document holds one snapshot, without the history. The file is readable by you alone, and appears once it \
                    is complete.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Argument(help: "The file.") var file: String
        @Flag(help: "Replace an existing file.") var overwrite = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            try await Session.run(
                call, for: .reading, checking: requireNoStore
            ) { session in
                let rows = try await App.backup.write(
                    session.store, toPath: file, replacing: overwrite)
                if call.json { return try Terminal.print(json: rows) }
                Terminal.print(lines: rows.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
                Terminal.print(
                    "Wrote \(Terminal.count(rows.values.reduce(0, +), "row", "rows")) to \(file).")
            }
        }

        private func requireNoStore(_ configuration: StoreConfiguration) async throws {
            try await Session.requireNoStore(at: file, beside: configuration)
        }
    }

    /// `store restore FILE --mode replace|merge`.
    package struct Restore: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "restore",
                abstract: "Restores the rows of a JSON document, all of them or none.",
                discussion: """
                    With replace, the document's rows replace all rows of the store. With merge, the store keeps its rows, and a \
                    row of the document replaces the one with the same id.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Argument(help: "A file written by store backup.") var file: String
        @Option(help: "What happens to the store's rows.") var mode: JSONBackup.RestoreMode
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            // A new store is made for a sound document only.
            let document = try await App.backup.document(
                atPath: file, for: try await Session.newestSchema(call))
            try await Session.run(call, for: App.plan == nil ? .changing : .filling) { session in
                let report = try await document.restore(into: session.store, mode: mode)
                if call.json {
                    try Terminal.print(json: report)
                } else {
                    Terminal.print(
                        lines: report.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text)" })
                }
                await session.pruneHistory()
            }
        }
    }
}

extension JSONBackup.RestoredRows {
    fileprivate var text: String {
        let parts = [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted before")]
        return "\(read) read"
            + parts.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
    }
}
