import Foundation
import GRDB
import PostgresTestServer
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

@testable import SwitchyardTransfer

@Suite("Switches with obstacles")
struct DetourTests {
    private func withPlaces(
        _ backend: TestBackend = .sqlite, _ body: (StorePlace, StorePlace) async throws -> Void
    ) async throws {
        try await Notes.withPlaces(.sqlite, backend, body)
    }

    private func refusal<Value>(
        _ body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> StoreError? {
        await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try await body() }
    }

    private func path(of place: StorePlace) throws -> String {
        try #require(place.location.split(separator: ":").last.map { String($0) })
    }

    @Test("aborting a switch does not reactivate a store whose data is elsewhere by now")
    func abortOfASupersededStore() async throws {
        try await withPlaces { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.rehearse()
            try await old.with { try await $0.changeRole(to: .superseded, successor: "sqlite:/elsewhere") }
            #expect(await refusal { try await change.abort() }?.code == .outOfService)
            let marker = try await old.markerThere()
            #expect(marker.role == .superseded)
            #expect(marker.successor == "sqlite:/elsewhere")
        }
    }

    @Test(
        "a committed switch stays committed when the new store is reactivated before the clean-up",
        arguments: [true, false])
    func switchedOn(isCommitted: Bool) async throws {
        try await withPlaces { old, new in
            try await TestBackend.memory.withPlace(of: try Notes.schema.get()) { third in
                let change = StoreSwitch(from: old, to: new)
                try await change.stop(at: .committed)
                let next = StoreSwitch(from: new, to: third)
                if isCommitted { _ = try await next.run() } else { try await next.rehearse() }
                #expect(try await change.status().phase == .committed)
                #expect(await refusal { try await change.abort() }?.code == .carriedOutElsewhere)
                #expect(try await old.markerThere().role == .superseded)
                #expect(try await change.run() == nil)
                let marker = try await old.markerThere()
                #expect(marker.role == .superseded)
                #expect(marker.switching?.state == .committed)
            }
        }
    }

    @Test("a history that somebody requests during a switch is kept after it", arguments: [true, false])
    func historyAskedFor(isCommitted: Bool) async throws {
        try await withPlaces { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.rehearse()
            try await old.with { try await $0.keepHistory() }
            if isCommitted { _ = try await change.run() } else { try await change.abort() }
            let marker = try await (isCommitted ? new : old).markerThere()
            #expect(marker.history?.isKept == true)
        }
    }

