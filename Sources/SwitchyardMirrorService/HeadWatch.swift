internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// Tells waiting devices that their household has news.
///
/// What this service commits is told at once, also to the other services of the store, where it has a channel. Where rows have
/// scopes, others' commits are looked for, all those that somebody waits for in one statement; elsewhere the store tells of them.
final class HeadWatch: Sendable {
    private struct Waiter {
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Who waits for news of a scope.
    private struct Watch {
        let mark: ScopeMark?
        var watchers = 0
        /// How often news were told.
        var news = 0
        var waiters: [UUID: Waiter] = [:]

        init(_ scope: StoreScope?) { mark = scope.map { ScopeMark($0) } }
    }

    private struct State {
        var watches: [StoreScope?: Watch] = [:]
        var isClosed = false
        /// Whether the store shows the scopes' heads to each device alone, as row-level security does.
        var isBlind = false
    }

    private let state = Mutex(State())
    private let work = Mutex<Task<Void, Never>?>(nil)

    /// The shortest and the longest pause between two looks at what others have committed; in between, a look takes a tenth of the
    /// time.
    private static let pauses = Duration.milliseconds(100)...Duration.seconds(1)
    /// How long a device waits before it looks for itself, where the service cannot.
    private static let ownPause = Duration.seconds(5)

    init(_ store: any Store) {
        work.withLock { $0 = Task { [weak self] in await Self.follow(store) { [weak self] in self } } }
    }

    deinit { work.withLock { $0?.cancel() } }

