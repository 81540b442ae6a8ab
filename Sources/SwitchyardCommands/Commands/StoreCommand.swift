public import ArgumentParser
internal import SwitchyardCore

/// An app's command `store info|schema|migrate|adopt|check|repair|verify|switch|relocate|fork|backup|restore|history|query`.
public struct StoreCommand<App: StoreApp>: AsyncParsableCommand {
    /// The word `store`, and the commands below it.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "store", abstract: "Shows, checks, repairs, moves and compares stores.",
            subcommands: [
                Info.self, SchemaCommand<App>.self, Migrate.self, Adopt.self, Check.self, Repair.self,
                Verify.self, Switch.self, Relocate.self, Fork.self,
            ] + App.storeCommands + [Backup.self, Restore.self, Changes.self, Query.self])
    }

    typealias Session = StoreSession<App>

    /// Creates the declaration that the parser reads.
    public init() {}
}

/// A command that works on one store.
package protocol StoreSubcommand: AsyncParsableCommand {
    associatedtype Place: StoreArguments
    associatedtype Options: StoreArguments

    var place: Place { get }
    var options: Options { get }
}

extension StoreSubcommand {
    /// What the call says about the store.
    package var call: StoreCall { StoreCall(place, options) }
}

extension StoreApp {
    /// The app's plan.
    ///
    /// - Throws: `unsupported` for a command that has none.
    static var requiredPlan: any SchemaMigrationPlan.Type {
        get throws {
            guard let plan else {
                throw StoreError(.unsupported, "Only the command of an app knows the versions of its schema.")
            }
            return plan
        }
    }

    /// The app's plan, checked.
    ///
    /// - Throws: `schemaInvalid` for a plan that is wrong; `unsupported` for a command that has none.
    static var checkedPlan: MigrationPlan { get throws { try MigrationPlan(requiredPlan) } }

    /// The command that repairs a store.
    static var repairCommand: String {
        plan == nil ? "by the command store repair of its app" : "\(commandName) store repair"
    }
}
