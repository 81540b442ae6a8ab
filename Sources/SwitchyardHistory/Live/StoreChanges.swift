/// Something was committed to a store.
public struct StoreChange: Sendable, Hashable {
    /// The names of the entities whose rows may have changed; nil if that is not known, so that any may have.
    public let entities: Set<String>?

    static let unknown = StoreChange(entities: nil)
}

/// The commits to a store from some moment on, by this process and by others.
///
/// What is committed while the consumer works comes as one change. The sequence ends when the store is closed or the
/// task is cancelled.
///
/// An iterator is told of every commit of its `Store` since it was made, and of those of others since the first call of
/// `next()`. Make one for each task.
public struct StoreChanges: AsyncSequence, Sendable {
    fileprivate let store: any Store
    fileprivate let includesOthers: Bool
    fileprivate let scope: StoreScope?

    /// Begins to follow the store.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(store, includesOthers: includesOthers, in: scope)
    }

    /// Receives changes.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let store: any Store
        /// Those with which the history is read.
        private let options: ReadOptions
        private let following: Following
        /// The feed on which others are followed.
        private var feed: CommitFeed?
        private var token: HistoryToken?

        /// Leaves the feed when the iterator and its copies are gone.
        private final class Following: Sendable {
            let follower: CommitFollower

            init(_ feed: CommitFeed, includesOthers: Bool, in scope: StoreScope?) {
                follower = CommitFollower(followsOthers: includesOthers, scope: scope)
                feed.add(follower)
            }

            deinit { follower.leave() }
        }

        init(_ store: any Store, includesOthers: Bool, in scope: StoreScope?) {
            self.store = store
            options = ReadOptions(scopes: scope.map { [$0] })
            following = Following(store.commits, includesOthers: includesOthers, in: scope)
        }

        /// Begins to follow others, if it has not yet.
        ///
        /// - Returns: Whether they were followed elsewhere before: the store was switched, and what they have committed in
        ///   the meantime is not told.
        @discardableResult
        package mutating func begin() async throws -> Bool {
            guard following.follower.followsOthers, let current = following.follower.feed, current !== feed
            else { return false }
            let previous = feed
            feed = current
            token = await store.newestToken(options)
            do {
                try await current.watchOthers()
            } catch let error as StoreError where error.code == .closed {
                // The sequence of a closed store ends; that of one that was switched begins to follow the other.
                return false
            } catch {
                feed = previous
                throw error
            }
            guard previous == nil else { return true }
            // What was committed while the watch began may have been told to nobody.
            if let token, await store.newestToken(options) != token { following.follower.receive(.ofOthers) }
            return false
        }

        /// Ends the sequence, for all copies of the iterator, after what was committed before.
        public func stop() { following.follower.end() }

        /// Waits for the next change.
        ///
        /// Where the store keeps a history, a commit of another process is told with its entities, too.
        ///
        /// - Returns: The change; nil if the store was closed or the task was cancelled.
        /// - Throws: `inputOutput` if the files of the store cannot be watched; `outOfService` once the data is elsewhere.
        public mutating func next() async throws -> StoreChange? {
            if try await begin() { return .unknown }
            while let news = await following.follower.next() {
                guard let last = token else {
                    guard news.includesOthers else { return StoreChange(entities: news.entities) }
                    let newest = try await store.newestTokenInService(options)
                    // A follower of the store's own commits alone is told of a switch, and then of the store's own again.
                    if following.follower.followsOthers { token = newest }
                    return .unknown
                }
                let (entities, newest) = try await store.entities(changedSince: last, options)
                token = newest
                guard let entities else { return Task.isCancelled ? nil : .unknown }
                var all = entities.union(news.entities)
                // What others change without a word in the history may have changed.
                if news.includesOthers { all.formUnion(store.schema.entitiesBesideHistory) }
                // What was committed before the last change was told has been told with it.
                if !all.isEmpty { return StoreChange(entities: all) }
                // The store may have been switched since others were followed.
                if try await begin() { return .unknown }
            }
            return nil
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
    /// Other processes' commits are noticed without polling, but where rows have scopes on PostgreSQL and behind a pooler:
    /// there within half a second. On PostgreSQL they are only noticed if the store keeps a history.
    ///
    /// - Parameters:
    ///   - includesOthers: Whether other processes, and other openings of the store in this one, are followed.
    ///   - scope: The only scope whose commits are told; nil for every scope to which this `Store` writes. Of a scope that
    ///     the store was not opened with, PostgreSQL tells only what this `Store` commits.
    /// - Returns: The sequence of changes.
    public func changes(
        includingOthers includesOthers: Bool = true, in scope: StoreScope? = nil
    ) -> StoreChanges {
        StoreChanges(store: self, includesOthers: includesOthers, scope: scope)
    }

    /// The place after the last transaction of the history; nil if the store keeps none.
    fileprivate func newestToken(_ options: ReadOptions) async -> HistoryToken? {
        try? await read(options) { tx in
            guard try tx.driver.maintenance.marker().recordingEra > 0 else { return nil }
            return try tx.historyToken()
        }
    }

    /// The place after the last transaction of the history; nil if the store keeps none, or cannot be read.
    ///
    /// - Throws: `outOfService` if another store has taken over from this one.
    fileprivate func newestTokenInService(_ options: ReadOptions) async throws -> HistoryToken? {
        do {
            return try await read(options) { tx in
                let marker = try tx.driver.maintenance.marker()
                try marker.requireInService()
                return marker.recordingEra > 0 ? try tx.historyToken() : nil
            }
        } catch let error as StoreError where error.code == .outOfService {
            throw error
        } catch { return nil }
    }

    /// The entities of the transactions after a place in the history, and the place after them; nil if the history does
    /// not tell, for example because it was stopped in the meantime.
    ///
    /// - Throws: `outOfService` if another store has taken over from this one, which nobody writes to any more.
    fileprivate func entities(
        changedSince token: HistoryToken, _ options: ReadOptions
    ) async throws -> (Set<String>?, HistoryToken?) {
        do {
            return try await read(options) { tx in
                let marker = try tx.driver.maintenance.marker()
                try marker.requireInService()
                guard marker.recordingEra > 0 else { return (nil, nil) }
                return (try tx.changedEntities(after: token), try tx.historyToken())
            }
        } catch let error as StoreError where error.code == .outOfService {
            throw error
        } catch { return (nil, await newestToken(options)) }
    }
}

extension StoreMarker {
    /// Checks that no other store has taken over from this one, which nobody writes to any more.
    ///
    /// - Throws: `outOfService`.
    fileprivate func requireInService() throws {
        guard role == .superseded, switching?.state != .fenced else { return }
        throw StoreError.outOfService(role.rawValue, successor: successor)
    }
}
