/// A statement's text as the key of a cache.
///
/// Texts are long, and several are looked up in each transaction. So only the length and the end are hashed,
/// which differ between most statements of a schema.
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
