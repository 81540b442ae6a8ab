/// Suggests what a misspelt word was meant to be.
package enum Spelling {
    /// The known word that is nearest to a given one; nil if none is near.
    ///
    /// A word is near if it differs only in case, if the given word has at least three letters and is a prefix of it,
    /// or if at most a third of its letters (and at most three) are wrong, missing, superfluous or swapped with a
    /// neighbour.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let given = Array(word.lowercased().utf8)
        guard !given.isEmpty, given.count <= 200 else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in known {
            let letters = Array(candidate.lowercased().utf8)
            let isBeginning = given.count >= 3 && letters.starts(with: given)
            let limit = min(3, max(1, letters.count / 3))
            let distance = isBeginning ? min(1, letters.count - given.count) : distance(given, letters)
            guard distance <= limit, distance < best?.distance ?? .max else { continue }
            best = (candidate, distance)
        }
        return best?.word
    }

    /// Advice about an unknown name: the nearest known name, and the known names near the part that differs.
    package static func advice(for name: String, among known: [String], separator: Character) -> String {
        let choices = choices(for: name, among: known, separator: separator).joined(separator: ", ")
        guard let nearest = nearest(to: name, among: known) else { return "There are: \(choices)." }
        return "Did you mean `\(nearest)`? There are: \(choices)."
    }

    /// The known names that share the most parts with a name, cut off after the first part that differs.
    private static func choices(for name: String, among known: [String], separator: Character) -> [String] {
        let parts = name.split(separator: separator, omittingEmptySubsequences: false)
        let split = known.map { $0.split(separator: separator, omittingEmptySubsequences: false) }
        let shared = split.map { zip(parts, $0).prefix { $0 == $1 }.count }
        let most = shared.max() ?? 0
        var choices: [String] = []
        for (candidate, count) in zip(split, shared) where count == most {
            let start = candidate.prefix(most + 1).joined(separator: String(separator))
            let choice = candidate.count > most + 1 ? "\(start)\(separator)…" : start
            if !choices.contains(choice) { choices.append(choice) }
        }
        return choices
    }

    /// The number of letters to change, insert, remove or swap with a neighbour (optimal string alignment).
    ///
    /// - Complexity: O(*n* · *m*).
    package static func distance<Letter: Equatable>(_ first: [Letter], _ second: [Letter]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in 1..<(first.count + 1) {
            var current = [row]
            for column in 1..<(second.count + 1) {
                let isSame = first[row - 1] == second[column - 1]
                var cost = min(
                    last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, first[row - 1] == second[column - 2],
                    first[row - 2] == second[column - 1]
                {
                    cost = min(cost, beforeLast[column - 2] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
