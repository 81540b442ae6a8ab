import BabyMonitorKit
import Foundation
import GRDB
import SQLiteRelocation
import SQLiteStore
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("Files of mirrored stores")
struct MirrorFileTests {
    /// A directory that is removed with the test.
    private final class Directory {
        let path: String

        init() throws {
            let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            path = temporary.appending(path: "mirror-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ name: String) -> String { path + "/" + name }
    }

    private static func open(_ path: String, _ options: OpenOptions = OpenOptions()) async throws -> any Store
    {
        try await PluginRegistry([SQLitePlugin.self]).open(
            url: "sqlite:" + path, schema: try Nursery1.schema, options: options)
    }

    private static func add(_ amount: Int, to store: any Store) async throws {
        try await store.write { _ = try $0.insert(Nursery1.Feed(amount: amount)) }
    }

    private static func amounts(_ store: any Store) async throws -> [Int] {
        try await store.read { try $0.fetch(Nursery1.Feed.sorted(by: \.amount), \.amount) }
    }

    @Test("a file that was moved goes on with what it had not sent")
    func relocation() async throws {
        let directory = try Directory()
        try await TestBackend.withNursery(.sqlite) { server, second, _ in
            let other = try await MirrorSession.begin(second, server)
            let (old, new) = (directory.file("old.sqlite"), directory.path + "/group/new.sqlite")
            try await Self.open(old).closing { first in
                _ = try await MirrorSession.begin(first, server)
                try await Self.add(1, to: first)
                try await first.seal()
                try await Self.add(2, to: first)
            }
            try await StoreRelocation(from: old, to: new).run()
            try await Self.open(new, OpenOptions(createsIfMissing: false)).closing { first in
                let session = try await MirrorSession.begin(first, server)
                try await Self.add(3, to: second)
                try await settle(session, other)
                #expect(try await Self.amounts(server) == [1, 2, 3])
                try await expectEqual(["Feed"], server, first, second)
                #expect(
                    try await server.transactions(from: try await first.marker().storeID).map(\.changes.count)
                        == [1, 1])
            }
        }
    }

