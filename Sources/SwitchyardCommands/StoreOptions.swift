public import ArgumentParser
internal import SwitchyardAppGroup
internal import SwitchyardCore

/// Arguments of a command that say which store it works on, or how it answers.
public protocol StoreArguments: ParsableArguments, Sendable {
    /// Adds what was given to the description of a call.
    func describe(_ call: inout StoreCall)
}

/// No arguments.
public struct NoStoreArguments: StoreArguments {
    /// Creates the declaration that the parser reads.
    public init() {}
    /// Adds nothing.
    public func describe(_ call: inout StoreCall) {}
}

/// The options of an app's commands: `--json`, `--verbose`, `--store`, `--config` and, if the app has profiles, `--profile`.
public struct StoreOptions<App: StoreApp>: StoreArguments {
    /// Whether the answer is JSON.
    @Flag(help: "Print JSON.") public var json = false
    /// Whether the store's work is shown on standard error.
    @Flag(help: "Show what the store does, statement by statement, on standard error.")
    public var verbose = false
    /// The URL of the store.
    @Option(help: ArgumentHelp("The store: \(App.storeForms).", valueName: "url"))
    public var store: String?
    /// The path of the configuration file.
    @Option(help: ArgumentHelp("The configuration file, JSON or YAML.", valueName: "file"))
    public var config: String?
    /// The name of the profile.
    @Option(
        help: ArgumentHelp(
            "The build whose app group is used: \(App.profiles.map(\.name).joined(separator: " or ")).",
            valueName: "name", visibility: App.profiles.isEmpty ? .hidden : .default))
    public var profile: String?

    /// Creates the declaration that the parser reads.
    public init() {}

    /// What the options say of the call.
    public var call: StoreCall {
        var call = StoreCall()
        describe(&call)
        return call
    }

    /// Adds the options that were given.
    public func describe(_ call: inout StoreCall) {
        (call.json, call.verbose) = (json, verbose)
        (call.store, call.config, call.profile) = (store, config, profile)
    }
}

extension StoreApp {
    /// The URLs of stores, such as `sqlite:PATH or memory:`.
    fileprivate static var storeForms: String {
        let forms = plugins.map { plugin in
            switch plugin.scheme {
            case "sqlite": "sqlite:PATH"
            case "postgres": "postgres://…"
            case "memory": "memory:"
            default: "\(plugin.scheme):…"
            }
        }
        guard let last = forms.last, forms.count > 1 else { return forms.joined() }
        return "\(forms.dropLast().joined(separator: ", ")) or \(last)"
    }
}
