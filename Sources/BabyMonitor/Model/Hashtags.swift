/// Finds the hashtags in a memo.
///
/// A hashtag is `#` followed by letters, digits or underscores of any script, where `#` does not follow one
/// of these itself. Marks belong to their letter, so that a word in Devanagari or one with combining accents
/// is not cut short.
public enum Hashtags {
    /// The hashtags in a text, with their `#`, in the order of their first appearance.
    ///
    /// Two that differ in case only are one; the first spelling is kept.
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

    /// Whether a text as a whole is one hashtag.
    public static func isHashtag(_ text: String) -> Bool { find(in: text) == [text] }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
