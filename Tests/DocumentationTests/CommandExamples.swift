import ArgumentParser
import Foundation
import SQLiteStore
import Switchyard
import SwitchyardCommands
import SwitchyardCore
import Testing

@Suite("Examples of an app's own command")
struct CommandExamples {
    enum DairySchema: VersionedSchema {
        static let version = SchemaVersion(1)
        static let models: [any Model.Type] = [Cow.self]

        @Model
        struct Cow {
            let id: ID
            var name: String
        }
    }

    enum DairyPlan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [DairySchema.self]
        static let stages: [MigrationStage] = []
    }

    enum Dairy: StoreApp {
        static let commandName = "dairy"
        static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self]
        static var plan: (any SchemaMigrationPlan.Type)? { DairyPlan.self }
    }

    struct DairyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: Dairy.commandName, abstract: "Keeps a dairy's books.",
            subcommands: [
                AddCow.self, StoreCommand<Dairy>.self, MirrorCommand<Dairy>.self, ConfigCommand<Dairy>.self,
                UndoCommand<Dairy>.self,
            ])
    }

    struct AddCow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add-cow", abstract: "Adds a cow.")

        @Argument(help: "The cow's name.") var name: String
        @OptionGroup var options: StoreOptions<Dairy>

        func run() async throws {
            try await StoreSession<Dairy>.run(options.call, for: .filling) { session in
                let cow = DairySchema.Cow(name: name)
                try await session.store.write { tx in _ = try tx.insert(cow) }
                Terminal.print("Added \(name).")
            }
        }
    }

    private let directory = FileManager.default.temporaryDirectory.appending(
        path: "dairy-\(UUID().uuidString)")

    /// Lends the URL of a store that is not there yet.
    private func withURL(_ body: (String) async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body("sqlite:" + directory.appending(path: "dairy.sqlite").path)
    }

    private func run(_ words: String...) async throws {
        var command = try DairyCommand.parseAsRoot(words)
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    private func names(_ url: String) async throws -> [String] {
        let registry = try PluginRegistry([SQLitePlugin.self])
        let store = try await registry.open(
            url: url, schema: DairySchema.self, options: OpenOptions(createsIfMissing: false))
        let names = try await store.read { try $0.fetch(DairySchema.Cow.all).map(\.name) }
        try await store.close()
        return names
    }

    @Test("the app's command and the store's commands work on one store")
    func commands() async throws {
        try await withURL { url in
            try await run("add-cow", "Bella", "--store", url)
            #expect(try await names(url) == ["Bella"])
            for command in ["info", "check", "migrate", "repair"] {
                try await run("store", command, "--store", url)
            }
            try await run("undo", "--store", url)
            #expect(try await names(url) == [])
        }
    }

    @Test("a command that reads makes no store")
    func missing() async throws {
        try await withURL { url in
            let error = await #expect(throws: StoreError.self) {
                try await run("store", "info", "--store", url)
            }
            #expect(error?.code == .notFound)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(files.isEmpty)
        }
    }

    @Test(
        "an app without a place of its own says how to name a store",
        .enabled(if: ProcessInfo.processInfo.environment["SWITCHYARD_STORE_URL"] == nil))
    func unnamed() async throws {
        let error = await #expect(throws: StoreError.self) { try await run("store", "info") }
        #expect(error?.message == "No store is named. Give its URL by --store, or set store.url.")
        try await run("config", "explain")
    }

    @Test("a day begins at midnight, or when clocks skip midnight at the moment of the change")
    func midnight() async throws {
        try await withURL { url in
            var call = StoreCall()
            call.store = url
            try await StoreSession<Dairy>.run(call, for: .filling) { session in
                let zone = try #require(TimeZone(identifier: "America/Sao_Paulo"))
                for (text, seconds) in [("2018-11-03", 1_541_214_000), ("2018-11-04", 1_541_300_400)] {
                    let day = try #require(CalendarDay(text))
                    #expect(
                        try Dairy.start(of: day, in: zone, session)
                            == Date(timeIntervalSince1970: Double(seconds)))
                }
            }
        }
    }
}
