import SwitchyardCore
import Synchronization
import Testing

@testable import SwitchyardStore

@Suite("Announcements of commits")
struct CommitFeedTests {
    /// Commits of others, which come when a test wants them.
    private final class Others: Sendable {
        private let body = Mutex<(@Sendable () -> Void)?>(nil)

        func watch(_ body: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
            self.body.withLock { $0 = body }
            return nil
        }

        func commit() { body.withLock(\.self)?() }
    }

    @Test("a feed reports the store's own changes, even if others commit before anybody looks")
    func both() async throws {
        let others = Others()
        let feed = CommitFeed { others.watch($0) }
        let follower = CommitFollower(followsOthers: true)
        feed.add(follower)
        try await feed.watchOthers()
        feed.announce(["Feed"])
        others.commit()
        feed.announce(["Baby"])
        let news = try #require(await follower.next())
        #expect(news.entities == ["Feed", "Baby"])
        #expect(news.includesOthers)
        feed.announce(["Baby"])
        #expect(await follower.next()?.includesOthers == false)
    }

    @Test("a follower of own commits hears nothing of others")
    func ownOnly() async throws {
        let others = Others()
        let feed = CommitFeed { others.watch($0) }
        let (follower, all) = (CommitFollower(followsOthers: false), CommitFollower(followsOthers: true))
        feed.add(follower)
        feed.add(all)
        try await feed.watchOthers()
        others.commit()
        feed.announce(["Baby"])
        let news = try #require(await follower.next())
        #expect(news.entities == ["Baby"])
        #expect(!news.includesOthers)
        #expect(await all.next()?.includesOthers == true)
    }

    @Test("others' commits are no longer watched once the feed is closed or redirected")
    func ended() async throws {
        let isWatched = Mutex(false)
        let (closed, left) = (
            CommitFeed { _ in
                isWatched.withLock { $0 = true }
                return nil
            },
            CommitFeed { _ in
                isWatched.withLock { $0 = true }
                return nil
            }
        )
        closed.close()
        left.move(to: CommitFeed())
        for feed in [closed, left] {
            let error = await #expect(throws: StoreError.self) { try await feed.watchOthers() }
            #expect(error?.code == .closed)
        }
        let hasBeenWatched = isWatched.withLock { $0 }
        #expect(!hasBeenWatched)
    }

    @Test("no feed keeps a follower that has left, wherever it is redirected", arguments: [true, false])
    func left(isMovedFirst: Bool) {
        let (feed, successor) = (CommitFeed(), CommitFeed())
        let follower = CommitFollower(followsOthers: false)
        feed.add(follower)
        if isMovedFirst {
            feed.move(to: successor)
            #expect(successor.isFollowed)
            follower.leave()
        } else {
            follower.leave()
            feed.move(to: successor)
            successor.add(follower)
        }
        #expect(!feed.isFollowed)
        #expect(!successor.isFollowed)
    }
}
