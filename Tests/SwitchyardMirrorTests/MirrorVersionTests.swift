import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("A mirror with devices of several versions")
struct MirrorVersionTests {
    /// The place of a store, to be opened in any version.
    private struct Place {
        let open: TestBackend.Opener

        func opened(version: Int) async throws -> any Store {
            try await plan(version).open(OpenOptions(), status: { _ in }, open)
        }
    }

    private static func plan(_ version: Int) throws -> MigrationPlan {
        try MigrationPlan(PantryPlan.self).upTo(SchemaVersion(version))
    }

    private let jar = Pantry1.Jar(title: "Plum", level: 3)

    /// Lends three places with stores of the first version, which all have a jar and a label.
    private func withPlaces(
        _ backend: TestBackend,
        _ body: (_ server: Place, _ first: Place, _ second: Place) async throws -> Void
    ) async throws {
        try await backend.withPlace { server in
            try await TestBackend.sqlite.withPlace { first in
                try await TestBackend.sqlite.withPlace { second in
                    let places = [Place(open: server), Place(open: first), Place(open: second)]
                    try await Self.opened(1, places[0], 1, places[1], 1, places[2]) { server, first, second in
                        try await server.keepHistory()
                        try await server.write {
                            _ = try $0.insert(jar)
                            _ = try $0.insert(Pantry1.Label(kind: .jam))
                        }
                        try await Self.exchange(first, second, with: server, 1)
                    }
                    try await body(places[0], places[1], places[2])
                }
            }
        }
    }

    /// Opens three places, each in a version, and closes them after the body.
    private static func opened(
        _ serverVersion: Int, _ server: Place, _ firstVersion: Int, _ first: Place, _ secondVersion: Int,
        _ second: Place,
        _ body: (_ server: any Store, _ first: any Store, _ second: any Store) async throws -> Void
    ) async throws {
        try await server.opened(version: serverVersion).closing { server in
            try await first.opened(version: firstVersion).closing { first in
                try await second.opened(version: secondVersion).closing { second in
                    try await body(server, first, second)
                }
            }
        }
    }

    /// Lets each device exchange until nothing is left.
    private static func exchange(_ devices: any Store..., with server: any Store, _ version: Int) async throws
    {
        for device in devices + devices {
            _ = try await MirrorSession.begin(device, server, migratedBy: plan(version))
        }
    }

    private static func expectProblem(
        _ code: StoreError.Code, _ device: any Store, _ server: any Store, _ version: Int,
        at location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(sourceLocation: location) {
            try await exchange(device, with: server, version)
        } throws: {
            ($0 as? StoreError)?.code == code
        }
    }

    private static let entities = ["Rack", "Jar", "Label", "Guest"]

