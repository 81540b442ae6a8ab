extension String {
    /// Returns the text with all occurrences of one part, compared by bytes, replaced by another.
    ///
    /// Use it to escape text for another language. Swift's own `replacing(_:with:)` compares characters: it would skip
    /// an apostrophe followed by a combining accent, which still ends an SQL literal.
    package func replacingBytes(of part: String, with other: String) -> String {
        let part = Array(part.utf8)
        guard let first = part.first, utf8.contains(first) else { return self }
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let next = rest.first {
            if next == first, rest.starts(with: part) {
                bytes += other.utf8
                rest = rest.dropFirst(part.count)
            } else {
                bytes.append(next)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
