import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

/// A server that was restored from a backup, and devices that know what it has lost.
@Suite("Restored server")
struct RestoredServerTests {
    private static let entities = ["Baby", "Feed"]

    /// Lends a server's place, whose file is to be copied while nobody has it open, and two devices.
    private static func withServer(
        _ body: (_ server: StorePlace, _ first: any Store, _ second: any Store) async throws -> Void
    ) async throws {
        let schema = try Nursery1.schema
        try await TestBackend.sqlite.withPlace(of: schema) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    try await body(server, first, second)
                }
            }
        }
    }

    private static func weights(_ store: any Store) async throws -> [String: Int] {
        let babies = try await store.read { try $0.fetch(Nursery1.Baby.all) }
        return Dictionary(uniqueKeysWithValues: babies.map { ($0.name, $0.weight) })
    }

    @Test("a device that joined after the backup gives back what it has, and takes what was deleted before")
    func joinedLater() async throws {
        try await Self.withServer { place, first, second in
            let options = OpenOptions(keepsHistory: true)
            let babies = ["Ann", "Eve", "Mia"].map { Nursery1.Baby(name: $0, weight: 1) }
            let file = try await place.open(options).closing { server in
                try await first.write { _ = try $0.insert(contentsOf: babies) }
                let session = try await MirrorSession.begin(first, server)
                try await first.write { _ = try $0.update(babies[0].with(weight: 2)) }
                try await session.exchange()
                return server.info.location
            }
            let backup = try Data(contentsOf: URL(filePath: file))
            try await place.open(options).closing { server in
                try await first.write { tx in
                    _ = try tx.update(babies[0].with(weight: 3))
                    _ = try tx.insert(Nursery1.Baby(name: "Zoe", weight: 4))
                    _ = try tx.delete(babies[2])
                }
                _ = try await MirrorSession.begin(first, server)
                _ = try await MirrorSession.begin(second, server)
            }
            try backup.write(to: URL(filePath: file))
            try await place.open(options).closing { server in
                let session = try await MirrorSession.begin(second, server)
                // Nobody has told the second device that there was a Mia.
                #expect(try await Self.weights(server) == ["Ann": 3, "Eve": 1, "Mia": 1, "Zoe": 4])
                try await expectEqual(Self.entities, server, second)
                try await settle(try await MirrorSession.begin(first, server), session)
                #expect(try await Self.weights(server) == ["Ann": 3, "Eve": 1, "Zoe": 4])
                try await expectEqual(Self.entities, server, first, second)
                #expect(try await second.mirrorConflicts() == [])
            }
        }
    }

    @Test("a device whose places are all pruned or lost takes all rows, and goes on from there")
    func nothingInCommon() async throws {
        try await Self.withServer { place, first, second in
            let options = OpenOptions(keepsHistory: true)
            let mia = Nursery1.Baby(name: "Mia", weight: 1)
            let file = try await place.open(options).closing { server in
                try await first.write { _ = try $0.insert(mia) }
                _ = try await MirrorSession.begin(first, server)
                _ = try await MirrorSession.begin(second, server)
                return server.info.location
            }
            let backup = try Data(contentsOf: URL(filePath: file))
            try await place.open(options).closing { server in
                let session = try await MirrorSession.begin(first, server)
                for weight in 2..<10 {
                    try await first.write { _ = try $0.update(mia.with(weight: weight)) }
                    try await session.exchange()
                }
            }
            try backup.write(to: URL(filePath: file))
            try await place.open(options).closing { server in
                for weight in [20, 21, 22] {
                    try await second.write { _ = try $0.update(mia.with(weight: weight)) }
                    _ = try await MirrorSession.begin(second, server)
                }
                #expect(try await server.pruneHistory(keepingLast: 1, leavingConsumersBehind: true) > 0)
                let session = try await MirrorSession.begin(first, server)
                try await expectEqual(Self.entities, server, first)
                try await first.write { _ = try $0.insert(Nursery1.Baby(name: "Zoe", weight: 4)) }
                try await session.exchange()
                #expect(try await Self.weights(server) == ["Mia": 22, "Zoe": 4])
                let (head, id) = (
                    try await server.read { try $0.historyToken().position },
                    try await server.marker().storeID
                )
                #expect(try await first.write { try LocalMirror($0, server: id).cursor() } == head)
            }
        }
    }

    @Test("a value that a restored server does not take back is in the log")
    func overtaken() async throws {
        try await Self.withServer { place, first, second in
            let options = OpenOptions(keepsHistory: true)
            let mia = Nursery1.Baby(name: "Mia", weight: 1)
            let file = try await place.open(options).closing { server in
                try await first.write { _ = try $0.insert(mia) }
                _ = try await MirrorSession.begin(first, server)
                _ = try await MirrorSession.begin(second, server)
                return server.info.location
            }
            let backup = try Data(contentsOf: URL(filePath: file))
            try await place.open(options).closing { server in
                try await first.write { _ = try $0.update(mia.with(weight: 7)) }
                _ = try await MirrorSession.begin(first, server)
            }
            try backup.write(to: URL(filePath: file))
            try await place.open(options).closing { server in
                try await second.write { _ = try $0.update(mia.with(weight: 9)) }
                let session = try await MirrorSession.begin(second, server)
                _ = try await MirrorSession.begin(first, server)
                try await session.exchange()
                #expect(try await Self.weights(server) == ["Mia": 9])
                try await expectEqual(Self.entities, server, first, second)
                let values = try await first.mirrorConflicts().flatMap(\.values)
                #expect(values.map(\.losing) == [.int(7)] && values.map(\.winning) == [.int(9)])
            }
        }
    }
}

extension Nursery1.Baby {
    fileprivate func with(weight: Int) -> Self {
        var baby = self
        baby.weight = weight
        return baby
    }
}
