/// Something was committed to a store.
public struct StoreChange: Sendable, Hashable {
    /// The names of the entities whose rows may have changed; nil if that is not known, so that any may have.
    public let entities: Set<String>?

    static let unknown = StoreChange(entities: nil)

    func merged(with other: StoreChange) -> StoreChange {
        guard let entities, let others = other.entities else { return .unknown }
        return StoreChange(entities: entities.union(others))
    }
}

/// The commits to a store from some moment on, by this process and by others.
///
/// What is committed while the consumer works comes as one change. The sequence ends when the store is closed or the
/// task is cancelled. Each iterator is told of every commit after it was made; make one for each task.
public struct StoreChanges: AsyncSequence, Sendable {
    fileprivate let store: any Store
    fileprivate let includesOthers: Bool

    /// Begins to follow the store.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store, includesOthers: includesOthers) }

    /// Receives changes.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let store: any Store
        private let following: Following
        private var token: HistoryToken?

        /// Leaves the feed when the iterator and its copies are gone.
        private final class Following: Sendable {
            let feed: CommitFeed
            let follower: CommitFollower
            let failure: (any Error)?

            init(_ feed: CommitFeed, includesOthers: Bool) {
                self.feed = feed
                follower = CommitFollower(followsOthers: includesOthers)
                do {
                    try feed.add(follower)
                    failure = nil
                } catch { failure = error }
            }

            deinit { feed.remove(follower) }
        }

        init(_ store: any Store, includesOthers: Bool) {
            self.store = store
            following = Following(store.commits, includesOthers: includesOthers)
        }

        /// Ends the sequence, for all copies of the iterator, after what was committed before.
        public func stop() { following.follower.end() }

        /// Waits for the next change.
        ///
        /// Where the store keeps a history, a commit of another process is told with its entities, too.
        ///
        /// - Returns: The change; nil if the store was closed or the task was cancelled.
        /// - Throws: `inputOutput` if the files of the store cannot be watched.
        public mutating func next() async throws -> StoreChange? {
            if let failure = following.failure { throw failure }
            if token == nil, following.follower.followsOthers { token = await store.newestToken() }
            guard let change = await following.follower.next() else { return nil }
            guard let last = token else { return change }
            let (entities, newest) = await store.entities(changedSince: last)
            token = newest
            return change.entities == nil && entities?.isEmpty == false
                ? StoreChange(entities: entities) : change
        }
    }
}

extension Store {
    /// Follows the commits to the store, by this process and by others.
    ///
    /// ```swift
    /// for try await change in store.changes() {
    ///     if change.entities?.contains("Feed") != false { await refreshWidgets() }
    /// }
    /// ```
    ///
    /// Other processes' commits are noticed where they are made: in SQLite's files without polling, on a server within half
    /// a second. On PostgreSQL they are only noticed if the store keeps a history.
    ///
    /// - Parameter includesOthers: Whether other processes, and other openings of the store in this one, are followed.
    /// - Returns: The sequence of changes.
    public func changes(includingOthers includesOthers: Bool = true) -> StoreChanges {
        StoreChanges(store: self, includesOthers: includesOthers)
    }

    /// The place after the last transaction of the history; nil if the store keeps none.
    fileprivate func newestToken() async -> HistoryToken? {
        try? await read { tx in
            guard try tx.driver.marker().recordingEra > 0 else { return nil }
            return try tx.historyToken()
        }
    }

    /// The entities of the transactions after a place in the history, and the place after them; nil if the history does
    /// not tell.
    fileprivate func entities(
        changedSince token: HistoryToken
    ) async -> (Set<String>?, HistoryToken?) {
        do {
            return try await read { tx in
                var entities: Set<String> = []
                try tx.forEachTransaction(after: token) { entities.formUnion($0.entities) }
                return (entities, try tx.historyToken())
            }
        } catch { return (nil, await newestToken()) }
    }
}
