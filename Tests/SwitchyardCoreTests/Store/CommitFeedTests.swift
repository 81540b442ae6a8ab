import Synchronization
import Testing

@testable import SwitchyardCore

@Suite("What is announced of commits")
struct CommitFeedTests {
    @Test("what this store has changed is told, also if others commit before anybody looks")
    func both() async throws {
        let others = Mutex<(@Sendable () -> Void)?>(nil)
        let feed = CommitFeed { body in
            others.withLock { $0 = body }
            return nil
        }
        let follower = CommitFollower(followsOthers: true)
        feed.add(follower)
        try await feed.watchOthers()
        feed.announce(["Feed"])
        others.withLock(\.self)?()
        feed.announce(["Baby"])
        let news = try #require(await follower.next())
        #expect(news.entities == ["Feed", "Baby"])
        #expect(news.includesOthers)
        feed.announce(["Baby"])
        #expect(await follower.next()?.includesOthers == false)
    }

    @Test("who has left is kept by no feed, wherever it is moved to", arguments: [true, false])
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
