internal import Foundation
package import SwitchyardCore

/// The URLs of stores in SQLite files: `SCHEME:PATH`, with a literal path, or `SCHEME:///ABSOLUTE/PATH`, in which `%` escapes
/// are resolved and other settings can follow a `?`.
package struct FileURL {
    private let scheme: String
    private let schemes: [String]
    private let names: [String]
    private let store: String
    private let kind: String

    /// - Parameters:
    ///   - scheme: The scheme of the URLs.
    ///   - aliases: Other schemes that mean the same.
    ///   - settings: The plugin's settings. The URL's path gives `path`; the others can follow in the query.
    ///   - store: What the URLs name, such as `an SQLite store`.
    ///   - kind: The kind of the URLs, such as `SQLite`.
    package init(
        _ scheme: String, _ aliases: [String], _ settings: [SettingKey], of store: String, _ kind: String
    ) {
        self.scheme = scheme
        schemes = [scheme] + aliases
        names = settings.map(\.name).filter { $0 != "path" }
        (self.store, self.kind) = (store, kind)
    }

    /// The settings of a URL.
    ///
    /// - Returns: The setting `path`, and those of the query.
    /// - Throws: `configuration` for a URL without a path, with a host, with a query after a literal path, or with
    ///   invalid escapes.
    package func settings(_ url: String) throws -> [String: String] {
        guard let colon = url.firstIndex(of: ":"), schemes.contains(url[..<colon].lowercased()) else {
            throw StoreError(.configuration, "The URL of \(store) is `\(scheme):` and the path of its file.")
        }
        let rest = url[url.index(after: colon)...]
        guard !rest.isEmpty else {
            throw StoreError(
                .configuration,
                "The URL names no file: write `\(scheme):` and the path of the store's file.")
        }
        if rest.hasPrefix("//") { return try settings(fromHierarchical: rest.dropFirst(2)) }
        guard !rest.contains("?") else {
            throw StoreError(
                .configuration,
                "The URL `\(scheme):PATH` takes the path literally and no settings, so it may not contain `?`. "
                    + "Write settings as `\(scheme):///ABSOLUTE/PATH?busyTimeout=1`, and a `?` of the path as "
                    + "%3F in that form."
            )
        }
        return ["path": String(rest)]
    }

    /// Parses the part of a URL after `SCHEME://`.
    private func settings(fromHierarchical rest: Substring) throws -> [String: String] {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // sqlite:///data/a.sqlite has no host between the second and the third slash.
        guard let path = parts.first, path.hasPrefix("/"), path != "/" else {
            throw StoreError(
                .configuration,
                "\(store.prefix(1).uppercased())\(store.dropFirst()) is a file of this machine, so its URL has no host: "
                    + "write `\(scheme):PATH` or `\(scheme):///ABSOLUTE/PATH`.")
        }
        var settings = ["path": try decoded(path, "path")]
        for word in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard pair.count == 2, names.contains(name) else {
                throw StoreError(
                    .configuration,
                    "The query of the \(kind) URL takes \(names.joined(separator: ", ")), each as NAME=VALUE and with "
                        + "`&` between them; a `?` that belongs to the path is written %3F.")
            }
            guard settings.updateValue(try decoded(pair[1], name), forKey: name) == nil else {
                throw StoreError(.configuration, "The query of the \(kind) URL gives \(name) twice.")
            }
        }
        return settings
    }

    private func decoded(_ text: Substring, _ name: String) throws -> String {
        guard let decoded = text.removingPercentEncoding else {
            throw StoreError(
                .configuration,
                "The \(name) in the \(kind) URL is not percent-encoded; write `%` as %25, or the path "
                    + "literally in `\(scheme):PATH`.")
        }
        return decoded
    }
}