    @Test("the history that a switch follows cannot be stopped until it ends")
    func historyStopped() async throws {
        try await withPlaces { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await old.with { try await $0.keepHistory() }
            try await change.stop(at: .verifying)
            let error = await refusal { try await old.with { try await $0.stopHistory() } }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains(new.location) == true)
            try await change.abort()
            try await old.with { try await $0.stopHistory() }
            #expect(try await old.markerThere().history?.isKept == false)
        }
    }

    @Test(
        "a backup still leads to the data during a switch back, and after its abort")
    func backToTheBackup() async throws {
        try await withPlaces { old, new in
            _ = try await StoreSwitch(from: old, to: new).run()
            let back = StoreSwitch(from: new, to: old, replacingBackup: true)
            func expectToFindNew() async throws {
                for access in [OpenOptions.Access.readWrite, .readOnly] {
                    let store = try await SwitchableStore.open(old, options: OpenOptions(access: access)) {
                        try #require([$0 == old.location ? old : new].first)
                    }
                    #expect(store.location == new.location)
                    #expect(try await Notes.all(in: store).count == 1_500)
                    try await store.close()
                }
            }
            try await back.stop(at: .copying)
            try await expectToFindNew()
            try await back.abort()
            try await expectToFindNew()
            #expect(try await back.run()?.isEqual == true)
            let marker = try await old.markerThere()
            #expect(marker.role == .active)
            #expect(marker.successor == nil)
        }
    }

    @Test("a backup with later writes is replaced only if they are to be discarded")
    func changedBackup() async throws {
        try await withPlaces { old, new in
            _ = try await StoreSwitch(from: old, to: new).run()
            let queue = try DatabaseQueue(path: try path(of: old))
            try await queue.write { try $0.execute(sql: "UPDATE Note SET text = 'X' WHERE text = 'N7'") }
            try queue.close()
            let error = await refusal {
                try await StoreSwitch(from: new, to: old, replacingBackup: true).run()
            }
            #expect(error?.code == .verification)
            #expect(error?.message.contains("written to the backup at \(old.location)") == true)
            #expect(error?.message.contains("Note") == true)
            #expect(try await old.markerThere().role == .superseded)
            #expect(try await new.markerThere().switching?.state == .committed)
            let kept = try await old.with(OpenOptions(access: .readOnly)) { try await Notes.all(in: $0) }
            #expect(kept.contains("X"))
            let back = StoreSwitch(from: new, to: old, replacingBackup: true, discardingItsChanges: true)
            #expect(try await back.run()?.isEqual == true)
            #expect(try await !old.with { try await Notes.all(in: $0) }.contains("X"))
        }
    }

    @Test("a backup from two switches ago is known by its own digests, and one without any is not replaced")
    func olderBackup() async throws {
        try await withPlaces { old, new in
            try await TestBackend.sqlite.withPlace(of: try Notes.schema.get()) { third in
                _ = try await StoreSwitch(from: old, to: new).run()
                _ = try await StoreSwitch(from: new, to: third).run()
                let queue = try DatabaseQueue(path: try path(of: new))
                try await queue.write { try $0.execute(sql: "DELETE FROM Note WHERE text = 'N7'") }
                try queue.close()
                #expect(
                    await refusal {
                        try await StoreSwitch(from: third, to: new, replacingBackup: true).run()
                    }?
                    .code == .verification)
                let back = StoreSwitch(from: third, to: old, replacingBackup: true)
                #expect(try await back.run()?.isEqual == true)
                // As versions before have left a backup, and then a switch was given up that has the digests no more.
                _ = try await StoreSwitch(from: old, to: third, replacingBackup: true).run()
                try await old.withMarker(.readWrite, scope: nil) { store in
                    try await store.write(.ofMarker) { try $0.updateMarker { $0.switching?.compared = nil } }
                }
                try await TestBackend.memory.withPlace(of: try Notes.schema.get()) { fourth in
                    let other = StoreSwitch(from: third, to: fourth)
                    try await other.stop(at: .verifying)
                    try await other.abort()
                }
                let unknown = await refusal {
                    try await StoreSwitch(from: third, to: old, replacingBackup: true).run()
                }
                #expect(unknown?.code == .verification)
                #expect(unknown?.message.contains("does not record which rows it was left with") == true)
            }
        }
    }

    @Test("a copy that was unreachable during the abort can be replaced")
    func outOfReach() async throws {
        try await withPlaces { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .verifying)
            let (path, away) = (try path(of: new), try path(of: new) + ".away")
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: away + suffix)
            }
            try await change.abort()
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: away + suffix) {
                try FileManager.default.moveItem(atPath: away + suffix, toPath: path + suffix)
            }
            try await old.with { try await Notes.add(["later"], to: $0) }
            #expect(try await change.run()?.isEqual == true)
            #expect(try await new.with { try await Notes.all(in: $0) }.count == 1_501)
        }
    }

    @Test(
        "a switch that another process has taken over commits nothing that it has not compared",
        arguments: TestBackend.available)
    func overtaken(backend: TestBackend) async throws {
        try await withPlaces(backend) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .verifying)
            let id = try #require(try await old.markerThere().switching?.id)
            try await old.with { source in
                try await new.with(OpenOptions(createsIfMissing: false, role: .copying)) { copy in
                    func attempt() -> SwitchWork {
                        SwitchWork(id: id, old: source, new: copy, isScoped: false) { _ in }
                    }
                    let (first, second) = (attempt(), attempt())
                    try await first.prepare(peer: old.location, from: .any)
                    let verified = try await first.verify(nil)
                    try await second.prepare(peer: old.location, from: .any)
                    try await Notes.add(["late"], to: source)
                    _ = try await second.catchUp()
                    #expect(
                        await refusal { try await first.fence(successor: "there") }?.code
                            == .carriedOutElsewhere)
                    #expect(await refusal { try await first.settle(verified) }?.code == .carriedOutElsewhere)
                    #expect(await refusal { try await first.commit(verified) }?.code == .carriedOutElsewhere)
                    let other = try await second.verify(nil)
                    #expect(try await second.fence(successor: "there"))
                    let settled = try await second.settle(other)
                    #expect(settled.report.isEqual)
                    try await second.commit(settled)
                }
            }
            #expect(try await new.markerThere().role == .active)
            #expect(try await new.with { try await Notes.all(in: $0) }.contains("late"))
        }
    }

    @Test("a switch that is aborted while it fences stays aborted")
    func fencedMeanwhile() async throws {
        try await withPlaces { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .verifying)
            let hooked = StorePlace(new.location) { options in
                let marker = try await old.markerThere()
                if marker.role == .active {
                    try await old.with { store in
                        try await store.write(.ofMarker) { tx in
                            try tx.updateMarker { marker in
                                (marker.role, marker.successor) = (.superseded, new.location)
                                marker.switching?.state = .fenced
                            }
                        }
                    }
                }
                return try await new.open(options)
            }
            try await StoreSwitch(from: old, to: hooked).abort()
            let marker = try await old.markerThere()
            #expect(marker.role == .active)
            #expect(marker.switching?.state == .aborted)
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
        }
    }

    @Test(
        "writes that bypass the store are reported, even if the switch was interrupted right after the commit"
    )
    func interruptedAfterTheCommit() async throws {
        try await withPlaces { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .committed)
            let queue = try DatabaseQueue(path: try path(of: old))
            try await queue.write { try $0.execute(sql: "UPDATE Note SET text = 'X' WHERE text = 'N7'") }
            try queue.close()
            let error = await refusal { try await change.run() }
            #expect(error?.code == .verification)
            #expect(error?.message.hasPrefix("The switch is committed, but") == true)
            #expect(error?.message.contains("Note") == true)
            // It is told once.
            #expect(try await change.run() == nil)
            #expect(try await change.status().phase == .committed)
        }
    }

    @Test("a follower learns that its data is elsewhere", arguments: TestBackend.available)
    func followed(backend: TestBackend) async throws {
        let schema = try Notes.schema.get()
        try await backend.withPlace(of: schema) { old in
            try await TestBackend.sqlite.withPlace(of: schema) { new in
                try await old.with(OpenOptions(keepsHistory: true)) { store in
                    try await Notes.add(["one"], to: store)
                    var changes = store.changes().makeAsyncIterator()
                    try await changes.begin()
                    _ = try await StoreSwitch(from: old, to: new).run()
                    let error = await refusal { while try await changes.next() != nil {} }
                    #expect(error?.code == .outOfService)
                    #expect(error?.successor == new.location)
                }
            }
        }
    }

    @Test(
        "writes that bypass a store on a server are reported, before the commit if they preceded the fence",
        .enabled(if: TestBackend.available.contains(.postgres)), arguments: [false, true])
    func pastTheServer(isFenced: Bool) async throws {
        let schema = try Notes.schema.get()
        try await TestBackend.postgres.withPlace(of: schema) { old in
            try await old.with { try await Notes.add((0..<1_500).map { "N\($0)" }, to: $0) }
            let components = URLComponents(string: old.location)?.queryItems ?? []
            let namespace = try #require(components.first { $0.name == "schema" }?.value)
            try await TestBackend.sqlite.withPlace(of: schema) { new in
                let isDone = Mutex(false)
                let place = StorePlace(new.location) { options in
                    OvertakenStore(base: try await new.open(options)) { copy in
                        let rows = try await copy.marker().switching?.copied?.rows
                        let isMoment = (try await old.marker()?.role == .superseded) == isFenced
                        guard isMoment, rows == 1_500, !isDone.withLock(\.self) else { return }
                        isDone.withLock { $0 = true }
                        try await PostgresServer.administer(
                            "UPDATE \(namespace).\"Note\" SET text = 'X' WHERE text = 'N7'")
                    }
                }
                let error = await refusal { try await StoreSwitch(from: old, to: place).run() }
                #expect(isDone.withLock { $0 })
                #expect(error?.code == .verification)
                #expect(error?.message.contains("Note") == true)
                #expect(error?.message.hasPrefix("The switch is committed, but") == isFenced)
                let role = try await old.marker()?.role
                #expect(role == (isFenced ? .superseded : .active))
            }
        }
    }

    @Test("writes during the sampling of rows are not a difference")
    func writtenWhileCompared() async throws {
        try await withPlaces { old, new in
            let isDone = Mutex(false)
            let place = StorePlace(old.location) { options in
                let store = try await old.open(options)
                guard let counting = store as? any CommitCounting else { return store }
                return CountedStore(base: store, counting: counting) {
                    // Behind the first look whether anybody has committed, when all rows were read.
                    let copied = try? await new.marker()?.switching?.copied
                    guard copied?.hasConstraints == true, !isDone.withLock({ $0 }) else { return }
                    isDone.withLock { $0 = true }
                    // Of 1,500 notes, 1,000 are drawn, so that one of these is among them.
                    try? await store.write { tx in
                        for number in 0..<20 {
                            let new = StoredValue.text("new \(number)")
                            try tx.updateRows(
                                of: "Note", set: [Assignment(attribute: "text", value: .value(new))],
                                where: .compare(.attribute("text"), .equal, .value(.text("N\(number)"))))
                        }
                    }
                }
            }
            let report = try await StoreSwitch(from: place, to: new).run()
            #expect(report?.isEqual == true)
            #expect(isDone.withLock { $0 })
            let notes = try await new.with { try await Notes.all(in: $0) }
            #expect(notes.filter { $0.hasPrefix("new") }.count == 20)
        }
    }

    @Test("a switch needs only one connection to the new store", arguments: TestBackend.available)
    func oneConnection(backend: TestBackend) async throws {
        try await withPlaces(backend) { old, new in
            try await old.with { try await Notes.add((0..<20_000).map { "More \($0)" }, to: $0) }
            let place = StorePlace(new.location) { options in
                LonelyStore(base: try await new.open(options))
            }
            #expect(try await StoreSwitch(from: old, to: place).run()?.isEqual == true)
        }
    }

    @Test("a half-aborted switch says how to continue")
    func halfGivenUp() async throws {
        try await withPlaces { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .verifying)
            try await new.with(OpenOptions(createsIfMissing: false, role: .copying)) { copy in
                try await copy.write(.ofMarker) { tx in
                    try tx.updateMarker { $0.switching?.state = .aborted }
                }
            }
            let error = await refusal { try await change.run() }
            #expect(error?.message == "The switch was being aborted. Abort it again to complete that.")
            try await change.abort()
            #expect(try await change.run()?.isEqual == true)
        }
    }

    @Test("work that always fails as if the store had been left is not retried for ever")
    func refusedForEver() async throws {
        try await withPlaces { old, new in
            let store = try await SwitchableStore.open(old) { _ in new }
            let runs = Mutex(0)
            let error = await refusal {
                try await store.read { _ in
                    runs.withLock { $0 += 1 }
                    throw StoreError(.outOfService, "The app's own.")
                }
            }
            #expect(error?.message == "The app's own.")
            #expect(runs.withLock(\.self) == 4)
            try await store.close()
        }
    }
}
