internal import SwitchyardCore

/// Puts what exists in the order of its likeness to what was asked for.
enum Nearest {
    /// The most characters that are compared; a longer text is compared by its beginning.
    private static let comparedLength = 100

    /// The names, the likeliest first: those that contain the text, then those by the number of characters to
    /// change.
    static func sorted(_ names: [String], to text: String) -> [String] {
        let key = NameMatch.key(String(text.prefix(comparedLength)))
        let wanted = Array(key)
        let ranked = names.enumerated().map { position, name in
            let candidate = NameMatch.key(String(name.prefix(comparedLength)))
            let contains = !key.isEmpty && candidate.contains(key)
            return (
                name: name, rank: (contains ? 0 : 1, Spelling.distance(wanted, Array(candidate)), position)
            )
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.name)
    }
}
