import Foundation
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

/// Two attempts at the same switch; one acts at a moment when the other does not expect it.
@Suite("Concurrent work on one switch")
struct RivalTests {
    private struct Stopped: Error {}

    /// The same place, at which somebody else is at work before the store is opened for writing for the first time.
    private func place(
        _ place: StorePlace, before work: @escaping @Sendable () async throws -> Void
    ) -> StorePlace {
        let isDone = Atomic(false)
        return StorePlace(place.location) { options in
            if options.access == .readWrite, !isDone.exchange(true, ordering: .relaxed) { try await work() }
            return try await place.open(options)
        }
    }

    /// The same place, whose store cannot be written any more after some writes.
    private func place(_ place: StorePlace, withWrites most: Int) -> StorePlace {
        StorePlace(place.location) { options in
            let writes = Atomic(0)
            return OvertakenStore(base: try await place.open(options)) { _ in
                if writes.add(1, ordering: .relaxed).newValue > most { throw Stopped() }
            }
        }
    }

    private func expectWhole(
        _ old: StorePlace, _ new: StorePlace, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await new.marker()?.role == .active, sourceLocation: sourceLocation)
        #expect(try await old.marker()?.role == .superseded, sourceLocation: sourceLocation)
        try await new.with { store in
            let count = try await Notes.all(in: store).count
            #expect(count == 1_500, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "a switch that is fenced during its abort cannot be committed any more", arguments: TestBackend.pairs)
    func fencedWhileGivenUp(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            // Begun, but nothing is prepared in the new place yet.
            await #expect(throws: Stopped.self) {
                try await StoreSwitch(from: old, to: place(new, withWrites: 0)).run()
            }
            let given = place(old) { try await StoreSwitch(from: old, to: new).stop(at: .fenced) }
            try await StoreSwitch(from: given, to: new).abort()
            #expect(try await new.marker()?.switching?.state == .aborted)
            #expect(try await old.marker()?.switching?.state == .aborted)
            try await old.with { try await Notes.add(["later"], to: $0) }
        }
    }

    @Test("a second process continues behind the fence of the first", arguments: TestBackend.pairs)
    func fencedByAnother(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .copying)
            let isDone = Atomic(false)
            let shared = StorePlace(new.location) { options in
                OvertakenStore(base: try await new.open(options)) { _ in
                    guard !isDone.exchange(true, ordering: .relaxed) else { return }
                    try await StoreSwitch(from: old, to: new).stop(at: .fenced)
                }
            }
            #expect(try await StoreSwitch(from: old, to: shared).run()?.isEqual == true)
            try await expectWhole(old, new)
        }
    }

    /// Ends a rehearsal when a rival has just read that there is one, and goes on once the rival has come to its end.
    private func end(
        _ old: StorePlace, _ new: StorePlace, beside rival: (StoreSwitch) async throws -> Void
    ) async throws {
        let (isTakenOver, takeOver) = AsyncStream.makeStream(of: Void.self)
        let (hasEnded, end) = AsyncStream.makeStream(of: Void.self)
        let writes = Atomic(0)
        let slow = StorePlace(new.location) { options in
            OvertakenStore(base: try await new.open(options)) { _ in
                guard writes.add(1, ordering: .relaxed).newValue == 2 else { return }
                takeOver.finish()
                for await _ in hasEnded {}
            }
        }
        let ending = Mutex<Task<VerificationReport?, any Error>?>(nil)
        let shared = place(new) {
            ending.withLock { $0 = Task { try await StoreSwitch(from: old, to: slow).run() } }
            for await _ in isTakenOver {}
        }
        do { try await rival(StoreSwitch(from: old, to: shared)) } catch {
            end.finish()
            throw error
        }
        end.finish()
        #expect(try await ending.withLock(\.self)?.value?.isEqual == true)
        try await expectWhole(old, new)
    }

    @Test(
        "starting to follow a rehearsal during its end blocks nothing", arguments: TestBackend.pairs)
    func followedLate(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            try await StoreSwitch(from: old, to: new).rehearse()
            try await end(old, new, beside: { try await $0.follow() })
            try await StoreSwitch(from: old, to: new).follow()
        }
    }

    @Test("resuming a rehearsal during its end blocks nothing", arguments: TestBackend.pairs)
    func rehearsedLate(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .verifying, rehearsing: true)
            try await end(
                old, new,
                beside: { change in
                    let error = await #expect(throws: StoreError.self) { try await change.rehearse() }
                    #expect(error?.code == .carriedOutElsewhere)
                })
        }
    }

    @Test(
        "a copy that was unreachable during the abort is replaced by the second attempt",
        arguments: TestBackend.pairs)
    func leftTwice(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .copying)
            let away = StorePlace(new.location) { _ in throw StoreError(.notFound, "There is nothing.") }
            try await StoreSwitch(from: old, to: away).abort()
            await #expect(throws: Stopped.self) {
                try await StoreSwitch(from: old, to: place(new, withWrites: 1)).run()
            }
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
            try await expectWhole(old, new)
        }
    }

    @Test(
        "such a copy is replaced even after an aborted switch to a third place",
        arguments: TestBackend.available)
    func leftForAnother(backend: TestBackend) async throws {
        try await Notes.withPlaces(.sqlite, backend) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .copying)
            let away = StorePlace(new.location) { _ in throw StoreError(.notFound, "There is nothing.") }
            try await StoreSwitch(from: old, to: away).abort()
            try await TestBackend.sqlite.withPlace(of: try Notes.schema.get()) { other in
                try await StoreSwitch(from: old, to: other).stop(at: .copying)
                try await StoreSwitch(from: old, to: other).abort()
            }
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
            try await expectWhole(old, new)
        }
    }

    @Test("a switch begun a moment ago is not mistaken for an abandoned copy", arguments: TestBackend.pairs)
    func begunMeanwhile(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            let isDone = Atomic(false)
            // The old store has just been looked at.
            let late = StorePlace(new.location) { options in
                if !isDone.exchange(true, ordering: .relaxed) {
                    try await StoreSwitch(from: old, to: new).stop(at: .verifying)
                }
                return try await new.open(options)
            }
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: late).run()
            }
            #expect(error?.code == .carriedOutElsewhere)
            #expect(try await new.marker()?.switching?.state == .copying)
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
            try await expectWhole(old, new)
        }
    }

    @Test("an aborted switch starts no history", arguments: TestBackend.available)
    func givenUp(backend: TestBackend) async throws {
        try await Notes.withPlaces(backend, .memory) { old, new in
            try await StoreSwitch(from: old, to: new).stop(at: .copying)
            let id = try #require(try await old.marker()?.switching?.id)
            try await StoreSwitch(from: old, to: new).abort()
            try await old.with { store in
                let error = await #expect(throws: StoreError.self) {
                    try await store.keepHistory(forSwitch: id)
                }
                #expect(error?.code == .carriedOutElsewhere)
            }
            #expect(try await old.marker()?.history?.isKept == false)
        }
    }

    @Test("a copy in the place of a backup records no history of its own", arguments: TestBackend.available)
    func backup(backend: TestBackend) async throws {
        try await Notes.withPlaces(backend, backend) { old, new in
            try await old.with { try await $0.keepHistory() }
            try await StoreSwitch(from: old, to: new).run()
            let back = StoreSwitch(from: new, to: old, replacingBackup: true)
            try await back.stop(at: .indexing)
            #expect(try await old.marker()?.history?.isKept == false)
            try await back.run()
            try await expectWhole(new, old)
            #expect(try await old.marker()?.history?.isKept == true)
            // No switch to there was ever begun.
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: new).follow()
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("a rehearsal that is not ready cannot be followed, and a follower can be cancelled")
    func followed() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .indexing, rehearsing: true)
            let early = await #expect(throws: StoreError.self) { try await change.follow() }
            #expect(early?.code == .invalidArgument)
            try await change.rehearse()
            let following = Task { try await change.follow() }
            following.cancel()
            let cancelled = await #expect(throws: StoreError.self) { try await following.value }
            #expect(cancelled?.code == .cancelled)
        }
    }

    @Test(
        "the place of a switched store leads on after its backup was retired",
        arguments: TestBackend.pairs)
    func retired(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            let open: @Sendable (OpenOptions) async throws -> SwitchableStore = { options in
                try await SwitchableStore.open(old, options: options) { _ in new }
            }
            let early = try await open(OpenOptions())
            let change = StoreSwitch(from: old, to: new)
            try await change.run()
            try await change.retire()
            try await Notes.add(["early"], to: early)
            #expect(early.location == new.location)
            try await early.close()
            for access in [OpenOptions.Access.readWrite, .readOnly] {
                let late = try await open(OpenOptions(access: access, createsIfMissing: false))
                #expect(late.location == new.location)
                #expect(try await Notes.all(in: late).count == 1_501)
                try await late.close()
            }
        }
    }
}
