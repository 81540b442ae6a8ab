/// What a read is given besides its body.
///
/// ```swift
/// let both = ReadOptions(scopes: [home, grandparents])
/// let names = try await store.read(both) { try $0.fetch(BabyProfile.sorted(by: \.name)) }
/// ```
public struct ReadOptions: Sendable, Hashable {
    /// The scopes whose rows are read as if they were in one; nil for the one in which the store was opened.
    public var scopes: [StoreScope]?

    /// Describes a read.
    public init(scopes: [StoreScope]? = nil) { self.scopes = scopes }

    /// The scopes of the read in a store that was opened in a scope, or in none.
    ///
    /// - Returns: Each scope once, ascending; none in a store whose rows are not divided.
    /// - Throws: `scopeMismatch` if the store's rows are not divided and scopes are named; `invalidArgument` for an
    ///   empty list of them.
    public func scopes(inStoreOf own: StoreScope?) throws -> [StoreScope] {
        guard let scopes else { return own.map { [$0] } ?? [] }
        guard own != nil else { throw StoreError.scopesUnknown }
        guard !scopes.isEmpty else {
            throw StoreError(
                .invalidArgument, "A read of no scopes has no rows: name one, or leave them out.")
        }
        return Set(scopes).sorted()
    }
}
