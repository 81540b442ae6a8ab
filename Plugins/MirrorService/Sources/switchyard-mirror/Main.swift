import ArgumentParser
import Foundation
import MirrorServiceCommands
import PostgresStore
import SQLiteStore
import SwitchyardCommands
import SwitchyardCore

/// No app: the store is served with the schema that it holds.
enum AnyServer: StoreApp {
    static let commandName = "switchyard-mirror"
    static let plugins: [any StorePlugin.Type] = [PostgresPlugin.self, SQLitePlugin.self]
    static var plan: (any SchemaMigrationPlan.Type)? { nil }

    typealias Place = NoStoreArguments
}

@main
struct SwitchyardMirror: AsyncParsableCommand {
    static let configuration = MirrorServiceCommand<AnyServer>.configuration

    static func main() async { await CommandProgram.run(MirrorServiceCommand<AnyServer>.self) }
}