    /// Ends all waits.
    func close() async {
        let task = work.withLock { $0 }
        task?.cancel()
        await task?.value
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { for scope in state.watches.keys { state.watches[scope]?.waiters = [:] } }
            return state.watches.values.flatMap { $0.waiters.values }
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// The head of a scope, once it is another one than the device knows, or when the time is over.
    func head(
        of scope: StoreScope?, after known: Int64, waiting patience: Duration,
        _ read: () async throws -> Int64
    ) async throws -> Int64 {
        let deadline = ContinuousClock.now + patience
        // News between a look and the wait after it are not missed.
        state.withLock { $0.watches[scope, default: Watch(scope)].watchers += 1 }
        defer {
            state.withLock { state in
                state.watches[scope]?.watchers -= 1
                if state.watches[scope]?.watchers == 0 { state.watches[scope] = nil }
            }
        }
        while true {
            let (news, isBlind) = state.withLock {
                ($0.watches[scope]?.news ?? 0, $0.isBlind && scope != nil)
            }
            let head = try await read()
            guard head == known, ContinuousClock.now < deadline, !state.withLock(\.isClosed) else {
                return head
            }
            await wait(for: scope, news, until: isBlind ? min(deadline, .now + Self.ownPause) : deadline)
            try Task.checkCancellation()
        }
    }

    private func wait(for scope: StoreScope?, _ news: Int, until deadline: ContinuousClock.Instant) async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isClosed, state.watches[scope]?.news == news, !Task.isCancelled else {
                        return true
                    }
                    state.watches[scope]?.waiters[id] = Waiter(deadline: deadline, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watches[scope]?.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    /// Wakes those who wait for news of a scope, here and in the other services of the store.
    func announce(_ scope: StoreScope?, through store: any Store) async {
        wake([scope])
        if let scope { try? await store.commits.scopeChannel?.tell(of: [scope]) }
    }

    private func wake(_ scopes: some Sequence<StoreScope?>) {
        let waiters = state.withLock { state in
            var waiters: [Waiter] = []
            for scope in scopes {
                waiters += state.watches[scope]?.waiters.values.map(\.self) ?? []
                state.watches[scope]?.waiters = [:]
                state.watches[scope]?.news += 1
            }
            return waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    private func wake(_ marks: Set<ScopeMark>) {
        let scopes = state.withLock { state in
            state.watches.filter { $0.value.mark.map { marks.contains($0) } ?? false }.map(\.key)
        }
        wake(scopes)
    }

    private func wakeAll() { wake(state.withLock { Array($0.watches.keys) }) }

    /// Wakes those whose time is over.
    private func wakeLate() {
        let now = ContinuousClock.now
        let late = state.withLock { state in
            var late: [Waiter] = []
            for (scope, watch) in state.watches {
                for (id, waiter) in watch.waiters where waiter.deadline <= now {
                    late.append(waiter)
                    state.watches[scope]?.waiters[id] = nil
                }
            }
            return late
        }
        for waiter in late { waiter.continuation.resume() }
    }

    private var watchedScopes: [StoreScope] { state.withLock { $0.watches.keys.compactMap(\.self) } }

    // MARK: The store

    private static func follow(_ store: any Store, _ watch: @escaping @Sendable () -> HeadWatch?) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                let follower = CommitFollower(followsOthers: true)
                store.commits.add(follower)
                defer { follower.leave() }
                // Where that is not possible, the looks below find what others commit.
                try? await store.commits.watchOthers()
                while let news = await follower.next() {
                    if news.includesOthers { watch()?.wakeAll() } else { watch()?.wake(news.scopes) }
                }
            }
            group.addTask {
                let follower = CommitFollower(followsOthers: false)
                store.commits.add(follower)
                defer { follower.leave() }
                while let news = await follower.next() {
                    let scopes = Set(news.scopes.compactMap(\.self))
                    // Those who are not told will look.
                    if !scopes.isEmpty { try? await store.commits.scopeChannel?.tell(of: scopes) }
                }
            }
            group.addTask {
                var looks = Looks()
                var pause = Self.pauses.lowerBound
                var heard: (feed: CommitFeed, listener: (any Sendable & AnyObject)?)?
                while (try? await Task.sleep(for: pause, clock: .continuous)) != nil {
                    let feed = store.commits
                    if heard?.feed !== feed {
                        heard = (feed, try? await feed.scopeChannel?.listen { watch()?.wake($0) })
                    }
                    guard let watch = watch() else { return }
                    watch.wakeLate()
                    let start = ContinuousClock.now
                    let scopes = looks.scopes(watch.watchedScopes)
                    // While the store cannot be read, nothing is known; the next look tells.
                    if !scopes.isEmpty, let found = try? await Self.heads(of: store, scopes) {
                        watch.state.withLock { $0.isBlind = found.values.allSatisfy { $0 == nil } }
                        watch.wake(looks.news(found).map { $0 })
                    }
                    let time = start.duration(to: .now)
                    pause = max(time, min(max(Self.pauses.lowerBound, time * 10), Self.pauses.upperBound))
                }
            }
        }
    }

    /// The ends of the histories of some scopes; nil where one is hidden.
    private static func heads(
        of store: any Store, _ scopes: Set<StoreScope>
    ) async throws -> [StoreScope: Int64?] {
        try await store.read { tx in
            let heads = try tx.driver.maintenance.heads(of: scopes).map { ($0.scope, $0.lastOfHistory) }
            return Dictionary(heads) { $1 }
        }
    }

    /// What looks at the ends of histories have found.
    ///
    /// A device that has been answered soon waits again: what is committed in between is news to it, so its scope is looked at for
    /// some time more.
    private struct Looks {
        private var heads: [StoreScope: Int64?] = [:]
        private var lastWaits: [StoreScope: ContinuousClock.Instant] = [:]
        private static let memory = Duration.seconds(60)

        /// The scopes to look at: those that somebody waits for news of, and those of a short time ago.
        mutating func scopes(_ watched: [StoreScope]) -> Set<StoreScope> {
            let now = ContinuousClock.now
            for scope in watched { lastWaits[scope] = now }
            lastWaits = lastWaits.filter { $0.value + Self.memory > now }
            heads = heads.filter { lastWaits[$0.key] != nil }
            return Set(lastWaits.keys)
        }

        /// The scopes with another head than at the look before, and those that were not looked at then.
        mutating func news(_ found: [StoreScope: Int64?]) -> Set<StoreScope> {
            defer { heads.merge(found) { $1 } }
            return Set(found.filter { heads[$0.key] != $0.value }.keys)
        }
    }
}
