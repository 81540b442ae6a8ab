internal import Foundation

/// How the processes that serve the scopes of one store tell each other of their commits.
///
/// It only makes news faster: who may have missed some looks at the ends of the histories.
package protocol ScopeChannel: Sendable {
    /// Tells the others that there are commits in some scopes.
    ///
    /// - Throws: A `StoreError` if they cannot be told.
    func tell(of scopes: Set<StoreScope>) async throws

    /// Calls the body with the marks of scopes that others tell of, on any thread, until the returned object is released.
    ///
    /// - Throws: A `StoreError` if nobody can be heard there.
    func listen(_ body: @escaping @Sendable (Set<ScopeMark>) -> Void) async throws -> any Sendable & AnyObject
}

/// What a process tells of a scope: whoever knows the scope recognizes it, and nobody learns the scope from it.
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
