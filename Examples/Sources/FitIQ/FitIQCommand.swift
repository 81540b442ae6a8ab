internal import ArgumentParser
internal import Foundation
internal import PostgresStore
internal import SQLiteStore
internal import Switchyard
internal import SwitchyardCommands
internal import SwitchyardConformance
internal import SwitchyardCore

/// The app, as the store's commands know it.
///
/// It has no app group: a call names the store.
enum FitIQApp: StoreApp {
    static let commandName = "fitiq"
    static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self, PostgresPlugin.self]
    static var plan: (any SchemaMigrationPlan.Type)? { FitIQPlan.self }
}

@main
struct FitIQCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: FitIQApp.commandName,
        abstract: "Takes a store of an earlier version through the stages that it lacks.",
        subcommands: [
            Upgrade.self, StoreCommand<FitIQApp>.self, MirrorCommand<FitIQApp>.self,
            ConfigCommand<FitIQApp>.self, UndoCommand<FitIQApp>.self,
        ], defaultSubcommand: Upgrade.self)

    static func main() async { await CommandProgram.run(Self.self) }
}

/// Makes a store of an earlier version of the app, migrates it to the newest, and prints what happened.
struct Upgrade: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Makes a store of an earlier version, and takes it through the stages that it lacks.")

    @Option(help: "The number of the version to begin with, from 1 to 10.")
    var from = 1
    @Option(help: "How many rows each entity gets.")
    var rows = 300
    @Flag(help: "Leave the store half-way from version 9 to 10, as the crash did, and repair it first.")
    var halfWay = false
    @Argument(help: "The URL of a new store, sqlite:PATH; by default a file that is removed at the end.")
    var url: String?

    func validate() throws {
        guard (1..<FitIQPlan.schemas.count).contains(from), rows >= 0 else {
            throw ValidationError("There is no version \(from) to begin with, or a negative number of rows.")
        }
        guard !halfWay || from == 9 else { throw ValidationError("--half-way begins with --from 9.") }
    }

    func run() async throws {
        if let url { return try await migrate(url) }
        let directory = FileManager.default.temporaryDirectory.appending(path: "fitiq-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        try await migrate("sqlite:" + directory.appending(path: "fitiq.sqlite").path)
    }

    private func migrate(_ url: String) async throws {
        let registry = try PluginRegistry([SQLitePlugin.self])
        let before = try await fill(url, registry)
        let view = StatusView()
        if halfWay { try await repair(url, registry, view) }
        let store = try await registry.open(url: url, migrating: FitIQPlan.self) { view.show($0) }
        let after = try await SchemaRows(in: store)
        let faults = try await store.check()
        view.summarize(store, before, after, faults)
        try await store.close()
    }

    /// Leaves the store half-way, and puts it right.
    private func repair(_ url: String, _ registry: PluginRegistry, _ view: StatusView) async throws {
        try await HalfWayFile.leave(at: String(url.dropFirst("sqlite:".count)), registry)
        do {
            try await registry.open(url: url, migrating: FitIQPlan.self).close()
        } catch let error as StoreError {
            print("refused   \(error.message)")
        }
        view.show(try await registry.repair(url: url, migrating: FitIQPlan.self))
    }

    /// Makes a store of the earlier version, with generated rows.
    private func fill(_ url: String, _ registry: PluginRegistry) async throws -> SchemaRows {
        let schema = try FitIQPlan.schemas[from - 1].schema
        let store = try await registry.open(url: url, schema: schema)
        let drawn = SchemaRows(of: schema, seed: 1, count: { _ in rows }, values: SampleValues.value)
        do {
            guard try await SchemaRows(in: store).count == 0 else {
                throw StoreError(
                    .invalidArgument, "There are rows in \(store.info.location) already. Name a new store.")
            }
            try await drawn.insert(into: store)
            try await store.close()
        } catch {
            try? await store.close()
            throw error
        }
        print("filled    \(drawn.count) rows of version \(schema.version)")
        return drawn
    }
}
