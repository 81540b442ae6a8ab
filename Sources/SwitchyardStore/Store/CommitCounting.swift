/// A store that can count what is committed to its database.
///
/// A switch between two stores compares their rows again only after a commit. Without this capability, it compares them
/// each time.
public protocol CommitCounting: Store {
    /// A number that grows by one with each write of this store object, and by one or more with what anybody else commits,
    /// in this process or in another.
    ///
    /// - Returns: The number; nil if the store cannot tell.
    func commitCount() async -> Int?
}
