internal import Synchronization

/// Announces the commits of a store to those who follow it.
///
/// A backend has one feed for each opened store. It announces its own writes after they are committed; while anybody
/// follows, it also watches for the writes of others. While nobody does, both cost nothing.
public final class CommitFeed: Sendable {
    /// Watches for the commits of others: calls the body after each, on any thread, until the object that it returns is
    /// released.
    ///
    /// Calls after the store's own commits do no harm, but make those who follow read again.
    public typealias Watch =
        @Sendable (_ body: @escaping @Sendable () -> Void) throws -> any Sendable & AnyObject

    private struct State {
        var followers: [ObjectIdentifier: CommitFollower] = [:]
        var watch: (any Sendable & AnyObject)?
        var isClosed = false
    }

    private let others: Watch?
    private let state = Mutex(State())
    private let hasFollowers = Atomic(false)

    /// Creates the feed of a store that nobody follows.
    ///
    /// - Parameter others: Watches for the commits of others while somebody follows; nil if nobody else can write.
    public init(watchingOthers others: Watch? = nil) { self.others = others }

    /// Whether anybody follows.
    public var isFollowed: Bool { hasFollowers.load(ordering: .sequentiallyConsistent) }

    /// Announces a write of this store, after it was committed.
    ///
    /// - Parameter entities: The names of the entities whose rows have changed; those of the history are left out.
    public func announce(_ entities: some Sequence<String>) {
        guard isFollowed else { return }
        let names = Set(entities).subtracting([Entity.historyTransaction.name, Entity.historyBlock.name])
        guard !names.isEmpty else { return }
        announce(StoreChange(entities: names))
    }

    private func announce(_ change: StoreChange) {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.receive(change) }
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

    /// Adds a follower, which learns of each commit from now on.
    ///
    /// - Throws: What starting the watch throws.
    func add(_ follower: CommitFollower) throws {
        let isOpen = try state.withLock { state in
            guard !state.isClosed else { return false }
            if let others, follower.followsOthers, state.watch == nil {
                state.watch = try others { [weak self] in self?.announce(.unknown) }
            }
            state.followers[ObjectIdentifier(follower)] = follower
            hasFollowers.store(true, ordering: .sequentiallyConsistent)
            return true
        }
        if !isOpen { follower.end() }
    }

    func remove(_ follower: CommitFollower) {
        let watch = state.withLock { state -> (any Sendable & AnyObject)? in
            state.followers[ObjectIdentifier(follower)] = nil
            hasFollowers.store(!state.followers.isEmpty, ordering: .sequentiallyConsistent)
            guard !state.followers.values.contains(where: \.followsOthers) else { return nil }
            defer { state.watch = nil }
            return state.watch
        }
        // Released outside the lock: a watch may call the feed until it has ended.
        withExtendedLifetime(watch) {}
    }
}

/// One follower of a feed: what was committed since it looked last, as one change.
final class CommitFollower: Sendable {
    private struct State {
        var pending: StoreChange?
        var waiter: CheckedContinuation<StoreChange?, Never>?
        var isEnded = false
    }

    /// Whether it learns of the commits of others, too.
    let followsOthers: Bool
    private let state = Mutex(State())

    init(followsOthers: Bool) { self.followsOthers = followsOthers }

    func receive(_ change: StoreChange) {
        let waiter = state.withLock { state -> CheckedContinuation<StoreChange?, Never>? in
            guard let waiter = state.waiter else {
                guard !state.isEnded else { return nil }
                state.pending = state.pending.map { $0.merged(with: change) } ?? change
                return nil
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: change)
    }

    func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    /// Waits for the next change, and takes what has come in the meantime as one; nil once it has ended or the task is
    /// cancelled.
    func next() async -> StoreChange? {
        guard !Task.isCancelled else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let change = state.withLock { state -> StoreChange?? in
                    if let pending = state.pending {
                        state.pending = nil
                        return pending
                    }
                    if state.isEnded { return .some(nil) }
                    state.waiter = continuation
                    return nil
                }
                if let change { continuation.resume(returning: change) }
            }
        } onCancel: {
            end()
        }
    }
}