    @Test(
        "devices of two versions write offline, each in its own words, and agree once both are updated",
        arguments: TestBackend.available)
    func both(backend: TestBackend) async throws {
        try await withPlaces(backend) { serverPlace, firstPlace, secondPlace in
            let added = Pantry1.Jar(title: "Pear", kind: .honey)
            try await Self.opened(2, serverPlace, 1, firstPlace, 2, secondPlace) { server, first, second in
                try await first.write {
                    let shelf = Pantry1.Shelf(name: "Top")
                    _ = try $0.insert(shelf)
                    _ = try $0.insert(Pantry1.Jar(id: added.id, shelf: shelf.id, title: "Pear", kind: .honey))
                    _ = try $0.update(
                        Pantry1.Jar.where(#Predicate { $0.title == "Plum" }), set: [.set(\.note, to: "old")])
                }
                try await second.write {
                    _ = try $0.insert(Pantry2.Guest(name: "Ann"))
                    _ = try $0.update(
                        Pantry2.Jar.all,
                        set: [.set(\.kind, to: .syrup), .set(\.grade, to: .syrup), .set(\.isOpen, to: true)])
                }
                try await Self.exchange(first, second, with: server, 2)
                try await expectEqual(Self.entities, server, second)
                #expect(try await server.read { try $0.fetch(Pantry2.Rack.all, \.name) } == ["Top"])
                // What the first device cannot hold, it shows as nil or the default; it has dropped nothing of its own.
                let plum = try #require(
                    try await first.read {
                        try $0.fetch(Pantry1.Jar.where(#Predicate { $0.title == "Plum" }))
                    }.first)
                #expect(plum.kind == nil && plum.grade == .jam && plum.level == 3 && plum.note == "old")
                #expect(try await first.read { try $0.count(Pantry1.Jar.all) } == 2)

                // It sends what it has edited, and nothing of what it shows instead.
                try await first.write {
                    _ = try $0.update(
                        Pantry1.Jar.where(#Predicate { $0.title == "Plum" }),
                        set: [.set(\.title, to: "Prune")])
                }
                try await Self.exchange(first, with: server, 2)
                let prune = try #require(
                    try await server.read {
                        try $0.fetch(Pantry2.Jar.where(#Predicate { $0.name == "Prune" }))
                    }.first)
                #expect(prune.kind == .syrup && prune.grade == .syrup && prune.isOpen && prune.level == 3)

                // An edit over a value that it has not seen wins, and the value is in the log.
                try await first.write {
                    _ = try $0.update(
                        Pantry1.Jar.where(#Predicate { $0.title == "Prune" }), set: [.set(\.kind, to: .honey)]
                    )
                }
                try await Self.exchange(first, second, with: server, 2)
                #expect(
                    try await server.read {
                        try $0.fetch(Pantry2.Jar.where(#Predicate { $0.name == "Prune" }), \.kind)
                    } == [.honey])
                for device in [first, second] {
                    let values = try await device.mirrorConflicts().flatMap(\.values)
                    #expect(values.map(\.attribute) == ["kind"])
                    #expect(values.map(\.losing) == [.text("syrup")])
                }

                // One edit that is sealed, and is not sent before the update; and one that is not sealed.
                try await second.write {
                    _ = try $0.update(
                        Pantry2.Jar.where(#Predicate { $0.name == "Pear" }), set: [.set(\.kind, to: .syrup)])
                }
                try await Self.exchange(second, first, with: server, 2)
                try await first.write {
                    _ = try $0.update(
                        Pantry1.Jar.where(#Predicate { $0.title == "Pear" }),
                        set: [.set(\.title, to: "Quince")])
                }
                try await first.seal()
                try await first.write {
                    _ = try $0.update(
                        Pantry1.Jar.where(#Predicate { $0.title == "Prune" }),
                        set: [.set(\.level, to: 9), .set(\.grade, to: .honey)])
                }
            }
            try await Self.opened(2, serverPlace, 2, firstPlace, 2, secondPlace) { server, first, second in
                // Before it receives what it could not hold.
                try await first.write {
                    _ = try $0.update(
                        Pantry2.Jar.where(#Predicate { $0.name == "Quince" }), set: [.set(\.kind, to: .jam)])
                }
                try await Self.exchange(first, second, with: server, 2)
                try await expectEqual(Self.entities, server, first, second)
                let jars = try await server.read { try $0.fetch(Pantry2.Jar.all.sorted(by: \.name)) }
                #expect(jars.map(\.name) == ["Prune", "Quince"])
                #expect(jars.map(\.level) == [9, 5])
                #expect(jars.map(\.kind) == [.honey, .jam])
                #expect(jars.map(\.grade) == [.honey, .jam])
                #expect(jars.map(\.isOpen) == [true, false])
                // Neither edit has seen the value that it replaced.
                let values = try await first.mirrorConflicts().flatMap(\.values)
                #expect(values.map(\.attribute) == ["kind", "grade", "kind"])
                #expect(values.map(\.losing) == [.text("syrup"), .text("syrup"), .text("syrup")])
                #expect(try await first.pending() == 0)
            }
        }
    }

    @Test("a device joins a server that has a newer version, with rows of its own")
    func joining() async throws {
        try await withPlaces(.sqlite) { serverPlace, firstPlace, _ in
            try await TestBackend.sqlite.withPlace { open in
                let place = Place(open: open)
                try await Self.opened(2, serverPlace, 1, firstPlace, 1, place) { server, first, third in
                    try await server.write { _ = try $0.insert(Pantry2.Guest(name: "Ann")) }
                    try await third.write {
                        _ = try $0.insert(Pantry1.Jar(id: jar.id, title: "Fig", level: 1))
                    }
                    try await Self.exchange(third, first, with: server, 2)
                    try await expectEqual(["Shelf", "Jar", "Label"], first, third)
                    #expect(try await server.read { try $0.fetch(Pantry2.Jar.all, \.name) } == ["Fig"])
                    #expect(try await server.read { try $0.fetch(Pantry2.Jar.all, \.isOpen) } == [false])
                }
            }
        }
    }

    @Test(
        "a device that the server cannot serve works offline, and sends what it wrote once it is updated",
        arguments: TestBackend.available)
    func refused(backend: TestBackend) async throws {
        try await withPlaces(backend) { serverPlace, firstPlace, secondPlace in
            try await Self.opened(3, serverPlace, 1, firstPlace, 2, secondPlace) { server, first, second in
                try await first.write {
                    _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: "Fig"), .set(\.level, to: 7)])
                    _ = try $0.insert(Pantry1.Jar(title: "Nut", level: 2))
                }
                try await second.write { _ = try $0.update(Pantry2.Jar.all, set: [.set(\.isOpen, to: true)]) }
                for device in [first, second] {
                    await Self.expectProblem(.schemaTooNew, device, server, 3)
                    #expect(try await device.pending() == 1)
                }
                #expect(try await server.read { try $0.fetch(Pantry3.Jar.all, \.name) } == ["Plum"])
            }
            // The stages calculate what was not sent, too.
            try await Self.opened(3, serverPlace, 3, firstPlace, 3, secondPlace) { server, first, second in
                try await Self.exchange(first, second, with: server, 3)
                try await expectEqual(Self.entities, server, first, second)
                let jars = try await server.read { try $0.fetch(Pantry3.Jar.all.sorted(by: \.name)) }
                #expect(jars.map(\.name) == ["Fig", "Nut"])
                #expect(jars.map(\.grams) == [700, 200])
                #expect(jars.map(\.isOpen) == [true, false])
            }
        }
    }

    @Test("a new case that an attribute without a default cannot hold stops a device until it is updated")
    func unheld() async throws {
        try await withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            try await Self.opened(2, serverPlace, 1, firstPlace, 2, secondPlace) { server, first, second in
                try await second.write {
                    _ = try $0.update(Pantry2.Label.all, set: [.set(\.kind, to: .syrup)])
                }
                try await Self.exchange(second, with: server, 2)
                try await first.write { _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: "Fig")]) }
                await Self.expectProblem(.schemaTooNew, first, server, 2)
                #expect(try await first.pending() == 1)
                #expect(try await first.read { try $0.fetch(Pantry1.Label.all, \.kind) } == [.jam])
            }
            try await Self.opened(2, serverPlace, 2, firstPlace, 2, secondPlace) { server, first, second in
                try await Self.exchange(first, second, with: server, 2)
                try await expectEqual(Self.entities, server, first, second)
                #expect(try await first.read { try $0.fetch(Pantry2.Label.all, \.kind) } == [.syrup])
                #expect(try await first.read { try $0.fetch(Pantry2.Jar.all, \.name) } == ["Fig"])
            }
        }
    }

    @Test("a device that is updated before its server waits until that is migrated")
    func early() async throws {
        try await withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            try await Self.opened(1, serverPlace, 2, firstPlace, 1, secondPlace) { server, first, second in
                try await first.write { _ = try $0.update(Pantry2.Jar.all, set: [.set(\.isOpen, to: true)]) }
                await Self.expectProblem(.schemaMismatch, first, server, 1)
                #expect(try await first.pending() == 1)
                try await second.write { _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: "Fig")]) }
                try await Self.exchange(second, with: server, 1)
            }
            try await Self.opened(2, serverPlace, 2, firstPlace, 1, secondPlace) { server, first, second in
                try await Self.exchange(first, second, with: server, 2)
                try await expectEqual(Self.entities, server, first)
                #expect(try await first.read { try $0.fetch(Pantry2.Jar.all, \.name) } == ["Fig"])
                #expect(try await server.read { try $0.fetch(Pantry2.Jar.all, \.isOpen) } == [true])
                #expect(try await second.read { try $0.fetch(Pantry1.Jar.all, \.title) } == ["Fig"])
            }
        }
    }

    @Test("edits from before the server's migration are merged and told after it, under the new names")
    func history() async throws {
        try await withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            try await Self.opened(1, serverPlace, 1, firstPlace, 1, secondPlace) { server, first, second in
                try await first.write {
                    _ = try $0.update(Pantry1.Jar.all, set: [.set(\.level, to: 8)])
                    _ = try $0.insert(Pantry1.Shelf(name: "Top"))
                }
                try await Self.exchange(first, with: server, 1)
                try await first.write { _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: "Fig")]) }
                try await Self.exchange(first, with: server, 1)
                // It has not seen the others' edits, and its title is the later one.
                try await second.write {
                    _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: "Pear")])
                }
            }
            try await Self.opened(2, serverPlace, 1, firstPlace, 1, secondPlace) { server, first, second in
                try await Self.exchange(second, first, with: server, 2)
                try await expectEqual(["Shelf", "Jar", "Label"], first, second)
                #expect(try await second.read { try $0.fetch(Pantry1.Jar.all, \.title) } == ["Pear"])
                #expect(try await second.read { try $0.fetch(Pantry1.Jar.all, \.level) } == [8])
                #expect(try await second.read { try $0.fetch(Pantry1.Shelf.all, \.name) } == ["Top"])
                let values = try await first.mirrorConflicts().flatMap(\.values)
                #expect(values.map(\.attribute) == ["title"])
                #expect(values.map(\.losing) == [.text("Fig")])
            }
        }
    }

    @Test("conflicts and rejected writes from before an update are there after it, under the new names")
    func decisions() async throws {
        try await withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            try await Self.opened(1, serverPlace, 1, firstPlace, 1, secondPlace) { server, first, second in
                for device in [first, second] {
                    let name = device.info.location == first.info.location ? "Fig" : "Pear"
                    try await device.write {
                        _ = try $0.update(Pantry1.Jar.all, set: [.set(\.title, to: name)])
                    }
                    try await device.write { _ = try $0.insert(Pantry1.Shelf(name: "Top")) }
                }
                try await Self.exchange(first, second, with: server, 1)
                #expect(try await second.rejectedWrites().map(\.entity) == ["Shelf"])
            }
            try await Self.opened(2, serverPlace, 2, firstPlace, 2, secondPlace) { server, first, second in
                // Before the first exchange, and after it.
                for _ in 1...2 {
                    let rejected = try await second.rejectedWrites()
                    #expect(rejected.map(\.entity) == ["Rack"])
                    #expect(rejected.flatMap(\.changes).map { $0.values["name"] } == [.text("Top")])
                    let values = try await second.mirrorConflicts().flatMap(\.values)
                    #expect(values.map(\.attribute) == ["name"])
                    #expect(values.map(\.losing) == [.text("Fig")])
                    try await Self.exchange(second, first, with: server, 2)
                }
                let rejected = try #require(try await second.rejectedWrites().first)
                try await second.discard(rejected)
                let conflict = try #require(try await second.mirrorConflicts().first)
                try await second.restore(conflict)
                try await Self.exchange(second, first, with: server, 2)
                try await expectEqual(Self.entities, server, first, second)
                #expect(try await first.read { try $0.fetch(Pantry2.Jar.all, \.name) } == ["Fig"])
            }
        }
    }

    @Test("an updated device gives a restored server back what it was told, and nothing that it was not")
    func restored() async throws {
        try await withPlaces(.sqlite) { serverPlace, firstPlace, secondPlace in
            var file = ""
            try await Self.opened(2, serverPlace, 1, firstPlace, 2, secondPlace) { server, first, second in
                try await second.write {
                    _ = try $0.update(
                        Pantry2.Jar.all, set: [.set(\.isOpen, to: true), .set(\.kind, to: .syrup)])
                }
                try await Self.exchange(second, first, with: server, 2)
                file = server.info.location
            }
            let backup = try Data(contentsOf: URL(filePath: file))
            try await Self.opened(2, serverPlace, 1, firstPlace, 2, secondPlace) { server, first, second in
                try await second.write {
                    _ = try $0.update(Pantry2.Jar.all, set: [.set(\.level, to: 4)])
                    _ = try $0.insert(Pantry2.Jar(name: "Lost", level: 1, isOpen: true))
                    _ = try $0.insert(Pantry2.Rack(name: "Top"))
                }
                try await Self.exchange(second, first, with: server, 2)
            }
            try backup.write(to: URL(filePath: file))
            try await Self.opened(2, serverPlace, 2, firstPlace, 2, secondPlace) { server, first, second in
                try await Self.exchange(first, with: server, 2)
                try await expectEqual(Self.entities, server, first)
                let jars = try await server.read { try $0.fetch(Pantry2.Jar.all.sorted(by: \.name)) }
                #expect(jars.map(\.name) == ["Lost", "Plum"])
                #expect(jars.map(\.level) == [1, 4])
                #expect(jars.map(\.isOpen) == [false, true])
                #expect(jars.map(\.kind) == [nil, .syrup])
                #expect(try await server.read { try $0.fetch(Pantry2.Rack.all, \.name) } == ["Top"])
                try await Self.exchange(second, first, with: server, 2)
                try await expectEqual(Self.entities, server, first, second)
            }
        }
    }
}
