/// One way to match what was said with a phrase.
struct PhraseMatch: Hashable {
    /// The words said for each parameter.
    var values: [String: String] = [:]
    /// How many words were said for parameters: the fewer, the more of the phrase was said literally.
    var wordsInValues = 0
}

extension PhraseTemplate {
    /// The limit on the number of matches.
    private static let mostMatches = 200

    /// All ways to match what was said with this phrase, or the first 200 of them.
    ///
    /// - Parameters:
    ///   - spoken: What was said.
    ///   - applications: The app's names in the form in which they are compared, without spaces.
    /// - Returns: The matches, in no particular order; none if the phrase does not match.
    /// - Complexity: One step per word, token and match, since a position from which no match follows is never
    ///   tried twice.
    func matches(_ spoken: Spoken, applications: Set<String>) -> Set<PhraseMatch> {
        var found: Set<PhraseMatch> = []
        let keys = tokens.map { token in
            if case .word(let word) = token { NameMatch.key(word) } else { "" }
        }
        var ways = 0
        // For each token, the words at which it has already failed.
        var deadEnds = [Set<Int>](repeating: [], count: tokens.count + 1)
        func match(_ token: Int, _ word: Int, _ partial: PhraseMatch) {
            guard ways < Self.mostMatches, !deadEnds[token].contains(word) else { return }
            let waysBefore = ways
            defer { if ways == waysBefore { deadEnds[token].insert(word) } }
            guard token < tokens.count else {
                if word == spoken.keys.count {
                    found.insert(partial)
                    ways += 1
                }
                return
            }
            // Every remaining token needs at least one word.
            let longest = spoken.keys.count - word - (tokens.count - token - 1)
            guard longest >= 1 else { return }
            switch tokens[token] {
            case .word:
                if spoken.keys[word] == keys[token] { match(token + 1, word + 1, partial) }
            case .application:
                for length in 1...longest
                where applications.contains(spoken.keys[word..<word + length].joined()) {
                    match(token + 1, word + length, partial)
                }
            case .parameter(let name):
                for length in 1...longest {
                    var further = partial
                    further.values[name] = spoken.words[word..<word + length].joined(separator: " ")
                    further.wordsInValues += length
                    match(token + 1, word + length, further)
                }
            }
        }
        match(0, 0, PhraseMatch())
        return found
    }
}
