internal import Foundation

/// Notifies the processes that serve the scopes of one store of each other's commits.
///
/// A notification can be lost, so it only makes news faster: every process also polls the ends of the histories.
package protocol ScopeChannel: Sendable {
    /// Notifies the other processes of commits in some scopes.
    ///
    /// - Throws: A `StoreError` if the notification cannot be sent.
    func tell(of scopes: Set<StoreScope>) async throws

    /// Calls the body with the marks that other processes send, on any thread, until the returned object is released.
    ///
    /// - Throws: A `StoreError` if the process cannot listen.
    func listen(_ body: @escaping @Sendable (Set<ScopeMark>) -> Void) async throws -> any Sendable & AnyObject
}

/// A hash of a scope's id, which a notification carries in its place.
///
/// A process that knows the scope recognizes the hash; no other can tell the id from it.
package struct ScopeMark: Sendable, Hashable {
    private let bits: UInt64

    package init(_ scope: StoreScope) {
        let bytes = withUnsafeBytes(of: scope.uuid.uuid) { Array($0) }
        bits = bytes.sha256.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a mark; nil for another text.
    package init?(_ text: some StringProtocol) {
        guard let bits = UInt64(text, radix: 16) else { return nil }
        self.bits = bits
    }

    /// The mark as up to 16 hexadecimal digits.
    package var text: String { String(bits, radix: 16) }
}
