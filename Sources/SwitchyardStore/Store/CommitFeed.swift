internal import Synchronization

/// Announces the commits of a store to its followers.
///
/// A backend has one feed for each opened store. It announces its own writes after they are committed. While
/// the store has followers, the feed also watches for the writes of others. Without followers, both cost
/// nothing.
public final class CommitFeed: Sendable {
    /// Watches for the commits of others: calls the body after each one, on any thread, until the returned
    /// object is released; nil if only this store can commit.
    ///
    /// Calls after the store's own commits are harmless, but make followers read again.
    public typealias Watch =
        @Sendable (_ body: @escaping @Sendable () -> Void) async throws -> (any Sendable & AnyObject)?

    private struct State: Sendable {
        var followers: [ObjectIdentifier: CommitFollower] = [:]
        /// Starts the watch and holds it.
        var watch: Task<(any Sendable & AnyObject)?, any Error>?
        var isClosed = false
        /// Where the followers are now.
        var successor: CommitFeed?
    }

    private let others: Watch?
    /// Notifies the other processes that serve the store's scopes; nil if the backend cannot.
    package let scopeChannel: (any ScopeChannel)?
    private let state = Monitor(State())
    private let hasFollowers = Atomic(false)

    /// Creates the feed of a store without followers.
    ///
    /// - Parameter others: Watches for the commits of others while the store has followers; nil if only this
    ///   store can write.
    public init(watchingOthers others: Watch? = nil) { (self.others, scopeChannel) = (others, nil) }

    /// Creates the feed of a store without followers, whose scopes several processes serve.
    package init(watchingOthers others: @escaping Watch, tellingBy scopeChannel: (any ScopeChannel)?) {
        (self.others, self.scopeChannel) = (others, scopeChannel)
    }

    /// Whether the store has followers.
    public var isFollowed: Bool { hasFollowers.load(ordering: .sequentiallyConsistent) }

    /// Announces a write of this store, after it was committed.
    ///
    /// - Parameters:
    ///   - entities: The names of the entities whose rows have changed, without those of the history.
    ///   - scope: The scope of the rows; followers of another one are not told. Nil in a store without scopes.
    public func announce(_ entities: some Sequence<String>, in scope: StoreScope? = nil) {
        guard isFollowed else { return }
        let names = Set(entities).subtracting(Entity.historyTables.map(\.name))
        guard !names.isEmpty else { return }
        announce(CommitNews(entities: names, scopes: [scope]), in: scope)
    }

    private func announce(_ news: CommitNews, in scope: StoreScope? = nil) {
        let followers = state.withLock { Array($0.followers.values) }
        for follower in followers where follower.followsOthers || !news.includesOthers {
            if let scope, let followed = follower.scope, scope != followed { continue }
            follower.receive(news)
        }
    }

