import Foundation
import GRDB
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

@Suite("Switches to another place")
struct SwitchTests {
    /// Employees refer to each other in circles, and to teams, which have a required leader: no order of rows would do.
    private static let schema = Result {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Employee",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("name", type: .text),
                        Attribute("mentor", type: .uuid, isOptional: true, reference: "Employee"),
                        Attribute("team", type: .uuid, reference: "Team"),
                    ], uniqueConstraints: [UniqueConstraint(["name"])]),
                Entity(
                    "Team",
                    attributes: [
                        Attribute("id", type: .uuid),
                        Attribute("leader", type: .uuid, reference: "Employee"),
                        Attribute("motto", type: .blob),
                    ]),
            ])
    }

    private static func id(_ number: Int, _ kind: UInt8 = 0) -> UUID {
        UUID(
            uuid: (
                kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 24 & 255),
                UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)
            ))
    }

    private static func employee(_ number: Int, of count: Int) -> [StoredValue] {
        [
            .uuid(id(number)), .text("E\(number)"), .uuid(id((number + 1) % count)),
            .uuid(id(number % 3, 1)),
        ]
    }

    /// Three teams, each led by one of them.
    private static func fill(_ store: any Store, employees count: Int) async throws {
        try await store.write { tx in
            _ = try tx.insertRows(into: "Employee", (0..<count).map { employee($0, of: count) })
            _ = try tx.insertRows(
                into: "Team",
                (0..<3).map { [.uuid(id($0, 1)), .uuid(id($0)), .blob(Data(repeating: 7, count: 300))] })
        }
    }

    private static func names(_ store: any Store) async throws -> Set<String> {
        try await store.read { tx in
            Set(
                try tx.fetchRows(of: "Employee").compactMap {
                    if case .text(let name) = $0[1] { name } else { nil }
                })
        }
    }

    private func withPlaces<Value>(
        _ from: TestBackend, _ to: TestBackend, _ body: (StorePlace, StorePlace) async throws -> Value
    ) async throws -> Value {
        let schema = try Self.schema.get()
        return try await from.withPlace(of: schema) { old in
            try await to.withPlace(of: schema) { new in try await body(old, new) }
        }
    }

    @Test(
        "all rows arrive in a switch, and the old store accepts no more writes", arguments: TestBackend.pairs)
    func moved(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            let before = try await old.with { store in
                try await Self.fill(store, employees: 2_500)
                return try await store.marker()
            }
            let report = try #require(try await StoreSwitch(from: old, to: new).run())
            #expect(report.isEqual)
            #expect(report.entities.map(\.second.count) == [2_500, 3])
            let marker = try await new.markerThere()
            #expect(marker.storeID == before.storeID)
            #expect(marker.generation == 2)
            #expect(marker.switching?.state == .committed)
            #expect(marker.history?.isKept == false)
            let left = try await old.markerThere()
            #expect(left.role == .superseded)
            #expect(left.successor == new.location)
            #expect(left.switching?.state == .committed)
            #expect(left.history?.isKept == false)
            let error = await #expect(throws: StoreError.self) {
                try await old.with { try await Self.fill($0, employees: 1) }
            }
            #expect(error?.code == .outOfService)
            try await new.with { store in
                // Its constraints are those of any store.
                let twice = await #expect(throws: StoreError.self) {
                    try await store.write { tx in
                        var row = Self.employee(9_000, of: 2_500)
                        row[1] = .text("E1")
                        _ = try tx.insertRows(into: "Employee", [row])
                    }
                }
                #expect(twice?.code == .unique)
                let dangling = await #expect(throws: StoreError.self) {
                    try await store.write { tx in
                        _ = try tx.driver.delete(
                            from: try tx.schema.require("Team"), where: .constant(true))
                    }
                }
                #expect(dangling?.code == .foreignKey)
                #expect(try await store.check() == [])
                let same = try await old.with(OpenOptions(access: .readOnly)) {
                    try await $0.verify(against: store)
                }
                #expect(same.isEqual)
            }
        }
    }

    @Test("writes during a switch arrive, and refused ones do not", arguments: TestBackend.pairs)
    func written(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(keepsHistory: true)) { store in
                try await Self.fill(store, employees: 3_000)
                let began = Mutex(false)
                async let moving = StoreSwitch(from: old, to: new).run { _ in began.withLock { $0 = true } }
                // Inserts, renames and deletes until the store refuses.
                var (expected, number) = (try await Self.names(store), 3_000)
                while true {
                    let next = number
                    do {
                        try await store.write { tx in
                            _ = try tx.insertRows(into: "Employee", [Self.employee(next, of: next)])
                            _ = try tx.updateRows(
                                of: "Employee",
                                set: [Assignment(attribute: "name", value: .value(.text("R\(next)")))],
                                where: .compare(
                                    .attribute("name"), .equal, .value(.text("E\(next - 2_000)"))))
                            let gone = Condition.compare(
                                .attribute("name"), .equal, .value(.text("R\(next - 50)")))
                            _ = try tx.updateRows(
                                of: "Employee",
                                set: [Assignment(attribute: "mentor", value: .value(.null))],
                                where: .compare(
                                    .attribute("mentor"), .equal, .value(.uuid(Self.id(next - 2_050)))))
                            _ = try tx.deleteRows(of: "Employee", where: gone)
                        }
                    } catch let error as StoreError where error.code == .outOfService {
                        #expect(error.successor == new.location)
                        break
                    }
                    expected.insert("E\(next)")
                    if expected.remove("E\(next - 2_000)") != nil { expected.insert("R\(next)") }
                    expected.remove("R\(next - 50)")
                    number += 1
                }
                let report = try #require(try await moving)
                #expect(report.isEqual)
                #expect(number > 3_000)
                try await new.with { store in
                    let (names, marker) = (try await Self.names(store), try await store.marker())
                    #expect(names == expected)
                    #expect(marker.history?.isKept == true)
                    #expect(try await store.check() == [])
                }
            }
        }
    }

    @Test("a switch interrupted at any step resumes", arguments: TestBackend.pairs)
    func interrupted(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with { try await Self.fill($0, employees: 2_200) }
            var interruptions = 0
            while true {
                let change = StoreSwitch(from: old, to: new)
                if try await change.isDone(cancelledAfter: interruptions + 1) { break }
                interruptions += 1
                try #require(interruptions < 50)
            }
            #expect(interruptions > 3)
            // Once more, and nothing is left to do.
            #expect(try await StoreSwitch(from: old, to: new).run() == nil)
            try await new.with { store in
                let (names, marker) = (try await Self.names(store), try await store.marker())
                #expect(names == Set((0..<2_200).map { "E\($0)" }))
                #expect(marker.generation == 2)
                #expect(try await store.check() == [])
            }
            #expect(try await old.markerThere().switching?.state == .committed)
        }
    }

    @Test(
        "a switch can be aborted at any step but the last, and restarted", arguments: TestBackend.pairs)
    func aborted(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with { try await Self.fill($0, employees: 1_100) }
            let change = StoreSwitch(from: old, to: new)
            for step in [SwitchPhase.copying, .indexing, .verifying, .fencing, .fenced] {
                try await change.stop(at: step)
                try await change.abort()
                let marker = try await old.markerThere()
                #expect(marker.role == .active)
                #expect(marker.successor == nil)
                #expect(marker.switching?.state == .aborted)
                #expect(marker.history?.isKept == false)
                // The old store is used on.
                try await old.with { store in
                    _ = try await store.write { tx in
                        try tx.updateRows(
                            of: "Employee",
                            set: [Assignment(attribute: "name", value: .value(.text("\(step)")))],
                            where: .compare(.attribute("id"), .equal, .value(.uuid(Self.id(5)))))
                    }
                }
            }
            let none = await #expect(throws: StoreError.self) { try await change.abort() }
            #expect(none?.code == .invalidArgument)
            #expect(try await change.run()?.isEqual == true)
            let late = await #expect(throws: StoreError.self) { try await change.abort() }
            #expect(late?.code == .invalidArgument)
            #expect(try await new.with { try await Self.names($0) }.contains("fenced"))
        }
    }

    @Test("a switch to a place that holds a store is refused, and that store is unchanged")
    func occupied() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await old.with { try await Self.fill($0, employees: 10) }
            try await new.with { try await Self.fill($0, employees: 3) }
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: new).run()
            }
            #expect(error?.code == .placeTaken)
            #expect(error?.message.contains("There is a store at \(new.location) already") == true)
            #expect(try await new.with { try await Self.names($0) } == ["E0", "E1", "E2"])
            try await old.with { store in
                _ = try await store.write { try $0.deleteRows(of: "Employee", where: .constant(false)) }
            }
        }
    }

    @Test(
        "two processes that carry out the same switch lose and double nothing",
        arguments: TestBackend.pairs)
    func twice(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with { try await Self.fill($0, employees: 4_000) }
            let outcomes = await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        await Result { try await StoreSwitch(from: old, to: new).run() }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for case .failure(let error) in outcomes {
                #expect(
                    ((error as? StoreError)?.code).map { StoreError.Code.ofRivals.contains($0) }
                        == true, "\(error)")
            }
            // If each was stopped by another one, what is left goes on.
            if try await old.markerThere().switching?.state != .committed {
                try await StoreSwitch(from: old, to: new).run()
            }
            try await new.with { store in
                let names = try await Self.names(store)
                #expect(names == Set((0..<4_000).map { "E\($0)" }))
                #expect(try await store.check() == [])
            }
        }
    }

    @Test(
        "a process whose rows another one has already copied is told, and does not duplicate them",
        arguments: TestBackend.pairs)
    func overtaken(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with { try await Self.fill($0, employees: 4_000) }
            let shared = StorePlace(new.location) { options in
                OvertakenStore(base: try await new.open(options)) { store in
                    guard try await store.marker().switching != nil else { return }
                    // Another one copies a part, and stops.
                    _ = try? await StoreSwitch(from: old, to: new).isDone(cancelledAfter: 1)
                }
            }
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: shared).run()
            }
            #expect(error?.code == .carriedOutElsewhere)
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
            #expect(try await new.with { try await Self.names($0) }.count == 4_000)
        }
    }

    @Test("a store is not switched to its own place")
    func itself() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, _ in
            try await old.with { try await Self.fill($0, employees: 10) }
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: old).run()
            }
            #expect(error?.code == .placeTaken)
            let marker = try await old.markerThere()
            #expect(marker.role == .active)
            #expect(marker.switching == nil)
        }
    }

    @Test("a store that is being switched to one place is not switched to another")
    func elsewhere() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await TestBackend.sqlite.withPlace(of: try Self.schema.get()) { other in
                try await old.with { try await Self.fill($0, employees: 10) }
                try await StoreSwitch(from: old, to: new).stop(at: .copying)
                let error = await #expect(throws: StoreError.self) {
                    try await StoreSwitch(from: old, to: other).run()
                }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message.contains(new.location) == true)
            }
        }
    }

    @Test(
        "writes past the store's history are noticed before the switch commits",
        arguments: [SwitchPhase.indexing, .verifying, .fencing])
    func pastTheStore(step: SwitchPhase) async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await old.with { try await Self.fill($0, employees: 1_500) }
            let path = try await old.with { $0.info.location }
            let isDone = Mutex(false)
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: new).run { progress in
                    guard progress.phase == step, !isDone.withLock(\.self) else { return }
                    isDone.withLock { $0 = true }
                    do {
                        let queue = try DatabaseQueue(path: path)
                        try queue.write {
                            try $0.execute(sql: "UPDATE Employee SET name = 'X' WHERE name = 'E7'")
                        }
                        try queue.close()
                    } catch { Issue.record(error) }
                }
            }
            #expect(error?.code == .verification)
            #expect(error?.message.contains("Employee") == true)
            if step == .fencing {
                // Found by the last look at the old store, when everybody has gone on to the new one.
                #expect(error?.message.hasPrefix("The switch is committed, but") == true)
                #expect(try await old.markerThere().switching?.state == .committed)
                #expect(try await new.with { try await Self.names($0) }.contains("E7"))
                return
            }
            #expect(try await old.markerThere().role == .active)
            try await StoreSwitch(from: old, to: new).abort()
            #expect(try await old.markerThere().role == .active)
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
            #expect(try await new.with { try await Self.names($0) }.contains("X"))
        }
    }

    @Test(
        "each switch there and back raises the generation", arguments: TestBackend.available)
    func back(backend: TestBackend) async throws {
        try await withPlaces(.sqlite, backend) { old, new in
            try await TestBackend.sqlite.withPlace(of: try Self.schema.get()) { home in
                try await old.with(OpenOptions(keepsHistory: true)) {
                    try await Self.fill($0, employees: 1_200)
                }
                let there = try #require(try await StoreSwitch(from: old, to: new).run())
                let back = try #require(try await StoreSwitch(from: new, to: home).run())
                #expect(there.entities.map(\.first) == back.entities.map(\.second))
                let marker = try await home.markerThere()
                #expect(marker.generation == 3)
                #expect(marker.history?.isKept == true)
            }
        }
    }
}
