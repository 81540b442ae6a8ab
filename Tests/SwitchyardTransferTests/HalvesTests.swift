import Foundation
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

@testable import SwitchyardTransfer

@Suite("Parallel passes over all rows of a store")
struct HalvesTests {
    private static let schema = Result {
        try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity("Point", attributes: [Attribute("id", type: .uuid), Attribute("x", type: .int)])
            ])
    }

    private static func uuid(_ text: String) throws -> UUID { try #require(UUID(uuidString: text)) }

    @Test("each row is in one of two halves, even if it comes later", arguments: TestBackend.available)
    func halves(backend: TestBackend) async throws {
        let (least, greatest) = (
            try Self.uuid("00000000-0000-0000-0000-000000000000"),
            try Self.uuid("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")
        )
        let next = try Self.uuid("00000000-0000-0000-0000-000000000001")
        for (ids, lower) in [
            ([], []), ([least], [least]), ([greatest], [greatest]), ([least, greatest], [least]),
            ([least, next, greatest], [least, next]),
        ] as [([UUID], [UUID])] {
            try await backend.withStore(try Self.schema.get()) { store in
                try await Self.insert(ids, into: store)
                let halves = try await store.read { try $0.halves() }
                #expect(try await Self.ids(in: halves.lower, of: store) == lower)
                #expect(
                    try await Self.ids(in: halves.upper, of: store) == ids.filter { !lower.contains($0) })
                let more = [
                    try Self.uuid("7FFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFE"),
                    try Self.uuid("80000000-0000-0000-0000-000000000001"),
                ]
                try await Self.insert(more, into: store)
                let both =
                    try await Self.ids(in: halves.lower, of: store)
                    + Self.ids(in: halves.upper, of: store)
                #expect(both.sorted() == (ids + more).sorted())
            }
        }
    }

    @Test("two reads of halves give the same digests as one of all rows", arguments: TestBackend.available)
    func digest(backend: TestBackend) async throws {
        try await backend.withStore(try Self.schema.get()) { store in
            // More than a server gives as the result of a query.
            try await Self.insert((0..<25_000).map { _ in UUID() }, into: store)
            let whole = try await store.read { try StoreDigest(of: $0) }
            #expect(whole.totals.map(\.count) == [25_000])
            #expect(try await StoreDigest(of: store) == whole)
        }
    }

    @Test(
        "without a second connection, one half is read after the other", arguments: [[3], [2, 3]])
    func oneConnection(refused: Set<Int>) async throws {
        try await TestBackend.memory.withStore(try Self.schema.get()) { store in
            try await Self.insert((0..<1_000).map { _ in UUID() }, into: store)
            let reads = Mutex(0)
            let busy = WatchedStore(base: store) { number in
                reads.withLock { $0 = max($0, number) }
                if refused.contains(number) { throw StoreError(.busy, "No connection came free.") }
            }
            #expect(try await StoreDigest(of: busy).totals.map(\.count) == [1_000])
            #expect(reads.withLock(\.self) == 3 + refused.count)
        }
    }

    @Test("a sample of few rows is all of them, and one of many has each row at most once")
    func sample() {
        var few = RandomSample(of: 10)
        let ids = (0..<10).map { _ in UUID() }
        ids.forEach { few.add($0) }
        #expect(few.ids == ids)
        var many = RandomSample(of: 10)
        (0..<10_000).forEach { _ in many.add(UUID()) }
        #expect(Set(many.ids).count == 10)
    }

    @Test("each row has the same chance to be sampled")
    func chance() {
        let ids = (0..<20).map { _ in UUID() }
        var drawn: [UUID: Int] = [:]
        for _ in 0..<4_000 {
            var sample = RandomSample(of: 5)
            ids.forEach { sample.add($0) }
            sample.ids.forEach { drawn[$0, default: 0] += 1 }
        }
        // 1,000 on average, with a standard deviation of 27.
        for id in ids { #expect((800...1_200).contains(drawn[id] ?? 0)) }
    }

    @Test("two samples draw rows as one over all rows does")
    func twoSamples() {
        var fromFirst = 0
        for _ in 0..<200 {
            let rows = RandomSample.drawn(100, from: (Array(0..<100), of: 900), (Array(100..<200), of: 100))
            #expect(Set(rows).count == 100)
            fromFirst += rows.filter { $0 < 100 }.count
        }
        // 18,000 on average, with a standard deviation of 40.
        #expect((17_600...18_400).contains(fromFirst))
        let few = RandomSample.drawn(10, from: ([1, 2], of: 2), ([3], of: 1))
        #expect(few.sorted() == [1, 2, 3])
        #expect(RandomSample.drawn(2, from: ([] as [Int], of: 0), ([1, 2], of: 3)).sorted() == [1, 2])
    }

    @Test(
        "both halves are read from one snapshot, whether or not the store is written to between them",
        arguments: TestBackend.available, [true, false])
    func oneSnapshot(backend: TestBackend, isWritten: Bool) async throws {
        let options = OpenOptions(keepsHistory: true)
        try await backend.withStore(try Self.schema.get(), options: options) { store in
            try await Self.insert((0..<3_000).map { _ in UUID() }, into: store)
            let start = try await store.read { try $0.historyToken() }
            let reads = Mutex(0)
            let watched = WatchedStore(base: store) { number in
                reads.withLock { $0 = max($0, number) }
                if isWritten && number == 3 { try await Self.insert([UUID()], into: store) }
            }
            let work = SwitchWork(id: UUID(), old: watched, new: store, isScoped: false) { _ in }
            let copied = SwitchRecord.Copied(token: start).beginning(start, with: store.schema)
            let (delta, survey) = try await work.survey(after: copied, noting: copied, in: nil)
            #expect(reads.withLock(\.self) == (isWritten ? 4 : 3))
            #expect(try await survey.digest == store.read { try StoreDigest(of: $0) })
            #expect(delta.changedRows == (isWritten ? 1 : 0))
            #expect(try await delta.copied.token == store.read { try $0.historyToken() })
            #expect(survey.samples.map(\.count) == [1_000])
            #expect(survey.dangling.map(\.count) == [0])
        }
    }

    @Test("fewer large rows are sampled")
    func largeSample() async throws {
        let schema = try Schema(
            version: SchemaVersion(1, 0, 0),
            entities: [
                Entity("File", attributes: [Attribute("id", type: .uuid), Attribute("x", type: .blob)]),
                Entity("Point", attributes: [Attribute("id", type: .uuid), Attribute("x", type: .int)]),
            ])
        try await TestBackend.sqlite.withStore(schema) { store in
            try await store.write { tx in
                _ = try tx.insertRows(
                    into: "File", (0..<40).map { _ in [.uuid(UUID()), .blob(Data(count: 1 << 20))] })
            }
            let survey = try await store.read { try StoreSurvey(of: $0) }
            #expect(survey.digest.totals.map(\.count) == [40, 0])
            #expect(survey.samples.map(\.count) == [4, 0])
            try await Self.insert((0..<100).map { _ in UUID() }, into: store)
            #expect(try await store.verify(against: store).isEqual)
        }
    }

    private static func insert(_ ids: [UUID], into store: any Store) async throws {
        try await store.write { tx in
            _ = try tx.insertRows(into: "Point", ids.map { [.uuid($0), .int(1)] })
        }
    }

    private static func ids(in half: StoreHalf, of store: any Store) async throws -> [UUID] {
        try await store.read { tx in
            var ids: [UUID] = []
            for entity in tx.schema.entities {
                try tx.forEachRow(of: entity.name, where: half.condition(of: entity)) { row in
                    if case .uuid(let id) = row[0] { ids.append(id) }
                }
            }
            return ids.sorted()
        }
    }
}

/// A store whose second and third concurrent reads run one after the other.
private final class WatchedStore: WrappingStore {
    let base: any Store
    private let before: @Sendable (Int) async throws -> Void
    private let reads = Mutex(0)
    private let (secondEnded, end) = AsyncStream<Void>.makeStream()

    /// Creates one that calls `before` with the number of each read, from 1.
    init(base: any Store, before: @escaping @Sendable (Int) async throws -> Void) {
        self.base = base
        self.before = before
    }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let number = reads.withLock { reads in
            reads += 1
            return reads
        }
        defer { if number == 2 { end.finish() } }
        if number == 3 { for await _ in secondEnded {} }
        try await before(number)
        return try await base.read(options, body)
    }
}