    /// Ends what follows the feed, when the store is closed.
    public func close() {
        let followers = state.withLock { state in
            state.isClosed = true
            state.watch = nil
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        hasFollowers.store(false, ordering: .sequentiallyConsistent)
        for follower in followers { follower.end() }
    }

    /// Redirects current and future followers to another feed, and reports that anything may have changed.
    package func move(to successor: CommitFeed) {
        let followers = state.withLock { state in
            state.successor = successor
            state.watch = nil
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        hasFollowers.store(false, ordering: .sequentiallyConsistent)
        for follower in followers {
            successor.add(follower)
            follower.receive(.ofOthers)
        }
    }

    /// Adds a follower, which learns of each commit of this store from now on.
    package func add(_ follower: CommitFollower) {
        let (isOpen, successor) = state.withLock { state -> (Bool, CommitFeed?) in
            guard !state.isClosed, state.successor == nil else { return (false, state.successor) }
            guard follower.begin(self) else { return (true, nil) }
            state.followers[ObjectIdentifier(follower)] = follower
            hasFollowers.store(true, ordering: .sequentiallyConsistent)
            return (true, nil)
        }
        if let successor { return successor.add(follower) }
        if !isOpen { follower.end() }
    }

    /// Reports the commits of others to a follower as well.
    ///
    /// - Throws: The errors of starting the watch; `closed` if the store is closed, or was left for another
    ///   one.
    package func watchOthers() async throws {
        guard let others else { return }
        let watch = try state.withLock { state in
            guard !state.isClosed, state.successor == nil else { throw StoreError.storeClosed }
            if let watch = state.watch { return watch }
            let body = { @Sendable [weak self] () -> Void in self?.announce(.ofOthers) }
            let watch = Task { try await others(body) }
            state.watch = watch
            return watch
        }
        do { _ = try await watch.value } catch {
            // The next follower tries again.
            state.withLock { if $0.watch == watch { $0.watch = nil } }
            throw error
        }
    }

    fileprivate func remove(_ follower: CommitFollower) {
        state.withLock { state in
            state.followers[ObjectIdentifier(follower)] = nil
            hasFollowers.store(!state.followers.isEmpty, ordering: .sequentiallyConsistent)
            if !state.followers.values.contains(where: \.followsOthers) { state.watch = nil }
        }
    }
}

/// The announcements since the last call.
package struct CommitNews: Sendable {
    /// The names of the entities whose rows this store has changed.
    package var entities: Set<String> = []
    /// The scopes of those rows; nil in a store without scopes.
    package var scopes: Set<StoreScope?> = []
    /// Whether others have committed as well, without the entities.
    package var includesOthers = false

    package static let ofOthers = CommitNews(includesOthers: true)

    package mutating func add(_ other: CommitNews) {
        entities.formUnion(other.entities)
        scopes.formUnion(other.scopes)
        includesOthers = includesOthers || other.includesOthers
    }
}

/// One follower of a feed: what was committed since it looked last, as one change.
package final class CommitFollower: Sendable {
    private struct State: Sendable {
        /// The feed that it follows.
        var feed: CommitFeed?
        var pending: CommitNews?
        var waiter: CheckedContinuation<CommitNews?, Never>?
        var isEnded = false
        /// Whether the follower has left, so that no feed needs to keep it.
        var hasLeft = false
    }

    /// Whether it also receives the commits of others.
    package let followsOthers: Bool
    /// The only scope whose commits matter to it; nil if all do.
    package let scope: StoreScope?
    private let state = Monitor(State())

    package init(followsOthers: Bool, scope: StoreScope? = nil) {
        self.followsOthers = followsOthers
        self.scope = scope
    }

    /// The feed that it follows; nil if that was closed from the beginning.
    package var feed: CommitFeed? { state.withLock(\.feed) }

    /// Sets the feed that it follows from now on; returns false if it has left.
    fileprivate func begin(_ feed: CommitFeed) -> Bool {
        state.withLock { state in
            if !state.hasLeft { state.feed = feed }
            return !state.hasLeft
        }
    }

    /// Leaves its feed, and follows none from now on, even if it is being moved to one.
    package func leave() {
        let feed = state.withLock { state in
            state.hasLeft = true
            return state.feed
        }
        feed?.remove(self)
    }

    package func receive(_ news: CommitNews) {
        let waiter = state.withLock { state -> CheckedContinuation<CommitNews?, Never>? in
            guard let waiter = state.waiter else {
                guard !state.isEnded else { return nil }
                state.pending = state.pending ?? CommitNews()
                state.pending?.add(news)
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: news)
    }

    package func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    /// Waits for the next change, and merges those of the meantime; nil after the end, or if the task is
    /// cancelled.
    package func next() async -> CommitNews? {
        guard !Task.isCancelled else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (news, other) = state.withLock {
                    state -> (CommitNews??, CheckedContinuation<CommitNews?, Never>?) in
                    if let pending = state.pending {
                        state.pending = nil
                        return (pending, nil)
                    }
                    if state.isEnded { return (.some(nil), nil) }
                    // Of two tasks that share an iterator, the first one ends.
                    defer { state.waiter = continuation }
                    return (nil, state.waiter)
                }
                if let news { continuation.resume(returning: news) }
                other?.resume(returning: nil)
            }
        } onCancel: {
            end()
        }
    }
}
