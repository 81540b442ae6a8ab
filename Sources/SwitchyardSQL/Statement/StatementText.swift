/// A statement's text as the key of a cache.
///
/// Texts are long, and several are looked up in each transaction. So only the length and the end are hashed, in which few
/// statements of a schema are alike.
public struct StatementText: Hashable {
    /// The text.
    public let text: String

    /// Creates the key of a text.
    @inlinable
    public init(_ text: String) { self.text = text }

    /// Hashes the length and the end of the text.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(32)))
        }
    }
}
