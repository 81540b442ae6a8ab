import ArgumentParser
import SwitchyardCommands
import TableCopyCommand

/// `switchyard`: the store's commands for any store, without its app.
@main
struct SwitchyardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: AnyStore.commandName,
        abstract: "Shows, checks, compares and moves any store, by the schema that the store itself holds.",
        discussion: """
            A store is named by the path of its SQLite file, or by a URL: sqlite:PATH or postgres://…. A password belongs into \
            PGPASSWORD, SWITCHYARD_STORE_POSTGRES_PASSWORD or a file named by --config, and not into the URL, which others \
            can see. A command that only reads changes nothing, and none migrates a store. coredata:PATH names a Core Data or \
            SwiftData store, which is only read: what scaffold suggests becomes a temporary store.
            """,
        subcommands: [
            StoreCommand<AnyStore>.Info.self, Tables.self, StoreCommand<AnyStore>.Check.self,
            StoreCommand<AnyStore>.Verify.self, StoreCommand<AnyStore>.Changes.self,
            StoreCommand<AnyStore>.Query.self, Export.self, Import.self,
            StoreCommand<AnyStore>.Backup.self, StoreCommand<AnyStore>.Restore.self,
            StoreCommand<AnyStore>.Switch.self, Mirror.self, TableCopyCommand<AnyStore>.self,
            Scaffold.self,
        ])

    static func main() async { await CommandProgram.run(Self.self) }
}
