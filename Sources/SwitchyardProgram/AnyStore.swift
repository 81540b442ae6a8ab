import ArgumentParser
import CoreDataStore
import Foundation
import PostgresStore
import SQLiteStore
import SwitchyardCommands
import SwitchyardCore

/// No app: each store is opened by the schema that it holds.
enum AnyStore: StoreApp {
    static let commandName = "switchyard"
    static let plugins: [any StorePlugin.Type] = [
        SQLitePlugin.self, PostgresPlugin.self, CoreDataPlugin.self,
    ]
    static var plan: (any SchemaMigrationPlan.Type)? { nil }

    typealias Place = StoreArgument
    typealias Options = ProgramOptions

    /// A text that begins with letters and a colon is a URL, unless a file has that name; anything else is the path of an
    /// SQLite file.
    static func storeURL(_ argument: String) -> String {
        let isURL = argument.prefixMatch(of: /[A-Za-z][A-Za-z0-9]*:/) != nil
        if isURL, !FileManager.default.fileExists(atPath: argument) { return argument }
        return argument.isEmpty ? "sqlite:" : SQLitePlugin.location(ofFile: argument)
    }
}

/// The store that a command works on.
struct StoreArgument: StoreArguments {
    @Argument(help: "The store: the path of an SQLite file, sqlite:PATH, postgres://… or coredata:PATH.")
    var store: String

    func describe(_ call: inout StoreCall) {
        (call.store, call.storeArgument) = (AnyStore.storeURL(store), "<store>")
    }
}

/// The options of every command.
struct ProgramOptions: StoreArguments {
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Show what the store does, statement by statement, on standard error.") var verbose = false
    @Option(help: ArgumentHelp("A configuration file, JSON or YAML.", valueName: "file")) var config: String?
    @Option(
        help: ArgumentHelp("The scope whose rows are meant, in a store that has scopes.", valueName: "id"))
    var scope: String?

    func describe(_ call: inout StoreCall) {
        (call.json, call.verbose, call.config, call.scope) = (json, verbose, config, scope)
    }
}

typealias Session = StoreSession<AnyStore>
