import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("Live queries of mirrored stores")
struct MirrorLiveTests {
    private static func amounts(_ tx: ReadTransaction) throws -> [Int] {
        try tx.fetch(Nursery1.Feed.sorted(by: \.amount), \.amount)
    }

    private static func add(_ amount: Int, to store: any Store) async throws {
        try await store.write { _ = try $0.insert(Nursery1.Feed(amount: amount)) }
    }

    @Test(
        "a query is told what another device has sent, on the server and on this device",
        arguments: TestBackend.available)
    func arrivals(backend: TestBackend) async throws {
        try await TestBackend.withNursery(backend) { server, first, second in
            let sessions = try await (
                MirrorSession.begin(first, server), MirrorSession.begin(second, server)
            )
            var onServer = server.observe(Self.amounts).makeAsyncIterator()
            var onSecond = second.observe(Self.amounts).makeAsyncIterator()
            #expect(try await onServer.next() == [])
            #expect(try await onSecond.next() == [])
            try await Self.add(90, to: first)
            try await sessions.0.exchange()
            #expect(try await onServer.next() == [90])
            try await sessions.1.exchange()
            #expect(try await onSecond.next() == [90])
        }
    }

    @Test("what a widget or a command writes to the file alone is sent, and what arrives is told to it")
    func others() async throws {
        try await TestBackend.sqlite.withPlace { open in
            try await TestBackend.withNursery(.sqlite) { server, second, _ in
                let app = try await open(try Nursery1.schema, OpenOptions())
                let session = try await MirrorSession.begin(app, server)
                let other = try await MirrorSession.begin(second, server)
                let widget = try await open(try Nursery1.schema, OpenOptions(author: "widget"))
                try await Self.add(1, to: widget)
                try await settle(session, other)
                #expect(try await second.read(Self.amounts) == [1])
                let sent = try await server.transactions(from: try await app.marker().storeID)
                #expect(sent.map(\.author) == ["widget"])
                var onWidget = widget.observe(Self.amounts).makeAsyncIterator()
                #expect(try await onWidget.next() == [1])
                try await Self.add(2, to: second)
                try await settle(other, session)
                #expect(try await onWidget.next() == [1, 2])
                try await widget.close()
                try await app.close()
            }
        }
    }

    @Test("a follower of one scope is not told what is written to another", arguments: TestBackend.shared)
    func scopes(backend: TestBackend) async throws {
        let (mine, theirs) = (StoreScope(), StoreScope())
        let options = OpenOptions(scope: mine, keepsHistory: true)
        try await backend.withStore(try Nursery1.schema, options: options) { store in
            func write(_ scope: StoreScope, _ body: @escaping @Sendable (WriteTransaction) throws -> Void)
                async throws
            {
                try await store.write(WriteOptions(scope: scope)) { try body($0) }
            }
            for includesOthers in [false, true] {
                var all = store.changes(includingOthers: false).makeAsyncIterator()
                var one = store.changes(includingOthers: includesOthers, in: mine).makeAsyncIterator()
                try await one.begin()
                try await write(theirs) { _ = try $0.insert(Nursery1.Feed(amount: 1)) }
                try await write(mine) { _ = try $0.insert(Nursery1.Baby(name: "Mia", weight: 1)) }
                #expect(try await one.next()?.entities == ["Baby"])
                #expect(try await all.next()?.entities == ["Baby", "Feed"])
            }
            var other = store.changes(in: theirs).makeAsyncIterator()
            try await other.begin()
            try await write(mine) { _ = try $0.insert(Nursery1.Baby(name: "Ann", weight: 1)) }
            try await write(theirs) { _ = try $0.insert(Nursery1.Feed(amount: 2)) }
            #expect(try await other.next()?.entities == ["Feed"])
        }
    }
}
