import Foundation
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

/// What was left half done is come back to when the stores are not any more as they were left.
@Suite("Switches whose stores were restored or changed")
struct StaleFenceTests {
    private func away(_ place: StorePlace, _ code: StoreError.Code) -> StorePlace {
        StorePlace(place.location) { _ in throw StoreError(code, "The place is out of reach.") }
    }

    private func expectRefusal(
        _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: () async throws -> Void
    ) async {
        let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            try await work()
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
    }

    private func expectRoles(
        _ places: [StorePlace], _ roles: [StoreRole], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var found: [StoreRole?] = []
        for place in places { found.append(try await place.marker()?.role) }
        #expect(found == roles, sourceLocation: sourceLocation)
    }

    /// A switch that was interrupted after the commit, before the old store was told, and whose data has moved on.
    private func withDataMovedOn(
        _ backend: TestBackend,
        _ body: (_ first: StorePlace, _ second: StorePlace, _ third: StorePlace) async throws -> Void
    ) async throws {
        try await Notes.withPlaces(.sqlite, backend) { first, second in
            try await StoreSwitch(from: first, to: second).stop(at: .committed)
            try await TestBackend.sqlite.withPlace(of: try Notes.schema.get()) { third in
                _ = try await StoreSwitch(from: second, to: third).run()
                try await third.with { try await Notes.add(["later"], to: $0) }
                try await body(first, second, third)
            }
        }
    }

    @Test(
        "old rows do not return to a place that the data is about to return to",
        arguments: TestBackend.available)
    func returning(backend: TestBackend) async throws {
        try await withDataMovedOn(backend) { first, second, third in
            let back = StoreSwitch(from: third, to: second, replacingBackup: true)
            try await back.stop(at: .copying)
            let change = StoreSwitch(from: first, to: second)
            await expectRefusal(.carriedOutElsewhere) { try await change.abort() }
            #expect(try await change.status().phase == .committed)
            #expect(try await change.run() == nil)
            try await expectRoles([first, second, third], [.superseded, .copying, .active])
            #expect(try await back.run()?.isEqual == true)
            try await expectRoles([first, second, third], [.superseded, .active, .superseded])
            let rows = try await second.with { try await Notes.all(in: $0) }
            #expect(rows.contains("later"))
        }
    }

    @Test("old rows do not return if the new store cannot be found", arguments: TestBackend.available)
    func missing(backend: TestBackend) async throws {
        try await withDataMovedOn(backend) { first, second, third in
            let change = StoreSwitch(from: first, to: away(second, .notFound))
            await expectRefusal(.notFound) { _ = try await change.run() }
            await expectRefusal(.notFound) { try await change.abort() }
            #expect(try await change.status().phase == .fenced)
            try await expectRoles([first, second, third], [.superseded, .superseded, .active])
            #expect(try await StoreSwitch(from: first, to: second).run() == nil)
            try await expectRoles([first, second, third], [.superseded, .superseded, .active])
        }
    }

