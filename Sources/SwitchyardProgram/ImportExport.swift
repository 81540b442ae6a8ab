import ArgumentParser
import SwitchyardCSV
import SwitchyardCommands
import SwitchyardConfiguration
import SwitchyardCore

/// `export STORE ENTITY --csv FILE`.
struct Export: StoreSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the rows of an entity to a CSV file, in the order of their ids.",
        discussion: """
            Each attribute has a column, and every value survives: a file that is imported into an empty store is exported \
            again byte for byte, whatever the backends. A file appears, or replaces another one, once it is complete.
            """)

    @OptionGroup var place: StoreArgument
    @Argument(help: "The entity; the command tables lists them.") var entity: String
    @Option(help: ArgumentHelp("The CSV file; - is standard output.", valueName: "file")) var csv: String
    @OptionGroup var options: ProgramOptions

    func validate() throws {
        if csv.isEmpty { throw ValidationError("The name of the file is empty; - is standard output.") }
        if options.json, csv == "-" {
            throw ValidationError(
                "--json reports on standard output, where the CSV goes; name a file for the CSV.")
        }
    }

    func run() async throws {
        if csv != "-", FileByteSink.isReplaced(csv) {
            // No partial file must be left behind.
            try await Interruption.cancelling { try await write() }
        } else {
            // A write to a pipe that nobody reads cannot be cancelled, and leaves nothing behind.
            try await write()
        }
    }

    private func write() async throws {
        try await Session.run(call, for: .inspecting, checking: requireNoStore) { session in
            let rows = try await session.store.read { [entity, csv] tx in
                if csv != "-", FileByteSink.isReplaced(csv) {
                    return (
                        try EntityCSV.export(entity, of: tx, to: FileByteSink(path: csv)), SpoolSink?.none
                    )
                }
                // The read may run again, and what is written to a pipe cannot be taken back.
                let spool = try SpoolSink()
                return (try EntityCSV.export(entity, of: tx, to: spool), spool)
            }
            if let spool = rows.1 {
                try await Cancellation.run { [csv] _ in
                    try spool.copy(to: csv == "-" ? StandardOutputSink() : FileByteSink(path: csv))
                }
            }
            if csv == "-" { return }
            if call.json { return try Terminal.print(json: ["rows": rows.0]) }
            Terminal.print("Exported \(Terminal.count(rows.0, "row", "rows")) of \(entity) to \(csv).")
        }
    }

    private func requireNoStore(_ configuration: StoreConfiguration) async throws {
        if csv != "-" { try await Session.requireNoStore(at: csv, beside: configuration) }
    }
}

/// `import STORE ENTITY --csv FILE`.
struct Import: StoreSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Inserts the rows of a CSV file that export has written, all of them or none.")

    @OptionGroup var place: StoreArgument
    @Argument(help: "The entity.") var entity: String
    @Option(help: ArgumentHelp("The CSV file; - is standard input.", valueName: "file")) var csv: String
    @Flag(help: "Leave rows alone that have the id of one in the file, instead of refusing the file.")
    var skipExisting = false
    @OptionGroup var options: ProgramOptions

    func run() async throws {
        do {
            // Reading blocks, for a pipe until its end, so it runs on a thread that may block.
            let input = try await Cancellation.run { [csv] _ in
                try csv == "-" ? CSVInput.standardInput() : CSVInput.file(csv)
            }
            try await insert(input)
        } catch let error as CSVError {
            throw NothingImported(reason: error)
        }
    }

    private func insert(_ input: CSVInput) async throws {
        try await Session.run(call, for: .changing) { session in
            let (read, inserted) = try await session.store.write { [entity, skipExisting] tx in
                try EntityCSV.import(input, into: entity, in: tx, skippingExisting: skipExisting)
            }
            if call.json {
                try Terminal.print(json: ["read": read, "inserted": inserted])
            } else {
                let skipped = read == inserted ? "" : ", left out \(read - inserted) that the store has"
                Terminal.print("Imported \(Terminal.count(inserted, "row", "rows")) of \(entity)\(skipped).")
            }
            await session.pruneHistory()
        }
    }
}
