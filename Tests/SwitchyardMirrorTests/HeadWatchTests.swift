import SwitchyardCore
import Synchronization
import TestBackends
import Testing

@testable import SwitchyardMirrorService

/// The way between two services of one store, without a server.
private final class TestChannel: ScopeChannel {
    private final class Listener: Sendable {
        let body: @Sendable (Set<ScopeMark>) -> Void
        init(_ body: @escaping @Sendable (Set<ScopeMark>) -> Void) { self.body = body }
    }

    let told = AsyncStream.makeStream(of: Set<StoreScope>.self)
    let listening = AsyncStream.makeStream(of: Void.self)
    private let listener = Mutex<Listener?>(nil)

    func tell(of scopes: Set<StoreScope>) async throws { told.continuation.yield(scopes) }

    func listen(
        _ body: @escaping @Sendable (Set<ScopeMark>) -> Void
    ) async throws -> any Sendable & AnyObject {
        let new = Listener(body)
        listener.withLock { $0 = new }
        listening.continuation.yield()
        return new
    }

    /// Does as if another service told of a scope.
    func hear(_ scope: StoreScope) { listener.withLock(\.self)?.body([ScopeMark(scope)]) }
}

/// A store that others serve as well.
private struct ServedStore: WrappingStore {
    let base: any Store
    let commits: CommitFeed

    init(_ base: any Store, _ channel: TestChannel) {
        self.base = base
        commits = CommitFeed(watchingOthers: { _ in nil }, tellingBy: channel)
    }
}

@Suite("News of a household", .timeLimit(.minutes(1)))
struct HeadWatchTests {
    private func withWatch(
        _ body: (HeadWatch, ServedStore, TestChannel) async throws -> Void
    ) async throws {
        let options = OpenOptions(scope: .unused)
        try await TestBackend.sqlite.withStore(try HouseholdTests.schema.get(), options: options) { base in
            let channel = TestChannel()
            let store = ServedStore(base, channel)
            let watch = HeadWatch(store)
            var listening = channel.listening.stream.makeAsyncIterator()
            await listening.next()
            try await body(watch, store, channel)
            await watch.close()
        }
    }

    /// What another service has committed.
    private final class Commit: Sendable {
        let isThere = Atomic(false)
    }

    @Test("a device that waits looks again as soon as another service tells of its scope")
    func hearing() async throws {
        try await withWatch { watch, store, channel in
            let (scope, other) = (StoreScope(), StoreScope())
            try await store.keepHistory()
            _ = try await store.write(WriteOptions(scope: scope)) {
                try $0.insertRows(into: "Feed", [[.uuid(UUIDv7.next()), .int(90), .null]])
            }
            let (asked, commit) = (AsyncStream.makeStream(of: Void.self), Commit())
            async let head = watch.head(of: scope, after: 7, waiting: .seconds(600)) {
                asked.continuation.yield()
                return commit.isThere.load(ordering: .sequentiallyConsistent) ? 8 : 7
            }
            // Its own look, and one when the service has looked at the store for the first time, and found this history.
            var looks = asked.stream.makeAsyncIterator()
            await looks.next()
            await looks.next()
            commit.isThere.store(true, ordering: .sequentiallyConsistent)
            channel.hear(other)
            channel.hear(scope)
            #expect(try await head == 8)
        }
    }

    @Test("a service tells the others of its commits and of its members")
    func telling() async throws {
        try await withWatch { watch, store, channel in
            let (scope, other) = (StoreScope(), StoreScope())
            var told = channel.told.stream.makeAsyncIterator()
            store.commits.announce(["Feed"], in: scope)
            #expect(await told.next() == [scope])
            await watch.announce(other, through: store)
            #expect(await told.next() == [other])
        }
    }
}
