/// Finds the hashtags in a memo.
///
/// A hashtag is `#` followed by letters, digits or underscores of any script, where the `#` does not itself follow
/// one of these. Combining marks belong to their letter, so that a word in Devanagari or with combining accents
/// is not cut short.
public enum Hashtags {
    /// The hashtags in a text, with their `#`, in the order of their first appearance.
    ///
    /// Two that differ only in case are one; the first spelling is kept.
    public static func find(in text: String) -> [String] {
        var tags: [String] = []
        var seen: Set<String> = []
        var previousIsWord = false
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            guard character == "#", !previousIsWord else {
                previousIsWord = isWord(character)
                index = text.index(after: index)
                continue
            }
            let body = text[text.index(after: index)...].prefix(while: isWord)
            if !body.isEmpty {
                let tag = "#" + body
                if seen.insert(tag.lowercased()).inserted { tags.append(tag) }
            }
            previousIsWord = !body.isEmpty
            index = body.endIndex
        }
        return tags
    }

    /// Whether the whole text is a single hashtag.
    public static func isHashtag(_ text: String) -> Bool { find(in: text) == [text] }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
