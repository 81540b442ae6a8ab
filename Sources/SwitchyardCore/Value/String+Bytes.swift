extension String {
    /// The text in which one part is replaced by another wherever its bytes stand.
    ///
    /// This is what escapes text for another language. Swift's own `replacing(_:with:)` compares characters:
    /// an apostrophe with an accent behind it is another character to Swift, and left as it is, but still
    /// ends a literal of SQL.
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
