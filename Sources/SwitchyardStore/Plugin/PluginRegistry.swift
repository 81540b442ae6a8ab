/// The backends of a program.
///
/// It is a value that is passed along; there is no global registry.
///
/// ```swift
/// let registry = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self, MemoryPlugin.self])
/// ```
public struct PluginRegistry: Sendable {
    /// The plugins, in the order in which they were given.
    public let plugins: [any StorePlugin.Type]

    /// Creates a registry of plugins.
    ///
    /// - Throws: `configuration` if two plugins share a scheme, or one declares a scheme or a setting that cannot be a
    ///   key.
    public init(_ plugins: [any StorePlugin.Type]) throws {
        var owners: [String: any StorePlugin.Type] = [:]
        for plugin in plugins {
            for scheme in [plugin.scheme] + plugin.schemeAliases {
                try Self.validate(scheme, of: plugin)
                if let owner = owners.updateValue(plugin, forKey: scheme) {
                    throw StoreError(
                        .configuration,
                        "The scheme `\(scheme)` belongs to two plugins, \(owner) and \(plugin). Register one of them."
                    )
                }
            }
            var names: Set<String> = []
            for setting in plugin.settings {
                try setting.validate(key: plugin.key(setting.name))
                guard names.insert(setting.name).inserted else {
                    throw StoreError(
                        .configuration, "The plugin \(plugin) declares the setting \(setting.name) twice.")
                }
            }
        }
        self.plugins = plugins
    }

    /// The schemes of the plugins, in their order, without aliases.
    public var schemes: [String] { plugins.map { $0.scheme } }

    /// The plugin with a scheme or an alias.
    ///
    /// - Throws: `configuration` for an unknown scheme, naming the nearest one and all known ones.
    public func plugin(_ scheme: String) throws -> any StorePlugin.Type {
        if let plugin = find(scheme) { return plugin }
        let shown = SettingText(scheme, isSecret: false).quoted
        throw StoreError(.configuration, "There is no backend \(shown). " + advice(for: scheme))
    }

    /// The plugin for a store's URL, such as `sqlite:/data/a.sqlite`.
    ///
    /// - Throws: `configuration` if the text does not begin with a known scheme.
    public func plugin(forURL url: String) throws -> any StorePlugin.Type {
        let shown = SettingText(url, isSecret: false).quoted
        guard let colon = url.firstIndex(of: ":") else {
            let example =
                find(url).map { "`\($0.scheme):…`" } ?? "`sqlite:\(url.hasPrefix("/") ? "/…" : "PATH")`"
            throw StoreError(
                .configuration,
                "The store \(shown) has no scheme: a store's URL begins with the backend and a colon, such as "
                    + "\(example). The backends are: \(schemes.joined(separator: ", ")).")
        }
        let scheme = url[..<colon].lowercased()
        if let plugin = find(scheme) { return plugin }
        throw StoreError(.configuration, "The store \(shown) names no known backend. " + advice(for: scheme))
    }

    private func find(_ scheme: String) -> (any StorePlugin.Type)? {
        plugins.first { $0.scheme == scheme || $0.schemeAliases.contains(scheme) }
    }

    private func advice(for scheme: String) -> String {
        let known = plugins.flatMap { [$0.scheme] + $0.schemeAliases }
        let list =
            plugins.isEmpty
            ? "No backend is registered." : "The backends are: \(schemes.joined(separator: ", "))."
        guard let nearest = Spelling.nearest(to: scheme, among: known) else { return list }
        return "Did you mean `\(nearest)`? " + list
    }

    private static func validate(_ scheme: String, of plugin: any StorePlugin.Type) throws {
        let isWord =
            scheme.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } == true
            && scheme.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        // `store.backend` and `store.url` are keys themselves, so plugins cannot have settings below them.
        guard isWord, scheme != "backend", scheme != "url" else {
            throw StoreError(
                .configuration,
                "The plugin \(plugin) has the scheme `\(scheme)`. A scheme is made of lower-case letters and digits, "
                    + "begins with a letter, and is neither `backend` nor `url`.")
        }
    }
}