    @Test("a store that is restored from a backup takes what it has missed, and does nothing twice")
    func backup() async throws {
        let directory = try Directory()
        try await TestBackend.withNursery(.sqlite) { server, second, _ in
            let other = try await MirrorSession.begin(second, server)
            let (file, backup) = (directory.file("store.sqlite"), directory.file("backup.sqlite"))
            try await Self.open(file).closing { first in
                _ = try await MirrorSession.begin(first, server)
                try await Self.add(1, to: first)
                try await first.seal()
                try await Self.add(2, to: first)
            }
            try FileManager.default.copyItem(atPath: file, toPath: backup)
            try await Self.open(file).closing { first in
                _ = try await MirrorSession.begin(first, server)
                try await Self.add(3, to: first)
                _ = try await MirrorSession.begin(first, server)
            }
            // What both had not sent when the backup was made is deleted meanwhile, and does not come back.
            try await other.exchange()
            try await second.write { _ = try $0.delete(Nursery1.Feed.where(#Predicate { $0.amount == 1 })) }
            try await other.exchange()
            try await Self.open(backup).closing { restored in
                let session = try await MirrorSession.begin(restored, server)
                try await Self.add(4, to: restored)
                try await settle(session, other)
                #expect(try await Self.amounts(server) == [2, 3, 4])
                try await expectEqual(["Feed"], server, restored, second)
            }
        }
    }

    @Test("a server that has lost everything is given the household's rows, and takes none from the devices")
    func emptyServer() async throws {
        let directory = try Directory()
        let (file, backup) = (directory.file("server.sqlite"), directory.file("empty.sqlite"))
        try await TestBackend.withNursery(.sqlite) { _, first, second in
            try await Self.open(file).closing { server in
                _ = try await StoreRemote(server).connect(expecting: nil)
            }
            try FileManager.default.copyItem(atPath: file, toPath: backup)
            try await Self.add(1, to: first)
            try await Self.open(file).closing { server in
                let one = try await MirrorSession.begin(first, server)
                // The other has never been at the place to which the server goes back.
                let other = try await MirrorSession.begin(second, server)
                try await Self.add(2, to: second)
                try await settle(one, other)
                try await expectEqual(["Feed"], server, first, second)
            }
            try await Self.open(backup).closing { server in
                #expect(try await Self.amounts(server).isEmpty)
                let other = try await MirrorSession.begin(second, server)
                #expect(try await Self.amounts(second) == [1, 2])
                try await settle(other, try await MirrorSession.begin(first, server))
                #expect(try await Self.amounts(server) == [1, 2])
                try await expectEqual(["Feed"], server, first, second)
            }
        }
    }

    @Test("two files of one identity are two devices")
    func copies() async throws {
        let directory = try Directory()
        try await TestBackend.withNursery(.sqlite) { server, _, _ in
            let (file, copy) = (directory.file("store.sqlite"), directory.file("copy.sqlite"))
            try await Self.open(file).closing { first in
                _ = try await MirrorSession.begin(first, server)
                try await Self.add(1, to: first)
            }
            try FileManager.default.copyItem(atPath: file, toPath: copy)
            let (first, twin) = try await (Self.open(file), Self.open(copy))
            #expect(try await first.marker().storeID == twin.marker().storeID)
            let sessions = try await (
                MirrorSession.begin(first, server), MirrorSession.begin(twin, server)
            )
            for number in 1...3 {
                try await Self.add(10 * number, to: first)
                try await Self.add(10 * number + 1, to: twin)
                try await settle(sessions.0, sessions.1)
            }
            #expect(try await Self.amounts(server) == [1, 10, 11, 20, 21, 30, 31])
            try await expectEqual(["Feed"], server, first, twin)
            try await first.close()
            try await twin.close()
        }
    }

    @Test("a store that cannot be written, or is not the one to use, is no mirror, and says so")
    func refusals() async throws {
        let directory = try Directory()
        let file = directory.file("store.sqlite")
        try await TestBackend.withNursery(.sqlite) { server, scoped, _ in
            func expectError(_ code: StoreError.Code, _ body: () async throws -> Void) async throws {
                let error = await #expect(throws: StoreError.self) { try await body() }
                #expect(error?.code == code)
            }
            try await Self.open(file).closing { try await Self.add(1, to: $0) }
            let readOnly = OpenOptions(access: .readOnly, createsIfMissing: false)
            try await Self.open(file, readOnly).closing { store in
                try await expectError(.readOnly) { _ = try await MirrorSession.begin(store, server) }
                #expect(try await store.marker().mirror == nil)
            }
            try await Self.open(file).closing { first in
                // A history is begun with the mirror, and has what was there before.
                #expect(try await first.marker().history == nil)
                let session = try await MirrorSession.begin(first, server)
                #expect(try await Self.amounts(server) == [1])
                try await Self.add(2, to: first)
                try await Self.open(file, readOnly).closing { store in
                    try await expectError(.readOnly) { _ = try await MirrorSession.begin(store, server) }
                }
                try await expectError(.invalidArgument) { try await first.stopHistory() }
                try await first.changeRole(to: .superseded, successor: "sqlite:/elsewhere")
                try await expectError(.outOfService) { try await session.exchange() }
                #expect(try await Self.amounts(server) == [1])
            }
        }
    }

    @Test(
        "a household that the server does not have is refused, and nothing is lost",
        arguments: TestBackend.shared)
    func scopes(backend: TestBackend) async throws {
        try await TestBackend.withNursery(backend) { server, first, second in
            try await Self.add(1, to: first)
            await #expect {
                let remote = StoreRemote(server, scope: StoreScope())
                try await MirrorSession.open(first, remote: remote, name: nil).exchange()
            } throws: {
                ($0 as? StoreError)?.code == .scopeMismatch
            }
            #expect(try await Self.amounts(first) == [1])
            #expect(try await Self.amounts(server).isEmpty)
        }
    }

    @Test("a file of a release that knew no mirror becomes one")
    func earlier() async throws {
        let directory = try Directory()
        let file = directory.file("store.sqlite")
        try await TestBackend.withNursery(.sqlite) { server, _, _ in
            try await Self.open(file).closing { try await Self.add(1, to: $0) }
            let queue = try DatabaseQueue(path: file)
            try await queue.write { try $0.execute(sql: "DROP TABLE switchyard_mirror") }
            try queue.close()
            try await Self.open(file).closing { first in
                let session = try await MirrorSession.begin(first, server)
                try await Self.add(2, to: first)
                try await session.exchange()
                #expect(try await Self.amounts(server) == [1, 2])
            }
        }
    }

    // MARK: The same file on two devices

    @Test(
        "the same file of events, imported by two devices, adds nothing twice",
        arguments: TestBackend.available)
    func imports(backend: TestBackend) async throws {
        let lines = (0..<600).map { number in
            "\(number % 3 == 0 ? "Mia" : "Ben"),2025-11-\(10 + number / 60)T\(10 + number % 12):00:00.\(100 + number)Z,\(number),mL,breastFeed"
        }
        let text = (["babyName,timestamp,amountValue,amountUnit,feedType"] + lines).joined(separator: "\n")
        let schema = try BabyMonitorSchema.schema
        let options = OpenOptions(keepsHistory: true)
        try await backend.withStore(schema, options: options) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    for (day, device) in [first, second].enumerated() {
                        let report = try await HistoryCSVService(
                            store: device,
                            now: { Date(timeIntervalSince1970: Double(1_762_000_000 + 86_400 * day)) }
                        ).importFile(
                            .feeds, from: .bytes(Array(text.utf8)),
                            options: ImportOptions(createsBabies: true))
                        #expect(report.insertedFeeds == 600)
                        #expect(report.createdBabies == 2)
                    }
                    let sessions = try await (
                        MirrorSession.begin(first, server), MirrorSession.begin(second, server)
                    )
                    try await settle(sessions.0, sessions.1)
                    #expect(try await server.rows(of: "FeedSession").count == 600)
                    #expect(try await server.rows(of: "BabyProfile").count == 2)
                    try await expectEqual(["FeedSession", "BabyProfile"], server, first, second)
                }
            }
        }
    }
}
