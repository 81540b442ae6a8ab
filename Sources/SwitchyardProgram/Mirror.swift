import ArgumentParser
import SwitchyardCommands

/// `mirror status|exchange|conflicts|verify STORE`.
///
/// A mirror is started and ended by the app, which opens the store at every launch.
struct Mirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Shows a mirrored store, and exchanges with its server once.",
        discussion: """
            Name the server with --server, or with the setting store.mirror.url. A schema that merges with functions of its app \
            is refused, because only the app has them.
            """,
        subcommands: [
            MirrorCommand<AnyStore>.Status.self, MirrorCommand<AnyStore>.Exchange.self,
            MirrorCommand<AnyStore>.Conflicts.self, MirrorCommand<AnyStore>.Verify.self,
        ])
}
