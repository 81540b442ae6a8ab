import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Pages and groups at the edges")
struct ReadTests {
    typealias Thing = House.Thing

    @Test("a page continues from stored values, even if a Date is coarser")
    func farFuture() async throws {
        let store = MemoryStore(schema: try House.schema)
        // 3000-01-01 in microseconds, and the two that follow: one Date for all.
        let times: [Int64] = [32_503_680_000_000_000, 32_503_680_000_000_001, 32_503_680_000_000_002]
        let entity = try Thing.entity.get()
        let rows = times.map { time in
            entity.attributes.map { attribute -> StoredValue in
                switch attribute.name {
                case "id": .uuid(UUID())
                case "label": .text("\(time)")
                case "small": .int(1)
                case "level": .text("low")
                case "tags": .json("[]")
                case "bought": .timestamp(time)
                default: .null
                }
            }
        }
        try await store.write { try $0.insertRows(into: "Thing", rows) }
        let labels = try await store.read { tx in
            var labels: [String] = []
            var page = try tx.page(Thing.sorted(by: \.bought), size: 1)
            labels += page.items.map(\.label)
            for _ in 0..<5 {
                guard let next = page.next else { break }
                page = try tx.page(Thing.sorted(by: \.bought), size: 1, after: next)
                labels += page.items.map(\.label)
            }
            return labels
        }
        #expect(labels == times.map { "\($0)" })
    }

    @Test("a day that a zone moves past the year 9999 is a failed calculation")
    func lastDay() async throws {
        let zone = try #require(TimeZone(secondsFromGMT: 7_200))
        let store = MemoryStore(schema: try House.schema)
        let last = Date(timeIntervalSince1970: 253_402_300_799)
        try await store.write { try $0.insert(Thing(bought: last)) }
        let error = await #expect(throws: StoreError.self) {
            try await store.read { tx in
                try tx.aggregate(Thing.all, by: .day(of: \.bought, in: zone), figures: .count).count
            }
        }
        #expect(error?.code == .arithmetic)
    }

    @Test(
        "a start of a day that no clock shows is refused",
        arguments: [.seconds(-1), .seconds(86_400), .milliseconds(1), .seconds(Int64.max)] as [Duration])
    func start(_ start: Duration) async throws {
        let store = MemoryStore(schema: try House.schema)
        let error = await #expect(throws: StoreError.self) {
            try await store.read { tx in
                let day = Grouping.day(of: \Thing.bought, in: .gmt, startingAt: start)
                return try tx.aggregate(Thing.all, by: day, figures: .count).count
            }
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("JSON attributes have no order, and can be grouped by")
    func json() async throws {
        let store = MemoryStore(schema: try House.schema)
        try await store.write { try $0.insert(contentsOf: [Thing(tags: ["a"]), Thing(tags: ["a"])]) }
        func refusal(_ body: @escaping @Sendable (ReadTransaction) throws -> Void) async throws -> StoreError?
        {
            await #expect(throws: StoreError.self) { try await store.read { try body($0) } }
        }
        let refusals = [
            try await refusal { _ = try $0.fetch(Thing.sorted(by: \.label).sorted(by: \.tags)) },
            try await refusal { _ = try $0.page(Thing.sorted(by: \.tags), size: 1) },
            try await refusal { _ = try $0.aggregate(Thing.all, .minimum(\.tags)) },
            try await refusal { _ = try $0.aggregate(Thing.all, .count, .maximum(\.tags)) },
        ]
        #expect(refusals.map(\.?.code) == [.unsupported, .unsupported, .unsupported, .unsupported])
        #expect(refusals.map(\.?.attribute) == ["tags", "tags", "tags", "tags"])
        let groups = try await store.read {
            try $0.aggregate(Thing.all, by: .attribute(\.tags), figures: .count)
        }
        #expect(groups.map(\.key) == [["a"]])
        #expect(groups.map(\.figures) == [2])
    }

    @Test("an aggregation without a key or an aggregate is refused")
    func nothing() async throws {
        let store = MemoryStore(schema: try House.schema)
        let error = await #expect(throws: StoreError.self) {
            try await store.read { tx in
                let keys: [GroupKey] = []
                return try tx.aggregateRows(of: "Thing", where: .constant(true), by: keys, figures: []).count
            }
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test("floats add up to a double")
    func floats() async throws {
        let store = MemoryStore(schema: try House.schema)
        try await store.write {
            try $0.insert(contentsOf: [Thing(ratio: 16_777_216), Thing(ratio: 1), Thing()])
        }
        let (sum, average) = try await store.read {
            try $0.aggregate(Thing.all, .sum(\.ratio), .average(\.ratio))
        }
        #expect(sum == 16_777_217)
        #expect(average == 8_388_608.5)
    }
}
