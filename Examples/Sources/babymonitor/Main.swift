import ArgumentParser
import BabyMonitorKit
import SwitchyardCommands

@main
enum Main {
    static func main() async { await CommandProgram.run(BabyMonitorCommand.self) }
}

/// The root command.
struct BabyMonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: App.commandName,
        abstract:
            "Logs feeds and diaper changes of one or more babies, on the store that the configuration chooses.",
        discussion: """
            The store is chosen by --store URL, by SWITCHYARD_STORE_… in the environment, by a configuration file, or is the \
            SQLite file in the app group. `babymonitor config explain` shows which, and why.
            """,
        subcommands: [
            Baby.self, EventType.self, Status.self, History.self, UndoCommand<App>.self, Import.self,
            Export.self,
            IntentCommand.self, Say.self,
            Widgets.self,
            StoreCommand<App>.self, MirrorCommand<App>.self, ConfigCommand<App>.self, Seed.self,
            SchemaLintCommand<App>.self,
        ])
}
