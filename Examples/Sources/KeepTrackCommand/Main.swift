import ArgumentParser
import Foundation
import KeepTrack
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardCommands
import SwitchyardJSON

/// The app, as the store's commands know it.
enum KeepTrackApp: StoreApp {
    static let commandName = "keeptrack"
    static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self, PostgresPlugin.self]
    static let backup = KeepTrackStore.backup
    static var plan: (any SchemaMigrationPlan.Type)? { FromVersion1.self }

    /// The stage from version 0 imports the files of an older release, which only the app finds.
    private enum FromVersion1: SchemaMigrationPlan {
        static let schemas = Array(KeepTrackPlan.schemas.dropFirst())
        static var stages: [MigrationStage] { Array(KeepTrackPlan.stages.dropFirst()) }
    }
}

@main
struct KeepTrackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: KeepTrackApp.commandName,
        abstract: "Takes the files of an older release over into a store, and looks after stores.",
        subcommands: [
            Launch.self, StoreCommand<KeepTrackApp>.self, MirrorCommand<KeepTrackApp>.self,
            ConfigCommand<KeepTrackApp>.self, UndoCommand<KeepTrackApp>.self,
        ], defaultSubcommand: Launch.self)

    static func main() async { await CommandProgram.run(Self.self) }
}

/// Takes the files of an older release over into a store, in the directory that is named.
struct Launch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Shows the first two launches after an update from a release with files.")

    @Argument(help: "The directory in which the files and the store are made.") var directory: String

    func run() async throws {
        let directory = URL(filePath: directory, directoryHint: .isDirectory)
        let group = directory.appending(path: "group"), documents = directory.appending(path: "Documents")
        for place in [group, documents] {
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let files = LegacyFiles(appGroup: group, documents: documents)
        try SampleFiles.write(files)
        let registry = try PluginRegistry([SQLitePlugin.self])
        let keepTrack = KeepTrackStore(
            url: "sqlite:" + group.appending(path: "keeptrack.sqlite").path, registry: registry, files: files)

        print("# The first launch: three files of JSON, and no store.\n")
        var (store, status) = try await keepTrack.open()
        print(status)
        try await store.close()

        print("\n# The second launch.\n")
        (store, status) = try await keepTrack.open()
        print(status)

        let document = documents.appending(path: "backup.json").path
        let written = try await KeepTrackStore.backup.write(store, toPath: document)
        print("\n# A backup: \(text(written)).\n")
        let lines = try String(contentsOfFile: document, encoding: .utf8).split(separator: "\n")
        for line in lines.prefix(6) { print(line) }
        print("…\n")

        let deleted = try await store.write {
            try $0.delete(KeepTrackV2.Entry.where(#Predicate { $0.goalMet }))
        }
        print("# \(deleted) entries are deleted, and restored.\n")
        let restored = try await KeepTrackStore.backup.restore(fromPath: document, into: store, mode: .merge)
        for (entity, rows) in restored.sorted(by: { $0.key < $1.key }) {
            print("\(entity): \(rows.inserted) inserted, \(rows.updated) as they were in the backup")
        }
        let faults = try await store.check()
        print("\nfaults: \(faults.count)")
        try await store.close()
    }

    private func text(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
