internal import SwitchyardCore
internal import Synchronization

/// What a mirror in the background is told: it exchanges as long as its task runs.
final class MirrorSignals: Sendable {
    struct Signal: OptionSet, Sendable {
        let rawValue: Int
        /// The local store has committed something.
        static let commit = Signal(rawValue: 1)
        /// There may be something new on the server.
        static let news = Signal(rawValue: 2)
        /// The time has come that the engine waits for, or it is to be asked for one.
        static let tick = Signal(rawValue: 4)
        /// The server's news are not followed any more.
        static let unfollowed = Signal(rawValue: 8)
    }

    private let pending = Mutex<Signal>([])
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func raise(_ signal: Signal) {
        pending.withLock { _ = $0.insert(signal) }
        continuation.yield()
    }

    /// Exchanges whenever there is a reason to, until the task is cancelled or the store is closed.
    func exchange(_ local: any Store, _ remote: any MirrorRemote, _ session: MirrorSession) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                // A watch that cannot be had leaves the engine's timer.
                do {
                    var changes = local.changes().makeAsyncIterator()
                    try await changes.begin()
                    self.raise(.commit)
                    while try await changes.next() != nil { self.raise(.commit) }
                } catch {}
            }
            var following: Task<Void, Never>?
            var timer: Task<Void, Never>?
            raise(.news)
            for await _ in stream {
                let signals = pending.withLock { pending in
                    defer { pending = [] }
                    return pending
                }
                if signals.contains(.commit) { await session.handle(.committed) }
                if signals.contains(.news) { await session.handle(.reachable) }
                if signals.contains(.tick) {
                    await session.handle(.tick)
                    await session.keepUp()
                }
                if signals.contains(.unfollowed) { following = nil }
                // A connection that has just ended is not tried again before the engine has reached the server.
                if following == nil, !signals.isDisjoint(with: [.commit, .news, .tick]),
                    await session.isConnected
                {
                    following = Task {
                        do { try await remote.follow { self.raise(.news) } } catch {}
                        self.raise(.unfollowed)
                    }
                }
                timer?.cancel()
                if let alarm = await session.alarm {
                    timer = Task {
                        // A cancelled timer has been replaced by another one.
                        guard (try? await Task.sleep(until: alarm, clock: .continuous)) != nil else { return }
                        self.raise(.tick)
                    }
                }
            }
            following?.cancel()
            timer?.cancel()
            group.cancelAll()
        }
    }
}
