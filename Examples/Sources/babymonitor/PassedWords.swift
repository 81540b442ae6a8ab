import SwitchyardCommands

/// The arguments of a command that takes an intent's parameters as flags along with the global options, in any
/// order.
struct PassedWords {
    /// The argument that is not a flag: the name of the intent, or the phrase.
    private(set) var subject: String?
    /// The intent's parameters.
    private(set) var parameters: [String: String] = [:]
    private(set) var options = StoreCall()
    private(set) var wantsHelp = false

    init(_ words: [String]) throws {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": wantsHelp = true
            case "--json": options.json = true
            case "--verbose": options.verbose = true
            case _ where word.hasPrefix("--"): try take(word.dropFirst(2), &rest)
            case _ where subject == nil: subject = word
            default:
                throw UsageError(
                    "`\(word)` is not a parameter; write it as --NAME VALUE, and quote a value with spaces.")
            }
        }
    }

    private mutating func take(_ word: Substring, _ rest: inout ArraySlice<String>) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard !name.isEmpty else {
            throw UsageError("`--` alone is not a parameter; write it as --NAME VALUE.")
        }
        let isFollowed = rest.first.map { !$0.hasPrefix("--") } ?? false
        guard let value = parts.count > 1 ? String(parts[1]) : isFollowed ? rest.popFirst() : nil else {
            throw UsageError(
                "--\(name) needs a value: --\(name) VALUE, or --\(name)=VALUE for one that begins with two hyphens."
            )
        }
        switch name {
        case "store": options.store = value
        case "config": options.config = value
        case "profile": options.profile = value
        default:
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw UsageError("--\(name) is given twice.")
            }
        }
    }
}
