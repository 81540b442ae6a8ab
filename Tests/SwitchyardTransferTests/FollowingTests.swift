import Foundation
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

@Suite("Followers of a switched store")
struct FollowingTests {
    private func withPlaces<Value>(
        _ from: TestBackend, _ to: TestBackend, _ body: (StorePlace, StorePlace) async throws -> Value
    ) async throws -> Value {
        let schema = try Notes.schema.get()
        return try await from.withPlace(of: schema) { old in
            try await to.withPlace(of: schema) { new in try await body(old, new) }
        }
    }

    /// Opens the store in the first place as an app does that knows both.
    private func follow(
        _ old: StorePlace, _ others: StorePlace..., options: OpenOptions = OpenOptions(),
        registry: PlaceRegistry? = nil, timeout: Duration = SwitchableStore.defaultTimeout
    ) async throws -> SwitchableStore {
        try await SwitchableStore.open(old, options: options, registry: registry, timeout: timeout) {
            location in
            try #require(([old] + others).last { $0.location == location })
        }
    }

    @Test("writers, readers and observers continue in the successor", arguments: TestBackend.pairs)
    func following(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            let store = try await follow(old, new, options: OpenOptions(keepsHistory: true))
            try await Notes.add((0..<1_500).map { "N\($0)" }, to: store)
            var seen = store.observe { try Notes.all($0) }.makeAsyncIterator()
            #expect(try await seen.next()?.count == 1_500)
            let isDone = Mutex(false)
            async let moving = StoreSwitch(from: old, to: new).run()
            async let writing = Task {
                var count = 0
                while !isDone.withLock(\.self) {
                    try await Notes.add(["W\(count)"], to: store)
                    count += 1
                }
                return count
            }.value
            _ = try await moving
            // A write through the store that has moved.
            try await Notes.add(["after"], to: store)
            isDone.withLock { $0 = true }
            let count = try await writing
            let expected = Set((0..<1_500).map { "N\($0)" } + (0..<count).map { "W\($0)" } + ["after"])
            #expect(try await Notes.all(in: store) == expected)
            #expect(store.location == new.location)
            // And one of somebody else.
            try await new.with { try await Notes.add(["other"], to: $0) }
            while let found = try await seen.next(), !found.contains("other") {}
            try await store.close()
            #expect(try await new.with { try await Notes.all(in: $0) } == expected.union(["other"]))
        }
    }

    @Test(
        "an observer of a store without a history continues in the successor, though nothing names it",
        arguments: TestBackend.pairs)
    func observing(from: TestBackend, to: TestBackend) async throws {
        // Without a history, PostgreSQL tells nobody of the rows that others write.
        guard to != .postgres else { return }
        try await withPlaces(from, to) { old, new in
            let store = try await follow(old, new)
            try await Notes.add(["first"], to: store)
            var seen = store.observe { try Notes.all($0) }.makeAsyncIterator()
            #expect(try await seen.next() == ["first"])
            _ = try await StoreSwitch(from: old, to: new).run()
            try await new.with { try await Notes.add(["other"], to: $0) }
            while let found = try await seen.next(), !found.contains("other") {}
            #expect(store.location == new.location)
            try await store.close()
        }
    }

    @Test("a follower that starts during a switch follows the successor", arguments: TestBackend.pairs)
    func movedMeanwhile(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            let directory = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID())")
            defer { try? FileManager.default.removeItem(at: directory) }
            let registry = PlaceRegistry(path: directory.path)
            let options = OpenOptions(keepsHistory: true)
            let store = try await follow(old, new, options: options, registry: registry)
            try await Notes.add(["first"], to: store)
            _ = try await StoreSwitch(from: old, to: new, registry: registry).run()
            // It learns of the switch as it looks for the end of the history.
            var changes = store.changes().makeAsyncIterator()
            #expect(try await changes.next() != nil)
            #expect(store.location == new.location)
            try await new.with { try await Notes.add(["other"], to: $0) }
            #expect(try await changes.next() != nil)
            try await store.close()
        }
    }

    @Test(
        "a write held back by a switch continues after the commit, or after the abort",
        arguments: [
            true, false,
        ])
    func heldBack(isCommitted: Bool) async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            let store = try await follow(old, new)
            try await Notes.add(["first"], to: store)
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .fenced)
            let (began, begin) = AsyncStream.makeStream(of: Void.self)
            let writing = Task {
                begin.finish()
                try await Notes.add(["held"], to: store)
            }
            for await _ in began {}
            if isCommitted { _ = try await change.run() } else { try await change.abort() }
            try await writing.value
            #expect(store.location == (isCommitted ? new : old).location)
            #expect(try await Notes.all(in: store) == ["first", "held"])
            try await store.close()
        }
    }

    @Test("a write does not wait for ever for an abandoned switch")
    func timeout() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            let store = try await follow(old, new, timeout: .zero)
            try await Notes.add(["first"], to: store)
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .fenced)
            let error = await #expect(throws: StoreError.self) { try await Notes.add(["late"], to: store) }
            #expect(error?.code == .incompleteCopy)
            // It can still be read, also by a new opening.
            #expect(try await Notes.all(in: store) == ["first"])
            let reader = try await follow(old, new, options: OpenOptions(access: .readOnly))
            #expect(try await Notes.all(in: reader) == ["first"])
            #expect(reader.location == old.location)
            let opening = await #expect(throws: StoreError.self) {
                try await follow(old, new, timeout: .zero)
            }
            #expect(opening?.code == .incompleteCopy)
            _ = try await change.run()
            try await Notes.add(["late"], to: store)
            #expect(try await Notes.all(in: store) == ["first", "late"])
            try await store.close()
            try await reader.close()
        }
    }

    @Test(
        "a read-only opening finds the successor, though nothing reported the commit"
    )
    func committed() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await old.with { try await Notes.add(["first"], to: $0) }
            try await StoreSwitch(from: old, to: new).stop(at: .committed)
            try await new.with { try await Notes.add(["second"], to: $0) }
            let reader = try await follow(old, new, options: OpenOptions(access: .readOnly))
            #expect(try await Notes.all(in: reader) == ["first", "second"])
            try await reader.close()
        }
    }

    @Test("another store at the old place is not mistaken for it")
    func replaced() async throws {
        try await withDirectory { directory in
            let registry = PlaceRegistry(path: directory.appending(path: "Places").path)
            try await withPlaces(.sqlite, .memory) { old, new in
                let store = try await follow(old, new, registry: registry)
                try await Notes.add(["first"], to: store)
                _ = try await StoreSwitch(from: old, to: new, registry: registry).run()
                #expect(try await Notes.all(in: store) == ["first"])
                try registry.note(
                    PlaceRecord(storeID: UUID(), generation: 9, location: old.location, formerly: ["x"]))
                #expect(try await Notes.all(in: store) == ["first"])
                #expect(store.location == new.location)
                try await store.close()
            }
        }
    }

    @Test("a follower of own commits only is told of a switch, and of nothing else that others do")
    func ownOnly() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            let store = try await follow(old, new, options: OpenOptions(keepsHistory: true))
            try await Notes.add(["first"], to: store)
            var changes = store.changes(includingOthers: false).makeAsyncIterator()
            _ = try await StoreSwitch(from: old, to: new).run()
            try await Notes.add(["second"], to: store)
            let moved = try #require(try await changes.next())
            #expect(moved.entities == nil)
            let reads = Atomic(0)
            let looking = LookingStore(base: store) { _ = reads.add(1, ordering: .relaxed) }
            var later = looking.changes(includingOthers: false).makeAsyncIterator()
            try await Notes.add(["third"], to: store)
            #expect(try await later.next()?.entities == ["Note"])
            #expect(try await changes.next()?.entities == ["Note"])
            #expect(reads.load(ordering: .relaxed) == 0)
            try await store.close()
        }
    }

    @Test("a reader learns of a switch by the registry, at the next read")
    func reading() async throws {
        try await withDirectory { directory in
            let registry = PlaceRegistry(path: directory.appending(path: "Places").path)
            try await withPlaces(.sqlite, .memory) { old, new in
                try await old.with { try await Notes.add(["first"], to: $0) }
                let options = OpenOptions(access: .readOnly)
                let reader = try await follow(old, new, options: options, registry: registry)
                #expect(reader.location == old.location)
                _ = try await StoreSwitch(from: old, to: new, registry: registry).run()
                try await new.with { try await Notes.add(["second"], to: $0) }
                #expect(try await Notes.all(in: reader) == ["first", "second"])
                #expect(reader.location == new.location)
                try await reader.close()
                // A later opening finds the new place with the registry, and without.
                for registry in [registry, nil] {
                    let late = try await follow(old, new, options: options, registry: registry)
                    #expect(try await Notes.all(in: late) == ["first", "second"])
                    try await late.close()
                }
            }
        }
    }

    @Test("the registry finds the store when the old one is gone")
    func withoutTheOldOne() async throws {
        try await withDirectory { directory in
            let registry = PlaceRegistry(path: directory.appending(path: "Places").path)
            try await withPlaces(.sqlite, .sqlite) { old, new in
                try await old.with { try await Notes.add(["first"], to: $0) }
                _ = try await StoreSwitch(from: old, to: new, registry: registry).run()
                let path = try #require(old.location.split(separator: ":").last.map { String($0) })
                try FileManager.default.removeItem(atPath: path)
                let store = try await follow(old, new, registry: registry)
                #expect(try await Notes.all(in: store) == ["first"])
                try await store.close()
                // Another store that has taken its place is not taken for it, and none is made there.
                let newPath = try #require(new.location.split(separator: ":").last.map { String($0) })
                try FileManager.default.removeItem(atPath: newPath)
                let missing = await #expect(throws: StoreError.self) {
                    try await follow(old, new, registry: registry)
                }
                #expect(missing?.code == .notFound)
                try await new.with { try await Notes.add(["stranger"], to: $0) }
                let error = await #expect(throws: StoreError.self) {
                    try await follow(old, new, registry: registry)
                }
                #expect(error?.code == .identityConflict)
                #expect(error?.message.contains("is another one") == true)
            }
        }
    }

    @Test("a store that was switched there, back and on is found from every former place")
    func chain() async throws {
        try await withPlaces(.sqlite, .memory) { first, second in
            try await TestBackend.sqlite.withPlace(of: try Notes.schema.get()) { third in
                try await first.with { try await Notes.add(["first"], to: $0) }
                _ = try await StoreSwitch(from: first, to: second).run()
                try await second.with { try await Notes.add(["second"], to: $0) }
                // The place of the backup is taken, unless it may be replaced.
                let taken = await #expect(throws: StoreError.self) {
                    try await StoreSwitch(from: second, to: first).run()
                }
                #expect(taken?.message.contains("is the backup that an earlier switch") == true)
                let back = try await StoreSwitch(from: second, to: first, replacingBackup: true).run()
                #expect(back?.isEqual == true)
                #expect(try await first.with { try await Notes.all(in: $0) } == ["first", "second"])
                _ = try await StoreSwitch(from: first, to: third).run()
                for place in [first, second, third] {
                    let store = try await follow(place, first, second, third)
                    #expect(store.location == third.location)
                    let (generation, faults) = (try await store.marker().generation, try await store.check())
                    #expect(generation == 4)
                    #expect(faults == [])
                    try await store.close()
                }
            }
        }
    }

    #if os(Linux)
        @Test("a follower of repeated switches closes all that it has opened")
        func descriptors() async throws {
            try await withPlaces(.sqlite, .sqlite) { first, second in
                let store = try await follow(first, second, options: OpenOptions(keepsHistory: true))
                try await Notes.add(["first"], to: store)
                let observing = Task { for try await _ in store.observe({ try Notes.all($0) }) {} }
                let following = Task { for try await _ in store.changes() {} }
                for hop in 1...7 {
                    let (old, new) = hop % 2 == 1 ? (first, second) : (second, first)
                    _ = try await StoreSwitch(from: old, to: new, replacingBackup: hop > 1).run()
                    try await Notes.add(["hop \(hop)"], to: store)
                }
                let files = try [first, second].map {
                    try #require($0.location.split(separator: ":").last.map { String($0) })
                }
                // Each connection has the file and its log: five that read, one that writes, and one that watches.
                #expect(openFiles().count { $0.hasPrefix(files[1]) } <= 15)
                #expect(openFiles().contains { $0.hasPrefix(files[1]) })
                try await store.close()
                try await observing.value
                try await following.value
                for file in files { #expect(openFiles().filter { $0.hasPrefix(file) } == []) }
            }
        }

        /// What the descriptors of this process are open on.
        private func openFiles() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
        }
    #endif

    @Test("the successor knows which writes were committed before", arguments: TestBackend.pairs)
    func operations(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            let before = (0..<300).map { _ in OperationID() }
            let (during, never) = (OperationID(), OperationID())
            try await old.with { store in
                for (number, operation) in before.enumerated() {
                    try await Notes.add(["N\(number)"], to: store, operation: operation)
                }
                let isDone = Mutex(false)
                let (moved, move) = AsyncStream.makeStream(of: Void.self)
                async let moving = StoreSwitch(from: old, to: new).run { progress in
                    guard progress.phase == .indexing else { return }
                    isDone.withLock { $0 = true }
                    move.finish()
                }
                for await _ in moved {}
                _ = try? await Notes.add(["during"], to: store, operation: during)
                _ = try await moving
                let wasTold = isDone.withLock { $0 }
                #expect(wasTold)
            }
            let wasDuring = try await old.with(OpenOptions(access: .readOnly)) {
                try await $0.wasCommitted(during)
            }
            try await new.with { store in
                for operation in before {
                    let isKnown = try await store.wasCommitted(operation)
                    #expect(isKnown)
                }
                let others = (try await store.wasCommitted(during), try await store.wasCommitted(never))
                #expect(others == (wasDuring, false))
                let again = await #expect(throws: StoreError.self) {
                    try await Notes.add(["again"], to: store, operation: before[7])
                }
                #expect(again?.code == .duplicateOperation)
            }
        }
    }

    @Test(
        "the successor knows of a write that changed nothing",
        arguments: TestBackend.pairs)
    func operationWithoutChange(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with { try await Notes.add((0..<5).map { "N\($0)" }, to: $0) }
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .verifying)
            let empty = OperationID()
            try await old.with { store in try await store.write(WriteOptions(operation: empty)) { _ in } }
            _ = try await change.run()
            #expect(try await new.with { try await $0.wasCommitted(empty) })
        }
    }
}
