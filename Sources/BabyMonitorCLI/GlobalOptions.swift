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

    /// Options with nothing set, for a command that parses its arguments itself.
    static var none: GlobalOptions {
        var options = GlobalOptions()
        (options.json, options.verbose) = (false, false)
        (options.store, options.config, options.profile) = (nil, nil, nil)
        return options
    }

    /// The same options with another store.
    func selecting(_ url: String) -> GlobalOptions {
        var options = self
        options.store = url
        return options
    }

    /// The logger for the store's work: to standard error with `--verbose`, otherwise disabled.
    var logger: Logger {
        Logger(label: BabyMonitorCommand.name) { [verbose] label in
            guard verbose else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .trace
            return handler
        }
    }

    /// The options that set configuration keys.
    var flags: [ConfigurationSources.Flag] {
        [
            ("--store", "store.url", store), ("--config", "config.file", config),
            ("--profile", "profile", profile),
        ]
        .compactMap { name, key, value in value.map { ConfigurationSources.Flag(name, key: key, value: $0) } }
    }
}
