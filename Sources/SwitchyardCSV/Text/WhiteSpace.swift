/// What counts as white space at the ends of a cell or a name.
public enum WhiteSpace {
    /// The text, trimmed of white space.
    ///
    /// White space is every character with Unicode's White_Space property. Foundation's set also contains U+200B,
    /// which is a format character.
    public static func trimmed(_ text: String) -> String {
        var text = text
        return text.withUTF8 { String(decoding: trimmed(UnsafeRawBufferPointer($0)), as: UTF8.self) }
    }

    /// The text, trimmed of white space.
    ///
    /// White space is every character with Unicode's White_Space property. Text that begins and ends with a
    /// printable ASCII character, as most does, costs two comparisons.
    ///
    /// - Parameter text: Valid UTF-8.
    /// - Returns: A slice of `text`.
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

    /// Whether the bytes are exactly one white-space character, all of which have one to three bytes.
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
