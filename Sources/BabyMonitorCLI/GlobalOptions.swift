import ArgumentParser
import Switchyard
import SwitchyardConfiguration

/// The options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Flag(help: "Print JSON.") var json = false
    @Option(help: ArgumentHelp("The store: sqlite:PATH, postgres://… or memory:.", valueName: "url"))
    var store: String?
    @Option(help: ArgumentHelp("The configuration file, JSON or YAML.", valueName: "file")) var config:
        String?
    @Option(help: ArgumentHelp("The build whose app group is used: debug or release.", valueName: "name"))
    var profile: String?

    /// None of them given, as where a command reads its words itself.
    static var none: GlobalOptions {
        var options = GlobalOptions()
        (options.json, options.store, options.config, options.profile) = (false, nil, nil, nil)
        return options
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
