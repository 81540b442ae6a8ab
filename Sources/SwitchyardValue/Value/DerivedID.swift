internal import Crypto
public import Foundation

/// Derives ids from a namespace and texts: the same ones each time, on every device.
///
/// Rows that are made from other rows need such ids: a migration on two devices, or on two backends in a
/// test, then makes the same rows.
///
/// An id is a UUID of version 5 (RFC 9562, section 5.5), whose name is the canonical JSON of the array of the texts, such as
/// `["artist","5"]`.
public struct DerivedID: Sendable, Hashable {
    /// Distinguishes the ids of one source from those of another: the id of a row, or a UUID of the app.
    public let namespace: UUID

    /// Makes ids in a namespace.
    public init(namespace: UUID) { self.namespace = namespace }

    /// The id of some texts.
    public func uuid(_ parts: [String]) -> UUID {
        var hash = Insecure.SHA1()
        withUnsafeBytes(of: namespace.uuid) { hash.update(bufferPointer: $0) }
        var text = CanonicalJSONWriter.text(of: parts)
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        var bytes = hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        bytes.6 = bytes.6 & 0x0F | 0x50
        bytes.8 = bytes.8 & 0x3F | 0x80
        return UUID(uuid: bytes)
    }
}

extension Identifier {
    /// Derives an id from that of another row and from texts that distinguish its parts: the same one each
    /// time.
    ///
    /// ```swift
    /// for (number, name) in sides.enumerated() {
    ///     try new.insert(V3.Side(id: .init(derivedFrom: meal.id, "\(number)"), name: name, meal: .init(meal.id.uuid)))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - source: The id of the other row.
    ///   - parts: The texts.
    public init(derivedFrom source: Identifier<some Any>, _ parts: String...) {
        self.init(DerivedID(namespace: source.uuid).uuid(parts))
    }
}
