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
            return (name: name, rank: (contains ? 0 : 1, distance(wanted, Array(candidate)), position))
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.name)
    }

    /// The number of characters to insert, delete or replace.
    ///
    /// This is the distance of V. Levenshtein (1965), by the row-wise method of Wagner and Fischer.
    private static func distance(_ source: [Character], _ target: [Character]) -> Int {
        var row = Array(0...target.count)
        for (line, character) in source.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in target.indices {
                let replaced = diagonal + (character == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[target.count]
    }
}
