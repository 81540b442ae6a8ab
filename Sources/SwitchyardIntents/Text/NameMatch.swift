internal import SwitchyardCore

/// Finds things by their names.
enum NameMatch {
    /// The candidates that a text matches best: those with exactly this name; otherwise those whose name differs
    /// only in case, diacritics and white space; otherwise, if allowed, those whose name begins with it.
    static func best<Candidate>(
        _ text: String, among candidates: [Candidate], allowsPrefix: Bool, names: (Candidate) -> [String]
    ) -> [Candidate] {
        let exact = candidates.filter { names($0).contains { $0.utf8.elementsEqual(text.utf8) } }
        if !exact.isEmpty { return exact }
        let key = key(text)
        guard !key.isEmpty else { return [] }
        let keyed = candidates.map { candidate in (candidate, names(candidate).map(self.key)) }
        let same = keyed.filter { $0.1.contains(key) }
        if !same.isEmpty || !allowsPrefix { return same.map(\.0) }
        return keyed.filter { $0.1.contains { $0.hasPrefix(key) } }.map(\.0)
    }

    /// The form in which texts are compared: without case, diacritics and extra white space.
    static func key(_ text: String) -> String {
        SearchFolding.fold(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
