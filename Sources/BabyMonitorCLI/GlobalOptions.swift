import ArgumentParser
import Logging
import Switchyard
import SwitchyardConfiguration

/// The options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Show what the store does, statement by statement, on standard error.") var verbose = false
    @Option(help: ArgumentHelp("The store: sqlite:PATH, postgres://… or memory:.", valueName: "url"))
    var store: String?
    @Option(help: ArgumentHelp("The configuration file, JSON or YAML.", valueName: "file")) var config:
        String?
    @Option(help: ArgumentHelp("The build whose app group is used: debug or release.", valueName: "name"))
    var profile: String?

    /// None of them given, as where a command reads its words itself.
    static var none: GlobalOptions {
        var options = GlobalOptions()
        (options.json, options.verbose) = (false, false)
        (options.store, options.config, options.profile) = (nil, nil, nil)
        return options
    }

    /// Takes the records of the store's work: standard error, or nobody.
    var logger: Logger {
        Logger(label: BabyMonitorCommand.name) { [verbose] label in
            guard verbose else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .trace
            return handler
        }
    }

    /// The options that stand for settings.
    var flags: [ConfigurationSources.Flag] {
        [
            ("--store", "store.url", store), ("--config", "config.file", config),
            ("--profile", "profile", profile),
        ]
        .compactMap { name, key, value in value.map { ConfigurationSources.Flag(name, key: key, value: $0) } }
    }
}
