import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import SwitchyardTransfer
import TestBackends
import Testing

@Suite("A mirrored store that is switched")
struct MirrorSwitchTests {
    private static let pairs = TestBackend.available.flatMap { from in
        TestBackend.available.map { (from, $0) }
    }

    /// Lends two places for stores of the first version.
    private static func withPlaces(
        _ from: TestBackend, _ to: TestBackend, _ body: (StorePlace, StorePlace) async throws -> Void
    ) async throws {
        let schema = try Nursery1.schema
        try await from.withPlace(of: schema) { old in
            try await to.withPlace(of: schema) { new in try await body(old, new) }
        }
    }

    private static func rename(_ store: any Store, to name: String) async throws {
        try await store.write { _ = try $0.update(Nursery1.Baby.all, set: [.set(\.name, to: name)]) }
    }

    private static func names(_ store: any Store) async throws -> [String] {
        try await store.read { try $0.fetch(Nursery1.Baby.sorted(by: \.weight), \.name) }
    }

    @Test(
        "a device's store takes what it has not sent to the new place, and goes on from there",
        arguments: pairs)
    func device(from: TestBackend, to: TestBackend) async throws {
        try await TestBackend.withNursery(.sqlite) { server, second, _ in
            try await Self.withPlaces(from, to) { old, new in
                let before = try await old.open(OpenOptions()).closing { first in
                    try await first.write { _ = try $0.insert(Nursery1.Baby(name: "Mia", weight: 1)) }
                    _ = try await MirrorSession.begin(first, server)
                    try await Self.rename(first, to: "Ann")
                    try await first.seal()
                    try await Self.rename(first, to: "Eve")
                    let records = try await first.mirrorRecords()
                    #expect(Set(records.map { $0[1] }).count > 2)
                    return (try await first.marker(), records, try await first.read { try $0.history() })
                }
                try await StoreSwitch(from: old, to: new).run()
                try await new.open(OpenOptions()).closing { first in
                    let marker = try await first.marker()
                    #expect(marker.mirror == before.0.mirror)
                    #expect(marker.storeID == before.0.storeID)
                    #expect(try await first.mirrorRecords() == before.1)
                    #expect(try await first.read { try $0.history() }.map(\.id) == before.2.map(\.id))
                    let other = try await MirrorSession.begin(second, server)
                    let session = try await MirrorSession.begin(first, server)
                    // The row that it joined with, and what was sealed and not sealed when it was switched.
                    let sent = try await server.transactions(from: marker.storeID).map(\.id)
                    #expect(sent.count == 3)
                    #expect(sent.suffix(2) == before.2.suffix(2).map(\.id)[...])
                    try await other.exchange()
                    #expect(try await Self.names(second) == ["Eve"])
                    // It can be undone there as before.
                    try await first.undoLast()
                    try await settle(session, other)
                    #expect(try await Self.names(second) == ["Ann"])
                    try await expectEqual(["Baby"], server, first, second)
                }
            }
        }
    }

    @Test("what a device writes and receives during its switch is neither lost nor doubled")
    func live() async throws {
        try await TestBackend.withNursery(.sqlite) { server, second, _ in
            try await Self.withPlaces(.sqlite, .sqlite) { old, new in
                let first = try await old.open(OpenOptions())
                try await first.write { tx in
                    for number in 0..<2_000 { _ = try tx.insert(Nursery1.Feed(amount: number)) }
                }
                let session = try await MirrorSession.begin(first, server)
                let other = try await MirrorSession.begin(second, server)
                async let report = StoreSwitch(from: old, to: new).run()
                var written: [Nursery1.Baby] = []
                do {
                    while true {
                        let baby = Nursery1.Baby(name: "B\(written.count)", weight: written.count)
                        try await first.write { _ = try $0.insert(baby) }
                        written.append(baby)
                        if written.count % 3 == 0 {
                            let number = written.count
                            try await second.write { _ = try $0.insert(Nursery1.Feed(amount: -number)) }
                            try await other.exchange()
                            try await session.exchange()
                        }
                    }
                } catch let error as StoreError where error.code == .outOfService {
                    // The data is elsewhere from now on.
                }
                _ = try await report
                try await first.close()
                try await new.open(OpenOptions()).closing { first in
                    let session = try await MirrorSession.begin(first, server)
                    try await settle(session, other)
                    try await expectEqual(["Baby", "Feed"], server, first, second)
                    #expect(try await Self.names(server) == written.map(\.name))
                    #expect(!written.isEmpty)
                    let ids = try await server.transactions(from: try await first.marker().storeID).map(\.id)
                    #expect(Set(ids).count == ids.count)
                    #expect(try await first.pending() == 0)
                }
            }
        }
    }

