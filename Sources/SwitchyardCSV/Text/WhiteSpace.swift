/// What is white space at the ends of a cell or a name: the one definition for all of them.
public enum WhiteSpace {
    /// The text without the white space at its ends.
    ///
    /// White space is what Unicode gives the property White_Space. Foundation's set of it holds U+200B besides,
    /// which is a format character.
    public static func trimmed(_ text: String) -> String {
        var text = text
        return text.withUTF8 { String(decoding: trimmed(UnsafeRawBufferPointer($0)), as: UTF8.self) }
    }

    /// The text without the white space at its ends.
    ///
    /// White space is what Unicode gives the property White_Space. Text that begins and ends with a printable
    /// ASCII character, as most does, costs two comparisons.
    ///
    /// - Parameter text: Valid UTF-8.
    /// - Returns: A part of `text`.
    @inlinable
    public static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let first = text.first, let last = text.last else { return text }
        if first &- 0x21 < 0x5E, last &- 0x21 < 0x5E { return text }
        return trimmedSlowly(text)
    }

    @usableFromInline
    static func trimmedSlowly(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var rest = text[...]
        while case let length = lengthOfSpace(atStartOf: rest), length > 0 { rest = rest.dropFirst(length) }
        while case let length = lengthOfSpace(atEndOf: rest), length > 0 { rest = rest.dropLast(length) }
        return UnsafeRawBufferPointer(rebasing: rest)
    }

    private static func lengthOfSpace(atStartOf text: Slice<UnsafeRawBufferPointer>) -> Int {
        for length in 1...3 where text.count >= length && isSpace(text.prefix(length)) { return length }
        return 0
    }

    private static func lengthOfSpace(atEndOf text: Slice<UnsafeRawBufferPointer>) -> Int {
        for length in 1...3 where text.count >= length && isSpace(text.suffix(length)) { return length }
        return 0
    }

    /// Whether the bytes are one white-space character, of one to three bytes as all of them are.
    private static func isSpace(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        var bytes = bytes.makeIterator()
        switch (bytes.next() ?? 0, bytes.next(), bytes.next()) {
        case (0x20, nil, nil), (0x09...0x0D, nil, nil): return true
        // U+0085 and U+00A0.
        case (0xC2, 0x85, nil), (0xC2, 0xA0, nil): return true
        // U+1680.
        case (0xE1, 0x9A, 0x80): return true
        // U+2000 to U+200A, U+2028, U+2029, U+202F and U+205F.
        case (0xE2, 0x80, let last?):
            return (0x80...0x8A).contains(last) || last == 0xA8 || last == 0xA9 || last == 0xAF
        case (0xE2, 0x81, 0x9F): return true
        // U+3000.
        case (0xE3, 0x80, 0x80): return true
        default: return false
        }
    }
}
