/// A phrase of an app shortcut, split into words.
struct PhraseTemplate: Sendable {
    enum Token: Sendable, Hashable {
        case word(String)
        case application
        case parameter(String)
    }

    let tokens: [Token]

    /// - Throws: `declaration`, if a placeholder is not a separate word, is not closed, or occurs twice.
    init(_ phrase: AppShortcutPhrase) throws {
        tokens = try Spoken.words(phrase.text).map { word in
            guard word.contains("${") else { return .word(word) }
            guard word.hasPrefix("${"), word.hasSuffix("}"), word.count > 3 else {
                throw Self.mistake(phrase, "must write each placeholder as ${name}, as a separate word")
            }
            let name = String(word.dropFirst(2).dropLast())
            return name == "app" ? .application : .parameter(name)
        }
        guard !tokens.isEmpty, Set(parameters).count == parameters.count else {
            throw Self.mistake(phrase, "must have words, and each parameter only once")
        }
    }

    /// The names of the phrase's parameters.
    var parameters: [String] {
        tokens.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The phrase as people say it, with the app's name.
    func text(application: String) -> String {
        tokens.map { token in
            switch token {
            case .word(let word): word
            case .application: application
            case .parameter(let name): "<\(name)>"
            }
        }.joined(separator: " ")
    }

    private static func mistake(_ phrase: AppShortcutPhrase, _ rule: String) -> IntentError {
        IntentError(.declaration, "The phrase \(phrase.text.quoted) cannot be used; a phrase \(rule).")
    }
}

/// Spoken text, split into words.
struct Spoken {
    /// The most words that a phrase can have; a longer text matches nothing.
    static let mostWords = 60

    /// The words as they were said; `keys` holds the form in which they are compared.
    let words: [String]
    let keys: [String]

    init(_ phrase: String) {
        words = Self.words(phrase)
        keys = words.count > Self.mostWords ? [] : words.map(NameMatch.key)
    }

    /// The words of a phrase, without the punctuation at its end.
    static func words(_ phrase: String) -> [String] {
        var phrase = phrase[...]
        while let last = phrase.last, last.isWhitespace || ".,;:!?…".contains(last) { phrase.removeLast() }
        return phrase.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
