/// The options of a read.
///
/// ```swift
/// let both = ReadOptions(scopes: [home, grandparents])
/// let names = try await store.read(both) { try $0.fetch(BabyProfile.sorted(by: \.name)) }
/// ```
public struct ReadOptions: Sendable, Hashable {
    /// The scopes whose rows are read as if they were in one; nil for the one that the store was opened with.
    public var scopes: [StoreScope]?
    /// On whose behalf the rows are read, for a database that asks; nil for nobody's.
    package var identity: ScopeIdentity?

    /// Creates the options of a read.
    public init(scopes: [StoreScope]? = nil) { self.scopes = scopes }

    /// The scopes of the read, given the scope that the store was opened with, if any.
    ///
    /// - Returns: Each scope once, ascending; empty in a store without scopes.
    /// - Throws: `scopeMismatch` if the options name scopes and the store has none; `invalidArgument` for an empty
    ///   list.
    public func scopes(inStoreOf own: StoreScope?) throws -> [StoreScope] {
        guard let scopes else { return own.map { [$0] } ?? [] }
        guard own != nil else { throw StoreError.scopesUnknown }
        guard !scopes.isEmpty else {
            throw StoreError(
                .invalidArgument,
                "The list of scopes to read is empty. Name at least one scope, or leave the list out.")
        }
        return Set(scopes).sorted()
    }
}
