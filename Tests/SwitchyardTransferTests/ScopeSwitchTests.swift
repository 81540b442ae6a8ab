import Foundation
import GRDB
import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import TestBackends
import Testing

@Suite("Switches of a store with scopes")
struct ScopeSwitchTests {
    /// Notes that can refer to one another, in any order.
    private static let schema = Result {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity(
                    "Note",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("text", type: .text),
                        Attribute("answer", type: .uuid, isOptional: true, reference: "Note"),
                    ], uniqueConstraints: [UniqueConstraint(["text"])]),
                Entity("Tag", attributes: [Attribute("id", type: .uuid), Attribute("name", type: .text)]),
            ])
    }

    private static let pairs =
        TestBackend.shared.flatMap { from in TestBackend.shared.map { (from, $0) } }
        + TestBackend.distributed.flatMap { [(.sqlite, $0), ($0, .sqlite)] }

    private static func id(_ number: Int) -> UUID {
        UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 16 & 255), UInt8(number >> 8 & 255),
                UInt8(number & 255)
            ))
    }

    /// A scope whose place in the order is known.
    private static func scope(_ number: Int) -> StoreScope {
        StoreScope(
            UUID(uuid: (UInt8(number >> 8), UInt8(number & 255), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)))
    }

    private static let (home, away, third, born) = (scope(2), scope(3), scope(4), scope(1))

    /// Notes with the same ids and texts in every scope, but for what the scope adds to the texts: each refers to the one
    /// after it, and the last to the first.
    private static func fill(
        _ store: any Store, _ scope: StoreScope, notes count: Int, _ suffix: String,
        operation: OperationID? = nil
    ) async throws {
        try await store.write(WriteOptions(operation: operation, scope: scope)) { tx in
            _ = try tx.insertRows(
                into: "Note",
                (0..<count).map {
                    [.uuid(id($0)), .text("N\($0)\(suffix)"), .uuid(id(($0 + 1) % count))]
                })
        }
    }

    private static func texts(_ store: any Store, _ scope: StoreScope) async throws -> Set<String> {
        try await store.read(ReadOptions(scopes: [scope])) { tx in
            Set(
                try tx.fetchRows(of: "Note").compactMap {
                    if case .text(let text) = $0[1] { text } else { nil }
                })
        }
    }

    /// Expects exactly some texts in a scope.
    private static func expect(
        _ texts: Set<String>, in scope: StoreScope, of store: any Store,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await Self.texts(store, scope)
        #expect(found == texts, sourceLocation: sourceLocation)
    }

    private static func notes(_ numbers: Range<Int>, _ suffix: String) -> Set<String> {
        Set(numbers.map { "N\($0)\(suffix)" })
    }

    private func withPlaces<Value>(
        _ from: TestBackend, _ to: TestBackend, _ body: (StorePlace, StorePlace) async throws -> Value
    ) async throws -> Value {
        let schema = try Self.schema.get()
        return try await from.withPlace(of: schema) { old in
            try await to.withPlace(of: schema) { new in try await body(old, new) }
        }
    }

    @Test("with scopes, writes past the old store are reported although the new one cannot be completed")
    func untidied() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) {
                try await Self.fill($0, Self.home, notes: 3, "h")
            }
            try await StoreSwitch(from: old, to: new).stop(at: .committed)
            try await old.unfence(scope: Self.home)
            try await old.with(OpenOptions(scope: Self.home)) {
                try await Self.fill($0, Self.away, notes: 1, "a")
            }
            let away = StorePlace(new.location) { options in
                guard options.access == .readOnly else { throw StoreError(.connectionLost, "It is away.") }
                return try await new.open(options)
            }
            let error = await #expect(throws: StoreError.self) {
                _ = try await StoreSwitch(from: old, to: away).run()
            }
            #expect(error?.code == .verification)
            #expect(try await StoreSwitch(from: old, to: new).run() == nil)
        }
    }

    @Test(
        "rows arrive in their scopes, and equal ids in different scopes stay apart",
        arguments: pairs)
    func moved(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            let (operation, other, lonely) = (OperationID(), OperationID(), OperationID())
            let before = try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.home, notes: 1_500, "h", operation: operation)
                try await Self.fill(store, Self.away, notes: 700, "a", operation: other)
                // A scope with nothing but the id of a write.
                try await store.write(WriteOptions(operation: lonely, scope: Self.third)) { _ in }
                return try await store.marker()
            }
            let report = try #require(try await StoreSwitch(from: old, to: new).run())
            #expect(report.isEqual)
            #expect(report.entities.map(\.first.count) == [2_200, 0])
            #expect(report.entities.map(\.second.count) == [2_200, 0])
            let marker = try #require(try await new.marker())
            #expect(marker.storeID == before.storeID)
            #expect(marker.generation == 2)
            #expect(marker.scopeColumn == "switchyard_scope")
            #expect(marker.history?.isKept == false)
            #expect(try await old.marker()?.role == .superseded)
            // Refused in each scope.
            for scope in [Self.home, Self.away, Self.born] {
                let error = await #expect(throws: StoreError.self) {
                    try await old.with(OpenOptions(scope: scope)) {
                        try await Self.fill($0, scope, notes: 1, "x")
                    }
                }
                #expect(error?.code == .outOfService)
            }
            try await new.with(OpenOptions(scope: Self.away)) { store in
                try await Self.expect(Self.notes(0..<1_500, "h"), in: Self.home, of: store)
                try await Self.expect(Self.notes(0..<700, "a"), in: Self.away, of: store)
                try await Self.expect([], in: Self.third, of: store)
                var known: [Bool] = []
                for scope in [Self.home, Self.away, Self.third] {
                    for id in [operation, other, lonely] {
                        known.append(try await store.wasCommitted(id, in: scope))
                    }
                }
                #expect(known == [true, false, false, false, true, false, false, false, true])
                for scope in [Self.home, Self.away, Self.third] {
                    #expect(
                        try await store.read(ReadOptions(scopes: [scope])) { try $0.historyConsumers() } == []
                    )
                }
                // The constraints of each scope are those of any store.
                let twice = await #expect(throws: StoreError.self) {
                    try await store.write { tx in
                        _ = try tx.insertRows(into: "Note", [[.uuid(UUID()), .text("N1a"), .null]])
                    }
                }
                #expect(twice?.code == .unique)
                let dangling = await #expect(throws: StoreError.self) {
                    try await store.write { tx in
                        _ = try tx.insertRows(
                            into: "Note", [[.uuid(UUID()), .text("new"), .uuid(Self.id(1_000))]])
                    }
                }
                #expect(dangling?.code == .foreignKey)
                try await store.write { tx in
                    _ = try tx.insertRows(into: "Note", [[.uuid(UUID()), .text("N1h"), .uuid(Self.id(1))]])
                }
                #expect(try await store.check() == [])
            }
        }
    }

    @Test(
        "writes in several scopes arrive during a switch, also in a new scope", arguments: pairs
    )
    func written(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                for (scope, suffix) in [(Self.home, "h"), (Self.away, "a")] {
                    try await Self.fill(store, scope, notes: 2_500, suffix)
                }
                let (steps, telling) = AsyncStream.makeStream(of: SwitchPhase.self)
                async let moving = StoreSwitch(from: old, to: new).run { telling.yield($0.phase) }
                async let bearing = Self.bear(in: store, at: steps)
                // Each writer inserts, renames and deletes until the store refuses.
                let written = try await withThrowingTaskGroup { group in
                    for (scope, suffix, first) in [
                        (Self.home, "h", 2_500), (Self.away, "a", 2_500), (Self.born, "b", 0),
                    ] {
                        group.addTask { (scope, try await Self.write(store, scope, suffix, from: first)) }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                let report = try #require(try await moving)
                #expect(report.isEqual)
                let count = try await bearing
                #expect(count > 0)
                try await new.with(OpenOptions(scope: Self.home)) { store in
                    for number in 0..<count {
                        try await Self.expect(
                            Self.notes(0..<2, "\(number)"), in: Self.scope(30_000 - number), of: store)
                    }
                    try await Self.expect([], in: Self.scope(30_000 - count), of: store)
                    for (scope, expected) in written {
                        try await Self.expect(expected, in: scope, of: store)
                        #expect(!expected.isEmpty)
                    }
                }
                for scope in [Self.home, Self.away, Self.born] {
                    #expect(try await new.with(OpenOptions(scope: scope)) { try await $0.check() } == [])
                }
            }
        }
    }

    /// Writes in some new scopes at each step of a switch, each before the last one, until the store refuses.
    ///
    /// - Returns: The number of scopes.
    private static func bear(
        in store: any Store, at steps: AsyncStream<SwitchPhase>
    ) async throws -> Int {
        var number = 0
        for await step in steps {
            for _ in 0..<(step == .copying ? 1 : 30) {
                do {
                    try await fill(store, scope(30_000 - number), notes: 2, "\(number)")
                } catch let error as StoreError where error.code == .outOfService { return number }
                number += 1
            }
        }
        return number
    }

    /// Writes in one scope until the store refuses.
    ///
    /// - Returns: What the scope has then.
    private static func write(
        _ store: any Store, _ scope: StoreScope, _ suffix: String, from first: Int
    ) async throws -> Set<String> {
        var (expected, number) = (try await texts(store, scope), first)
        while true {
            let next = number
            do {
                try await store.write(WriteOptions(scope: scope)) { tx in
                    _ = try tx.insertRows(
                        into: "Note", [[.uuid(id(next)), .text("N\(next)\(suffix)"), .uuid(id(next))]])
                    _ = try tx.updateRows(
                        of: "Note",
                        set: [Assignment(attribute: "text", value: .value(.text("R\(next)\(suffix)")))],
                        where: .compare(
                            .attribute("text"), .equal, .value(.text("N\(next - 100)\(suffix)"))))
                    _ = try tx.driver.delete(
                        from: try tx.schema.require("Note"),
                        where: .all([
                            .compare(.attribute("text"), .equal, .value(.text("R\(next - 50)\(suffix)"))),
                            .compare(.attribute("answer"), .equal, .value(.uuid(id(next - 150)))),
                        ]))
                }
            } catch let error as StoreError where error.code == .outOfService {
                #expect(error.successor != nil)
                return expected
            }
            expected.insert("N\(next)\(suffix)")
            if expected.remove("N\(next - 100)\(suffix)") != nil { expected.insert("R\(next)\(suffix)") }
            // Those that refer to themselves.
            if next - 150 >= first { expected.remove("R\(next - 50)\(suffix)") }
            number += 1
        }
    }

    @Test("with scopes, a switch interrupted at any step resumes", arguments: pairs)
    func interrupted(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.home, notes: 2_200, "h")
                try await Self.fill(store, Self.away, notes: 5, "a")
                try await Self.fill(store, Self.third, notes: 1_100, "t")
            }
            var (interruptions, late) = (0, [Int]())
            while true {
                let change = StoreSwitch(from: old, to: new)
                if try await change.isDone(cancelledAfter: interruptions + 1) { break }
                interruptions += 1
                // A scope before those that were copied changes each time, and one comes, while that is still possible.
                if interruptions < 6, try await old.marker()?.role == .active {
                    let number = interruptions
                    late.append(number)
                    try await old.with(OpenOptions(scope: Self.home)) { store in
                        try await store.write { tx in
                            _ = try tx.insertRows(
                                into: "Note", [[.uuid(Self.id(5_000 + number)), .text("L\(number)"), .null]])
                        }
                        try await Self.fill(store, Self.scope(10 - number), notes: 2, "\(number)")
                    }
                }
                try #require(interruptions < 50)
            }
            #expect(interruptions > 5)
            #expect(late.count > 2)
            #expect(try await StoreSwitch(from: old, to: new).run() == nil)
            try await new.with(OpenOptions(scope: Self.home)) { store in
                try await Self.expect(
                    Self.notes(0..<2_200, "h").union(late.map { "L\($0)" }), in: Self.home, of: store)
                try await Self.expect(Self.notes(0..<5, "a"), in: Self.away, of: store)
                try await Self.expect(Self.notes(0..<1_100, "t"), in: Self.third, of: store)
                for number in late {
                    try await Self.expect(
                        Self.notes(0..<2, "\(number)"), in: Self.scope(10 - number), of: store)
                }
            }
        }
    }

    @Test("with scopes, a switch can be aborted at any step but the last, and restarted", arguments: pairs)
    func aborted(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.home, notes: 1_100, "h")
                try await Self.fill(store, Self.away, notes: 20, "a")
            }
            let change = StoreSwitch(from: old, to: new)
            for step in [SwitchPhase.copying, .indexing, .verifying, .fencing, .fenced] {
                try await change.stop(at: step)
                #expect(try await change.status().isUnderWay)
                try await change.abort()
                let marker = try #require(try await old.marker())
                #expect(marker.role == .active)
                #expect(marker.switching?.state == .aborted)
                #expect(marker.history?.isKept == false)
                // The old store is used on: what the copy has is not what the next switch may leave there.
                try await old.with(OpenOptions(scope: Self.away)) { store in
                    _ = try await store.write { tx in
                        try tx.updateRows(
                            of: "Note", set: [Assignment(attribute: "text", value: .value(.text("\(step)")))],
                            where: .compare(.attribute("id"), .equal, .value(.uuid(Self.id(5)))))
                    }
                }
            }
            #expect(try await change.run()?.isEqual == true)
            try await new.with(OpenOptions(scope: Self.away)) { store in
                try await Self.expect(
                    Self.notes(0..<20, "a").subtracting(["N5a"]).union(["fenced"]), in: Self.away, of: store
                )
                try await Self.expect(Self.notes(0..<1_100, "h"), in: Self.home, of: store)
            }
        }
    }

    @Test("a store with scopes is switched there and back into its backup", arguments: pairs)
    func back(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(scope: Self.home, keepsHistory: true)) { store in
                try await Self.fill(store, Self.home, notes: 30, "h")
                try await Self.fill(store, Self.away, notes: 20, "a")
                try await Self.fill(store, Self.third, notes: 10, "t")
            }
            let there = try #require(try await StoreSwitch(from: old, to: new).run())
            // One scope is emptied, another one comes.
            try await new.with(OpenOptions(scope: Self.third)) { store in
                _ = try await store.write { tx in
                    try tx.driver.delete(from: try tx.schema.require("Note"), where: .constant(true))
                }
                try await Self.fill(store, Self.born, notes: 4, "b")
            }
            let back = try #require(try await StoreSwitch(from: new, to: old, replacingBackup: true).run())
            #expect(there.entities[0].second.count == 60)
            #expect(back.entities[0].second.count == 54)
            let marker = try #require(try await old.marker())
            #expect(marker.generation == 3)
            #expect(marker.history?.isKept == true)
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.expect(Self.notes(0..<30, "h"), in: Self.home, of: store)
                try await Self.expect(Self.notes(0..<20, "a"), in: Self.away, of: store)
                try await Self.expect([], in: Self.third, of: store)
                try await Self.expect(Self.notes(0..<4, "b"), in: Self.born, of: store)
                // The history goes on in each scope, from its beginning.
                try await Self.fill(store, Self.third, notes: 1, "t")
                let token = try await store.read(ReadOptions(scopes: [Self.third])) { try $0.historyToken() }
                #expect(token.sequence == 1)
            }
        }
    }

    @Test("two processes that switch a store with scopes lose and double nothing", arguments: pairs)
    func twice(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                for number in 1...12 {
                    try await Self.fill(store, Self.scope(number), notes: 200, "\(number)")
                }
            }
            let outcomes = await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask { await Result { try await StoreSwitch(from: old, to: new).run() } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for case .failure(let error) in outcomes {
                #expect(
                    ((error as? StoreError)?.code).map { StoreError.Code.ofRivals.contains($0) }
                        == true,
                    "\(error)")
            }
            if try await old.marker()?.switching?.state != .committed {
                try await StoreSwitch(from: old, to: new).run()
            }
            try await new.with(OpenOptions(scope: Self.home)) { store in
                for number in 1...12 {
                    try await Self.expect(Self.notes(0..<200, "\(number)"), in: Self.scope(number), of: store)
                }
            }
        }
    }

    @Test("many scopes are switched, and the markers stay small", arguments: [TestBackend.sqlite])
    func many(backend: TestBackend) async throws {
        try await withPlaces(backend, backend) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                for number in 1...1_050 {
                    try await Self.fill(store, Self.scope(number), notes: 2, "\(number)")
                }
            }
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .verifying)
            #expect(try await change.status().rows == 2_100)
            let size = try JSONEncoder().encode(try #require(try await new.marker())).count
            #expect(size < 4_096)
            #expect(try await change.run()?.entities[0].second.count == 2_100)
            try await new.with(OpenOptions(scope: Self.scope(1_050))) { store in
                try await Self.expect(["N01", "N11"], in: Self.scope(1), of: store)
                try await Self.expect(["N01001", "N11001"], in: Self.scope(1_001), of: store)
                try await Self.expect(["N01050", "N11050"], in: Self.scope(1_050), of: store)
            }
        }
    }

    @Test(
        "a switch's status sums over all scopes, and pruning waits for them",
        arguments: TestBackend.shared)
    func status(backend: TestBackend) async throws {
        try await withPlaces(backend, .sqlite) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.home, notes: 10, "h")
                try await Self.fill(store, Self.away, notes: 1_500, "a")
            }
            let change = StoreSwitch(from: old, to: new)
            #expect(try await change.status().phase == nil)
            try await change.stop(at: .copying)
            #expect(try await change.status().phase == .copying)
            try await change.stop(at: .indexing)
            #expect(try await change.status().phase == .indexing)
            try await change.stop(at: .verifying)
            #expect(try await change.status().phase == .verifying)
            #expect(try await change.status().lag == 0)
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.born, notes: 1, "b")
                for (scope, number) in [(Self.home, 1), (Self.away, 2), (Self.away, 3)] {
                    try await store.write(WriteOptions(scope: scope)) { tx in
                        _ = try tx.insertRows(
                            into: "Tag", [[.uuid(Self.id(number)), .text("\(number)")]])
                    }
                }
                #expect(try await store.pruneHistory(keepingLast: 1, in: Self.away) == 0)
            }
            #expect(try await change.status().lag == 3)
            #expect(try await change.run()?.entities.map(\.second.count) == [1_511, 3])
            #expect(try await change.status().phase == .committed)
            try await change.retire()
            #expect(try await change.status().phase == .retired)
        }
    }

    @Test("a writer that follows a switched store stays in its scope")
    func following() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            let store = try await SwitchableStore.open(old, options: OpenOptions(scope: Self.home)) {
                location in
                try #require([old, new].first { $0.location == location })
            }
            try await Self.fill(store, Self.home, notes: 5, "h")
            try await Self.fill(store, Self.away, notes: 5, "a")
            let change = StoreSwitch(from: old, to: new)
            try await change.stop(at: .fenced)
            async let writing: Void = store.write(WriteOptions(scope: Self.away)) { tx in
                _ = try tx.insertRows(into: "Note", [[.uuid(Self.id(9)), .text("held"), .null]])
            }
            _ = try await change.run()
            try await writing
            #expect(store.location == new.location)
            try await Self.expect(Self.notes(0..<5, "a").union(["held"]), in: Self.away, of: store)
            try await Self.expect(Self.notes(0..<5, "h"), in: Self.home, of: store)
            try await store.close()
        }
    }

    @Test("a rehearsal follows every scope, and compares reads of one", arguments: pairs)
    func rehearsed(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            let home = OpenOptions(scope: Self.home)
            try await old.with(home) { store in
                try await Self.fill(store, Self.home, notes: 5, "h")
                try await Self.fill(store, Self.away, notes: 5, "a")
            }
            let change = StoreSwitch(from: old, to: new)
            try await change.rehearse()
            let following = Task { try await change.follow() }
            try await old.with(home) { store in
                try await Self.fill(store, Self.born, notes: 5, "b")
                try await store.write(WriteOptions(scope: Self.away)) { tx in
                    _ = try tx.insertRows(into: "Note", [[.uuid(Self.id(9)), .text("late"), .null]])
                }
            }
            var copy = OpenOptions(createsIfMissing: false, role: .copying)
            copy.scope = Self.home
            try await new.with(copy) { store in
                while try await Self.texts(store, Self.away).count < 6 { await Task.yield() }
                while try await Self.texts(store, Self.born).count < 5 { await Task.yield() }
            }
            for scope in [Self.home, Self.away, Self.born] {
                let store = RehearsedStore(try await old.open(home), sampleRate: 1) { _ in new }
                _ = try await Self.texts(store, scope)
                // Answers of several scopes at once have no one place in a history.
                _ = try await store.read(ReadOptions(scopes: [Self.home, Self.away])) {
                    try $0.fetchRows(of: "Note").count
                }
                try await store.close()
            }
            let findings = try #require(try await change.status().findings)
            #expect(findings.compared == 3)
            #expect(findings.differing == 0)
            #expect(try await change.run()?.isEqual == true)
            try await following.value
            try await new.with(home) { store in
                try await Self.expect(Self.notes(0..<5, "a").union(["late"]), in: Self.away, of: store)
                try await Self.expect(Self.notes(0..<5, "b"), in: Self.born, of: store)
            }
        }
    }

    @Test("a switch to a backend without scopes is refused before anything is changed")
    func memory() async throws {
        try await withPlaces(.sqlite, .memory) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) {
                try await Self.fill($0, Self.home, notes: 5, "h")
            }
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: new).run()
            }
            #expect(error?.code == .unsupported)
            let marker = try #require(try await old.marker())
            #expect(marker.role == .active)
            #expect(marker.switching == nil)
            #expect(marker.history == nil)
        }
    }

    /// Does to the file what no store would do.
    private static func tamper(_ place: StorePlace, _ sql: String) throws {
        let path = try #require(place.location.split(separator: ":").last.map { String($0) })
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("a fault in any scope is found before anything is created")
    func preflight() async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.home, notes: 5, "h")
                try await Self.fill(store, Self.away, notes: 5, "a")
            }
            try Self.tamper(old, "DELETE FROM Note WHERE text = 'N3a'")
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: new).run()
            }
            #expect(error?.code == .corrupted)
            #expect(
                error?.message.contains("1 row of Note refers by answer to a row that does not exist") == true
            )
            #expect(try await new.marker() == nil)
        }
    }

    @Test(
        "a row moved between scopes past the store is noticed",
        arguments: [SwitchPhase.verifying, .fencing])
    func pastTheStore(step: SwitchPhase) async throws {
        try await withPlaces(.sqlite, .sqlite) { old, new in
            try await old.with(OpenOptions(scope: Self.home)) { store in
                try await Self.fill(store, Self.home, notes: 5, "h")
                try await store.write { tx in
                    _ = try tx.insertRows(into: "Tag", [[.uuid(Self.id(1)), .text("tag")]])
                }
                try await Self.fill(store, Self.away, notes: 5, "a")
            }
            let isDone = Mutex(false)
            let error = await #expect(throws: StoreError.self) {
                try await StoreSwitch(from: old, to: new).run { progress in
                    guard progress.phase == step, !isDone.withLock(\.self) else { return }
                    isDone.withLock { $0 = true }
                    do {
                        try Self.tamper(
                            old,
                            "UPDATE Tag SET switchyard_scope = (SELECT MAX(switchyard_scope) FROM Note)")
                    } catch { Issue.record(error) }
                }
            }
            #expect(error?.code == .verification)
            #expect(error?.message.contains("in Tag") == true)
            guard step == .verifying else {
                #expect(error?.message.hasPrefix("The switch is committed, but") == true)
                return
            }
            #expect(error?.message.contains("of the scope \(Self.home)") == true)
            try await StoreSwitch(from: old, to: new).abort()
            #expect(try await StoreSwitch(from: old, to: new).run()?.isEqual == true)
            let tags = try await new.with(OpenOptions(scope: Self.away)) { store in
                try await store.read { try $0.countRows(of: "Tag") }
            }
            #expect(tags == 1)
        }
    }

    @Test("a copy of another store with scopes is not touched", arguments: TestBackend.shared)
    func foreignCopy(backend: TestBackend) async throws {
        try await withPlaces(.sqlite, backend) { first, new in
            try await TestBackend.sqlite.withPlace(of: try Self.schema.get()) { second in
                try await first.with(OpenOptions(scope: Self.home)) {
                    try await Self.fill($0, Self.home, notes: 10, "h")
                }
                try await second.with(OpenOptions(scope: Self.home)) {
                    try await Self.fill($0, Self.home, notes: 700, "s")
                }
                let isDone = Atomic(false)
                let shared = StorePlace(new.location) { options in
                    if options.access == .readWrite, !isDone.exchange(true, ordering: .relaxed) {
                        try await StoreSwitch(from: second, to: new).stop(at: .verifying)
                    }
                    return try await new.open(options)
                }
                let error = await #expect(throws: StoreError.self) {
                    try await StoreSwitch(from: first, to: shared).run()
                }
                #expect(error?.code == .carriedOutElsewhere)
                let options = OpenOptions(createsIfMissing: false, role: .copying, scope: Self.home)
                try await new.with(options) {
                    try await Self.expect(Self.notes(0..<700, "s"), in: Self.home, of: $0)
                }
                #expect(try await StoreSwitch(from: second, to: new).run()?.isEqual == true)
            }
        }
    }

    @Test("a follower of a store with scopes learns of its switch", arguments: Self.pairs)
    func told(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.with(OpenOptions(scope: Self.home, keepsHistory: true)) { store in
                try await Self.fill(store, Self.home, notes: 10, "h")
                let (isFencedSeen, see) = AsyncStream.makeStream(of: Void.self)
                let watched = LookingStore(base: store) {
                    if try await store.marker().role == .superseded { see.finish() }
                }
                var changes = watched.changes().makeAsyncIterator()
                try await changes.begin()
                let following = Task { [changes] in
                    var changes = changes
                    while try await changes.next() != nil {}
                }
                try await StoreSwitch(from: old, to: new).stop(at: .fenced)
                // It looks at the fence, which may be lifted again, and goes on waiting.
                for await _ in isFencedSeen {}
                try await StoreSwitch(from: old, to: new).run()
                let error = await #expect(throws: StoreError.self) { try await following.value }
                #expect(error?.code == .outOfService)
            }
        }
    }
}