    @Test(
        "a fenced switch can be aborted without its copy on the user's word that the copy is lost",
        arguments: [StoreError.Code.notFound, .connectionLost, .corrupted])
    func lost(code: StoreError.Code) async throws {
        try await Notes.withPlaces(.sqlite, .memory) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .fenced)
            let change = StoreSwitch(from: old, to: away(new, code))
            await expectRefusal(code) { try await change.abort() }
            try await change.abort(copyIsLost: true)
            try await old.with { try await Notes.add(["later"], to: $0) }
            #expect(try await change.status().phase == .aborted)
        }
    }

    @Test(
        "an unfenced switch can be aborted while its copy is unreachable", arguments: TestBackend.available)
    func outOfReach(backend: TestBackend) async throws {
        try await Notes.withPlaces(.sqlite, backend) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .copying)
            try await StoreSwitch(from: old, to: away(new, .connectionLost)).abort()
            try await TestBackend.memory.withPlace(of: try Notes.schema.get()) { other in
                try await StoreSwitch(from: old, to: other).stop(at: .copying)
                try await StoreSwitch(from: old, to: other).abort()
            }
            // Fenced, it could have been committed there.
            try await StoreSwitch(from: old, to: new).stop(at: .fenced)
            await expectRefusal(.connectionLost) {
                try await StoreSwitch(from: old, to: away(new, .connectionLost)).abort()
            }
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
        }
    }

    @Test(
        "an old store restored to before the fence is fenced again, and its later writes are found",
        arguments: TestBackend.available, [false, true])
    func unfenced(backend: TestBackend, isWritten: Bool) async throws {
        try await Notes.withPlaces(backend, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .committed)
            try await old.unfence()
            if isWritten { try await old.with { try await Notes.add(["late"], to: $0) } }
            await expectRefusal(.carriedOutElsewhere) { try await change.abort() }
            if isWritten {
                await expectRefusal(.verification) { _ = try await change.run() }
            } else {
                #expect(try await change.run() == nil)
            }
            try await expectRoles([old, new], [.superseded, .active])
            #expect(try await change.status().phase == .committed)
        }
    }

    @Test(
        "an old store that was written to after an abort stays in use",
        arguments: [false, true])
    func unfencedAndGivenUp(isWritten: Bool) async throws {
        try await Notes.withPlaces(.memory, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .committed)
            try await old.unfence()
            try await StoreSwitch(from: old, to: away(new, .connectionLost)).abort()
            if isWritten {
                try await old.with { try await Notes.add(["late"], to: $0) }
                await expectRefusal(.identityConflict) { _ = try await change.run() }
                try await expectRoles([old, new], [.active, .active])
                #expect(try await change.status().phase == .aborted)
            } else {
                #expect(try await change.run() == nil)
                try await expectRoles([old, new], [.superseded, .active])
            }
        }
    }

    @Test("a reactivated old store of a committed switch is not fenced")
    func fallenBack() async throws {
        try await Notes.withPlaces(.memory, .sqlite) { old, new in
            _ = try await StoreSwitch(from: old, to: new).run()
            try await new.withMarker(.readWrite, scope: nil) { try await $0.changeRole(to: .retired) }
            try await old.withMarker(.readWrite, scope: nil) { try await $0.changeRole(to: .active) }
            for replacing in [false, true] {
                await expectRefusal(.identityConflict) {
                    _ = try await StoreSwitch(from: old, to: new, replacingBackup: replacing).run()
                }
            }
            try await expectRoles([old, new], [.active, .retired])
        }
    }

    @Test("a rehearsal fences no store that another one has replaced")
    func rehearsed() async throws {
        try await Notes.withPlaces(.memory, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .committed)
            try await old.unfence(asRehearsal: true)
            await expectRefusal(.identityConflict) { _ = try await change.rehearse() }
            try await expectRoles([old, new], [.active, .active])
        }
    }

    @Test("a lost fence is remembered until the later writes are reported")
    func interrupted() async throws {
        try await withDataMovedOn(.memory) { first, second, third in
            try await first.unfence()
            let visits = Atomic(0)
            let away = StorePlace(second.location) { options in
                guard visits.add(1, ordering: .relaxed).newValue < 2 else {
                    throw StoreError(.connectionLost, "The place is out of reach.")
                }
                return try await second.open(options)
            }
            await expectRefusal(.connectionLost) { _ = try await StoreSwitch(from: first, to: away).run() }
            try await expectRoles([first, second, third], [.superseded, .superseded, .active])
            let change = StoreSwitch(from: first, to: second)
            #expect(try await change.status().phase == .committed)
            await expectRefusal(.verification) { _ = try await change.run() }
            #expect(try await change.run() == nil)
        }
    }

    @Test(
        "an older state of a store does not replace a newer one that is about to be refilled",
        arguments: TestBackend.available, [false, true])
    func restored(backend: TestBackend, isGivenUp: Bool) async throws {
        try await withDataMovedOn(backend) { first, second, third in
            try await first.unfence()
            let change = StoreSwitch(from: first, to: second)
            if isGivenUp { try await StoreSwitch(from: first, to: away(second, .connectionLost)).abort() }
            let back = StoreSwitch(from: third, to: second, replacingBackup: true)
            try await back.stop(at: .copying)
            await expectRefusal(isGivenUp ? .identityConflict : .verification) { _ = try await change.run() }
            let role: StoreRole = isGivenUp ? .active : .superseded
            try await expectRoles([first, second, third], [role, .copying, .active])
            try await back.abort()
            let again = StoreSwitch(from: first, to: second, replacingBackup: true)
            if isGivenUp {
                await expectRefusal(.identityConflict) { _ = try await again.run() }
            } else {
                #expect(try await again.run() == nil)
            }
            try await expectRoles([first, second, third], [role, .copying, .active])
            #expect(try await back.run()?.isEqual == true)
            let rows = try await second.with { try await Notes.all(in: $0) }
            #expect(rows.contains("later"))
        }
    }

    @Test("a claim that a copy is lost is refused if the copy is there, even if busy")
    func busy() async throws {
        try await Notes.withPlaces(.sqlite, .memory) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .fenced)
            let busy = StorePlace(new.location) { options in
                guard options.access == .readOnly else { throw StoreError(.busy, "It is being committed.") }
                return try await new.open(options)
            }
            await expectRefusal(.busy) { try await StoreSwitch(from: old, to: busy).abort(copyIsLost: true) }
            try await expectRoles([old, new], [.superseded, .copying])
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
        }
    }

    @Test("a comparison that is no longer possible because the new store was left is reported")
    func unfencedAndMovedOn() async throws {
        try await withDataMovedOn(.memory) { first, second, third in
            try await first.unfence()
            let change = StoreSwitch(from: first, to: second)
            _ = try await StoreSwitch(from: third, to: second, replacingBackup: true).run()
            await expectRefusal(.verification) { _ = try await change.run() }
            try await expectRoles([first, second, third], [.superseded, .active, .superseded])
        }
    }

    @Test("a backup that has changed since it was found is not replaced", arguments: TestBackend.available)
    func reclaimed(backend: TestBackend) async throws {
        try await Notes.withPlaces(backend, .memory) { old, new in
            _ = try await StoreSwitch(from: old, to: new).run()
            let isDone = Atomic(false)
            let changed = StorePlace(old.location) { options in
                if options.access == .readWrite, !isDone.exchange(true, ordering: .relaxed) {
                    try await StoreSwitch(from: old, to: new).retire()
                    return try await old.open(
                        OpenOptions(createsIfMissing: false, role: .retired))
                }
                return try await old.open(options)
            }
            await expectRefusal(.carriedOutElsewhere) {
                _ = try await StoreSwitch(from: new, to: changed, replacingBackup: true).run()
            }
            try await expectRoles([old, new], [.retired, .active])
        }
    }

    @Test("of two concurrent attempts the later one keeps the other's history")
    func registered() async throws {
        try await Notes.withPlaces(.sqlite, .memory) { old, new in
            let writes = Atomic(0)
            let late = StorePlace(old.location) { options in
                OvertakenStore(base: try await old.open(options)) { _ in
                    // After the switch and its history were begun, before it is registered as a consumer.
                    guard writes.add(1, ordering: .relaxed).newValue == 3 else { return }
                    try await StoreSwitch(from: old, to: new).stop(at: .copying)
                    for text in ["one", "two"] { try await old.with { try await Notes.add([text], to: $0) } }
                }
            }
            await expectRefusal(.carriedOutElsewhere) { _ = try await StoreSwitch(from: late, to: new).run() }
            try await old.with { _ = try await $0.pruneHistory(keepingLast: 0) }
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
        }
    }

    @Test("a switch between different schemas is refused, as rows are transferred by attribute order")
    func schemas() async throws {
        func schema(_ names: [String]) throws -> Schema {
            try Schema(
                version: SchemaVersion(1),
                entities: [
                    Entity(
                        "Person",
                        attributes: [Attribute("id", type: .uuid)] + names.map { Attribute($0, type: .text) })
                ])
        }
        try await TestBackend.memory.withPlace(of: try schema(["first", "last"])) { old in
            try await old.with { store in
                try await store.write { tx in
                    _ = try tx.insertRows(into: "Person", [[.uuid(UUID()), .text("Ada"), .text("Byron")]])
                }
            }
            try await TestBackend.memory.withPlace(of: try schema(["last", "first"])) { new in
                await expectRefusal(.schemaMismatch) { _ = try await StoreSwitch(from: old, to: new).run() }
                let status = try await StoreSwitch(from: old, to: new).status()
                #expect(status.phase == nil)
            }
            // Nor is a backup made a copy for it.
            try await TestBackend.sqlite.withPlace { open in
                let (same, other) = (try schema(["first", "last"]), try schema(["last", "first"]))
                _ = try await StoreSwitch(from: old, to: StorePlace("a") { try await open(same, $0) }).run()
                let back = StoreSwitch(
                    from: StorePlace("a") { try await open(same, $0) },
                    to: StorePlace(old.location) { options in
                        let base = try await old.open(options)
                        return OtherSchemaStore(base: base, schema: other)
                    }, replacingBackup: true)
                await expectRefusal(.schemaMismatch) { _ = try await back.run() }
                let backup = try await old.marker()
                #expect(backup?.role == .superseded)
            }
        }
    }

    @Test("a switch refuses a history that leaves out an entity, even if only the app's models do")
    func leftOut() async throws {
        func schema(leavingOut isLeftOut: Bool) throws -> Schema {
            try Schema(
                version: SchemaVersion(1),
                entities: [
                    Entity(
                        "Sample", attributes: [Attribute("id", type: .uuid)], isLeftOutOfHistory: isLeftOut)
                ])
        }
        for isCreatedSo in [true, false] {
            let first = try schema(leavingOut: isCreatedSo)
            try await TestBackend.sqlite.withPlace { open in
                try await open(first, OpenOptions()).close()
                let schema = try schema(leavingOut: true)
                let old = StorePlace("sqlite:old") { try await open(schema, $0) }
                try await TestBackend.memory.withPlace(of: schema) { new in
                    await expectRefusal(.unsupported) { _ = try await StoreSwitch(from: old, to: new).run() }
                    let found = try await new.marker()
                    #expect(found == nil)
                }
            }
        }
    }

    @Test("a store that was switched too often is refused, and stays in use")
    func tooOften() async throws {
        try await Notes.withPlaces(.memory, .memory) { old, new in
            try await old.with { store in
                try await store.write(.ofMarker) { tx in
                    var marker = try tx.driver.maintenance.marker()
                    marker.generation = .max - 1
                    try tx.driver.maintenance.setMarker(marker)
                }
            }
            let change = StoreSwitch(from: old, to: new)
            await expectRefusal(.unsupported) { _ = try await change.run() }
            try await change.abort()
            try await old.with { try await Notes.add(["later"], to: $0) }
        }
    }

    @Test("a switch completes although the registry cannot be written, and reports it at the end")
    func registry() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "Places")
            try Data().write(to: file)
            try await Notes.withPlaces(.memory, .memory) { old, new in
                let change = StoreSwitch(from: old, to: new, registry: PlaceRegistry(path: file.path))
                await expectRefusal(.inputOutput) { _ = try await change.run() }
                try await expectRoles([old, new], [.superseded, .active])
                #expect(try await old.marker()?.switching?.state == .committed)
            }
        }
    }

    @Test("an operation from a slow clock is kept on the server like a current one")
    func slowClock() async throws {
        guard TestBackend.available.contains(.postgres) else { return }
        try await Notes.withPlaces(.sqlite, .postgres) { old, new in
            let operation = OperationID()
            try await old.with { store in
                try await store.write { tx in
                    try tx.driver.maintenance.adopt([CommittedOperation(operation, time: 0)])
                }
            }
            _ = try await StoreSwitch(from: old, to: new).run()
            try await new.with { store in
                // An id that lets old ones be forgotten.
                try await Notes.add(["later"], to: store, operation: OperationID(forgettingOthers()))
                let isKnown = try await store.wasCommitted(operation)
                #expect(isKnown)
            }
        }
    }

    private func forgettingOthers() -> UUID {
        var id = UUID().uuid
        id.15 = 64
        return UUID(uuid: id)
    }
}

/// A store that is opened with another schema than its own.
private struct OtherSchemaStore: WrappingStore {
    let base: any Store
    let schema: Schema
}