    @Test("a server's store takes its history along, so that its devices go on", arguments: pairs)
    func server(from: TestBackend, to: TestBackend) async throws {
        try await TestBackend.withNursery(.sqlite) { first, second, _ in
            try await Self.withPlaces(from, to) { old, new in
                let (mutation, head) = try await old.open(OpenOptions(keepsHistory: true)).closing { server in
                    try await server.setMirrorRole(.server)
                    try await server.write { _ = try $0.insert(Nursery1.Baby(name: "Mia", weight: 1)) }
                    let sessions = try await (
                        MirrorSession.begin(first, server), MirrorSession.begin(second, server)
                    )
                    try await Self.rename(first, to: "Ann")
                    try await first.seal()
                    let mutation = try await first.write { tx in
                        try LocalMirror(tx, server: UUID()).pending()[0]
                    }
                    try await settle(sessions.0, sessions.1)
                    try await Self.rename(second, to: "Eve")
                    try await settle(sessions.0, sessions.1)
                    return (mutation, try await server.read { try $0.historyToken() })
                }
                try await StoreSwitch(from: old, to: new).run()
                try await new.open(OpenOptions()).closing { server in
                    #expect(try await server.marker().mirror == .server)
                    #expect(try await server.read { try $0.historyToken() } == head)
                    // A device that never learnt that its mutation was carried out sends it again.
                    try await first.write { try LocalMirror($0, server: UUID()).seal([mutation]) }
                    let sessions = try await (
                        MirrorSession.begin(first, server), MirrorSession.begin(second, server)
                    )
                    try await settle(sessions.0, sessions.1)
                    #expect(try await Self.names(server) == ["Eve"])
                    #expect(try await server.read { try $0.historyToken() } == head)
                    try await Self.rename(first, to: "Zoe")
                    try await settle(sessions.0, sessions.1)
                    #expect(try await Self.names(second) == ["Zoe"])
                    try await expectEqual(["Baby"], server, first, second)
                    #expect(
                        try await server.read { try $0.history(after: head) }.map(\.token.sequence)
                            == [head.sequence + 1])
                }
            }
        }
    }

    @Test("each household's history goes along with a server's store", arguments: TestBackend.shared)
    func scopes(backend: TestBackend) async throws {
        let scopes = [StoreScope(), StoreScope()]
        try await TestBackend.withNursery(.sqlite) { first, second, _ in
            try await Self.withPlaces(backend, backend) { old, new in
                let devices = [(first, scopes[0]), (second, scopes[1])]
                func exchange(_ server: any Store) async throws {
                    for (device, scope) in devices {
                        let remote = StoreRemote(server, scope: scope)
                        try await MirrorSession.open(device, remote: remote, name: nil).exchange()
                    }
                }
                let options = OpenOptions(scope: scopes[0], keepsHistory: true)
                let heads = try await old.open(options).closing { server in
                    try await server.setMirrorRole(.server)
                    for (number, (device, _)) in devices.enumerated() {
                        try await device.write {
                            _ = try $0.insert(Nursery1.Baby(name: "B\(number)", weight: 1))
                        }
                    }
                    try await exchange(server)
                    for (device, _) in devices { try await Self.rename(device, to: "C") }
                    try await exchange(server)
                    return try await Self.heads(server, scopes)
                }
                try await StoreSwitch(from: old, to: new).run()
                try await new.open(options).closing { server in
                    #expect(try await Self.heads(server, scopes) == heads)
                    for (device, _) in devices { try await Self.rename(device, to: "D") }
                    try await exchange(server)
                    for (device, scope) in devices {
                        let rows = try await server.read(ReadOptions(scopes: [scope])) {
                            try $0.fetchRows(of: "Baby", sortedBy: [SortKey("id")])
                        }
                        #expect(try await device.rows(of: "Baby") == rows)
                        #expect(rows.count == 1)
                    }
                    #expect(
                        try await Self.heads(server, scopes).map(\.sequence) == heads.map { $0.sequence + 1 })
                }
            }
        }
    }

    private static func heads(_ store: any Store, _ scopes: [StoreScope]) async throws -> [HistoryToken] {
        var heads: [HistoryToken] = []
        for scope in scopes {
            heads.append(try await store.read(ReadOptions(scopes: [scope])) { try $0.historyToken() })
        }
        return heads
    }

    @Test("a store that is not mirrored begins a new history, as ever")
    func unmirrored() async throws {
        try await Self.withPlaces(.sqlite, .memory) { old, new in
            try await old.open(OpenOptions(keepsHistory: true)).closing { store in
                try await store.write { _ = try $0.insert(Nursery1.Baby(name: "Mia", weight: 1)) }
            }
            try await StoreSwitch(from: old, to: new).run()
            try await new.open(OpenOptions()).closing { store in
                let (history, marker) = try await (store.read { try $0.history() }, store.marker())
                #expect(history.isEmpty)
                #expect(marker.history?.era == 2)
            }
        }
    }
}
