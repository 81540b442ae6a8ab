internal import SwitchyardCore

/// Sorts existing names by their similarity to a text.
enum Nearest {
    /// The most characters that are compared; only the beginning of a longer text counts.
    private static let comparedLength = 100

    /// The names, the closest first: those that contain the text, then the others by edit distance.
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
