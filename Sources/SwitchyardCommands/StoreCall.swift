package import Logging
internal import SwitchyardConfiguration
internal import SwitchyardCore

/// What a call of a command says about the store, and about the form of the answer.
public struct StoreCall: Sendable {
    /// Whether the answer is JSON.
    public var json = false
    /// Whether the store's work is shown on standard error.
    public var verbose = false
    /// The URL of the store; nil for the configured one.
    public var store: String?
    /// The path of the configuration file.
    public var config: String?
    /// The name of the app's profile.
    public var profile: String?
    /// The scope whose rows are meant, in a store that has scopes.
    public var scope: String?
    /// The URL of the server that the store mirrors, and the household's scope there; nil for those of the configuration.
    var server: String?, household: String?
    /// The argument that names the store, as error messages show it.
    package var storeArgument = "--store"

    /// A call without arguments.
    public init() {}

    /// The call that a command's arguments describe.
    public init(_ place: some StoreArguments, _ options: some StoreArguments) {
        options.describe(&self)
        place.describe(&self)
    }

    /// The same call for another store.
    func selecting(_ url: String) -> StoreCall {
        var call = self
        call.store = url
        return call
    }

    /// Refuses a flag that changes only what people see, if the answer is JSON.
    ///
    /// - Throws: `UsageError`.
    public func requireForPeople(_ isGiven: Bool, _ flag: String) throws {
        guard isGiven, json else { return }
        throw UsageError("\(flag) is for people, and --json for programs. Leave one of them out.")
    }

    /// The logger of the store's work: to standard error if the call is verbose, otherwise disabled.
    package func logger(_ name: String) -> Logger {
        Logger(label: name) { [verbose] label in
            guard verbose else { return SwiftLogNoOpLogHandler() }
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .trace
            return handler
        }
    }

    /// The arguments that set configuration keys.
    var flags: [ConfigurationSources.Flag] {
        [
            (storeArgument, "store.url", store), ("--config", "config.file", config),
            ("--profile", "profile", profile), ("--server", "store.mirror.url", server),
            ("--household", "store.mirror.scope", household),
        ]
        .compactMap { name, key, value in value.map { ConfigurationSources.Flag(name, key: key, value: $0) } }
    }
}

extension StoreCall {
    /// The scope whose rows are meant; nil if none was named.
    ///
    /// - Throws: `UsageError` for anything but an id.
    var storeScope: StoreScope? {
        get throws {
            guard let scope else { return nil }
            guard let id = StoreScope(scope) else {
                throw UsageError("`\(scope)` is not the id of a scope, which is a UUID.")
            }
            return id
        }
    }
}
