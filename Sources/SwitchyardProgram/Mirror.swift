import ArgumentParser
import SwitchyardCommands

/// `mirror status|exchange|conflicts|verify STORE`.
///
/// A mirror is started and ended by the app, which opens the store at every launch.
struct Mirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Shows a mirrored store, and exchanges with its server once.",
        discussion: """
            The server is named by --server, or by the setting store.mirror.url. A schema that merges by functions of its app \
            is refused: only the app has them.
            """,
        subcommands: [
            MirrorCommand<AnyStore>.Status.self, MirrorCommand<AnyStore>.Exchange.self,
            MirrorCommand<AnyStore>.Conflicts.self, MirrorCommand<AnyStore>.Verify.self,
        ])
}
