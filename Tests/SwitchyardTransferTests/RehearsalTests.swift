import Foundation
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

@Suite("Rehearsed switches")
struct RehearsalTests {
    /// Waits until the copy has all that the old store has.
    private func waitForCopy(_ change: StoreSwitch) async throws {
        while try await change.status().lag != 0 { await Task.yield() }
    }

    @Test("a rehearsal's copy follows the store until the switch is committed", arguments: TestBackend.pairs)
    func following(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            let change = StoreSwitch(from: old, to: new)
            let steps = Mutex<[SwitchPhase]>([])
            let report = try await change.rehearse { progress in steps.withLock { $0.append(progress.phase) }
            }
            #expect(report.isEqual)
            #expect(steps.withLock(\.last) == .rehearsing)
            #expect(try await change.status().phase == .rehearsing)
            #expect(try await change.status().isRehearsal)
            let following = Task { try await change.follow() }
            try await old.with { store in
                for number in 0..<20 { try await Notes.add(["W\(number)"], to: store) }
            }
            try await waitForCopy(change)
            let copied = try await new.with(OpenOptions(createsIfMissing: false, role: .copying)) { copy in
                try await Notes.all(in: copy)
            }
            #expect(copied.count == 1_520)
            #expect(try await change.run()?.isEqual == true)
            try await following.value
            #expect(try await change.status().phase == .committed)
            #expect(try await !change.status().isRehearsal)
            #expect(try await new.with { try await Notes.all(in: $0) }.count == 1_520)
        }
    }

    @Test("an aborted rehearsal stops its followers")
    func givenUp() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            let early = await #expect(throws: StoreError.self) { try await change.follow() }
            #expect(early?.code == .invalidArgument)
            try await change.rehearse()
            let following = Task { try await change.follow() }
            try await change.abort()
            try await following.value
            #expect(try await change.status().phase == .aborted)
            try await old.with { try await Notes.add(["later"], to: $0) }
            #expect(try await old.markerThere().history?.isKept == false)
            try await change.rehearse()
            #expect(try await change.status().phase == .rehearsing)
        }
    }

    @Test("an interrupted rehearsal resumes as one at every step, and never becomes a switch by itself")
    func interrupted() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            for step in [SwitchPhase.copying, .indexing, .verifying] {
                try await change.stop(at: step, rehearsing: true)
                #expect(try await change.status().isRehearsal)
                #expect(try await change.status().phase != .rehearsing)
            }
            try await change.rehearse()
            try await change.rehearse()
            #expect(try await old.markerThere().role == .active)
            #expect(try await change.status().phase == .rehearsing)
        }
    }

    @Test("a switch under way cannot become a rehearsal")
    func underWay() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .copying)
            let error = await #expect(throws: StoreError.self) { try await change.rehearse() }
            #expect(error?.code == .invalidArgument)
            _ = try await change.run()
        }
    }

    @Test(
        "a rehearsed store sends reads to both stores, and the answers are equal",
        arguments: TestBackend.pairs)
    func equalAnswers(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.rehearse()
            let id = try await old.with { try await Notes.id(of: "N7", in: $0) }
            let reads: [@Sendable (ReadTransaction) throws -> Int] = [
                { try Notes.all($0).count },
                { try Notes.find(id, $0) },
                {
                    try $0.countRows(
                        of: "Note", where: .compare(.attribute("text"), .less, .value(.text("N2"))))
                },
                { try $0.fetchRows(of: "Note", sortedBy: [SortKey("text", .descending)], limit: 10).count },
            ]
            for read in reads {
                try await rehearsed(old, new) { _ = try await $0.read(read) }
            }
            // The history is each store's own.
            try await rehearsed(old, new) { _ = try await $0.read { try $0.history(after: nil).count } }
            let findings = try await change.status().findings
            #expect(findings?.compared == reads.count)
            #expect(findings?.skipped == 0)
            #expect(findings?.differing == 0)
        }
    }

    @Test("a rehearsal reports a difference without values", arguments: TestBackend.pairs)
    func difference(from: TestBackend, to: TestBackend) async throws {
        try await Notes.withPlaces(from, to) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.rehearse()
            // Somebody writes past the switch.
            try await new.with(OpenOptions(createsIfMissing: false, role: .copying)) { copy in
                _ = try await copy.write { tx in
                    try tx.deleteRows(
                        of: "Note", where: .compare(.attribute("text"), .equal, .value(.text("N3"))))
                    try tx.updateRows(
                        of: "Note", set: [Assignment(attribute: "text", value: .value(.text("other")))],
                        where: .compare(.attribute("text"), .equal, .value(.text("N4"))))
                }
            }
            let id = try await old.with { try await Notes.id(of: "N4", in: $0) }
            try await rehearsed(old, new) { store in
                let found = try await Notes.all(in: store)
                #expect(found.contains("N3"))
            }
            try await rehearsed(old, new) { _ = try await $0.read { try Notes.find(id, $0) } }
            let findings = try #require(try await change.status().findings)
            #expect(findings.compared == 2)
            #expect(findings.differing == 2)
            #expect(findings.differences.map(\.entity) == ["Note", "Note"])
            #expect(findings.differences.map(\.rows) == [1_500, 1])
            #expect(findings.differences.map(\.newRows) == [1_499, 1])
            // Verification finds it too, and the switch is not committed.
            let error = await #expect(throws: StoreError.self) { try await change.run() }
            #expect(error?.code == .verification)
            #expect(try await old.markerThere().role == .active)
        }
    }

    @Test("a read that the copy cannot answer as of the same moment is not compared")
    func behind() async throws {
        try await Notes.withPlaces(.sqlite, .memory) { old, new in
            let change = StoreSwitch(from: old, to: new)
            try await change.rehearse()
            try await old.with { try await Notes.add(["later"], to: $0) }
            try await rehearsed(old, new) { _ = try await $0.read { try Notes.all($0) } }
            #expect(try await change.status().findings?.skipped == 1)
            #expect(try await change.status().findings?.compared == 0)
            #expect(try await change.status().lag == 1)
        }
    }

    @Test("an app continues while its reads are compared, and after the switch")
    func app() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            let change = StoreSwitch(from: old, to: new)
            let place = { @Sendable (location: String) in
                try #require([old, new].last { $0.location == location })
            }
            let store = RehearsedStore(
                try await SwitchableStore.open(old, place: place), sampleRate: 1, place: place)
            try await change.rehearse()
            let following = Task { try await change.follow() }
            for number in 0..<50 {
                try await Notes.add(["W\(number)"], to: store)
                #expect(try await Notes.all(in: store).count == 1_501 + number)
            }
            // They are asked after the app has its answer.
            while try await change.status().findings == nil { await Task.yield() }
            #expect(try await change.status().findings?.differing == 0)
            _ = try await change.run()
            try await following.value
            try await Notes.add(["after"], to: store)
            #expect(try await Notes.all(in: store).count == 1_551)
            try await store.close()
            #expect(try await new.with { try await Notes.all(in: $0) }.count == 1_551)
        }
    }

    @Test("an app continues while the new store is unreachable")
    func outOfReach() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            try await StoreSwitch(from: old, to: new).rehearse()
            let store = RehearsedStore(try await old.open(OpenOptions()), sampleRate: 1) { _ in
                throw StoreError(.connectionLost, "Nobody answers.")
            }
            #expect(try await Notes.all(in: store).count == 1_500)
            try await store.close()
            #expect(try await StoreSwitch(from: old, to: new).status().findings == nil)
        }
    }

    @Test(
        "a new store that never answers does not delay the closing of the app's own", .timeLimit(.minutes(1)))
    func silent() async throws {
        try await Notes.withPlaces(.sqlite, .sqlite) { old, new in
            try await StoreSwitch(from: old, to: new).rehearse()
            let (isAsked, asked) = AsyncStream.makeStream(of: Void.self)
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
            let store = RehearsedStore(try await old.open(OpenOptions()), sampleRate: 1) { _ in
                // No cancellation ends it.
                await withCheckedContinuation { answer in
                    waiting.withLock { $0 = answer }
                    asked.finish()
                }
                return new
            }
            _ = try await Notes.all(in: store)
            for await _ in isAsked {}
            try await store.close()
            waiting.withLock(\.self)?.resume()
        }
    }

    /// Lets an app open the store, all of whose reads are compared, and close it.
    private func rehearsed(
        _ old: StorePlace, _ new: StorePlace, _ body: (any Store) async throws -> Void
    ) async throws {
        let store = RehearsedStore(try await old.open(OpenOptions(createsIfMissing: false)), sampleRate: 1) {
            location in
            try #require(location == new.location ? new : nil)
        }
        try await body(store)
        try await store.close()
    }
}
