import ArgumentParser
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardAppGroup
import SwitchyardCommands
import W8Trackr

/// The app, as the store's commands know it: they find its store in the app group.
enum W8TrackrApp: StoreApp {
    static let commandName = "w8trackr"
    static let plugins: [any StorePlugin.Type] = [SQLitePlugin.self, PostgresPlugin.self]
    static let profiles = [
        AppProfile("release", appGroup: "group.example.w8trackr", cloudContainer: "iCloud.example.w8trackr")
    ]
    static var plan: (any SchemaMigrationPlan.Type)? { OneVersion.self }

    static func storePath(in container: AppGroupContainer) -> String {
        container.path(of: SharedStore.fileName)
    }

    private enum OneVersion: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [W8TrackrSchema.self]
        static let stages: [MigrationStage] = []
    }
}

@main
struct W8TrackrCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: W8TrackrApp.commandName, abstract: "Looks after the store of the weight app.",
        subcommands: [
            StoreCommand<W8TrackrApp>.self, MirrorCommand<W8TrackrApp>.self,
            ConfigCommand<W8TrackrApp>.self, UndoCommand<W8TrackrApp>.self,
        ])

    static func main() async { await CommandProgram.run(Self.self) }
}
