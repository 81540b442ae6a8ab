import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Change reports of the memory driver")
struct ChangeReportTests {
    private let feed: Entity
    private let early = Feed(startTime: Date(timeIntervalSince1970: 1_000), count: 1)
    private let late = Feed(startTime: Date(timeIntervalSince1970: 2_000), count: 2)

    init() throws { feed = try #require(try Nursery.schema.entity("Feed")) }

    private func store() async throws -> MemoryStore {
        let store = MemoryStore(schema: try Nursery.schema)
        try await store.write { [early, late] in try $0.insert(contentsOf: [early, late]) }
        return store
    }

    @Test("a driver in memory reports the ids of all updated rows")
    func ids() async throws {
        let told = try await store().write { [feed] tx in
            var ids: [UUID] = []
            let count = try tx.driver.update(
                feed, set: [Assignment(attribute: "spare", value: .value(.int(7)))], where: .constant(true),
                report: ChangeReport(.id) { row in ids.append(try UUID(from: &row)) })
            #expect(count == 2)
            return ids
        }
        #expect(Set(told) == [early.id.uuid, late.id.uuid])
    }

    @Test("a driver in memory reports previous rows, and the last state of deleted ones")
    func rowsBefore() async throws {
        let condition = Condition.compare(.attribute("count"), .greater, .value(.int(1)))
        let told = try await store().write { [feed] tx in
            var rows: [Feed] = []
            func report() -> ChangeReport { ChangeReport(.rowBefore) { rows.append(try Feed(from: &$0)) } }
            _ = try tx.driver.update(
                feed, set: [Assignment(attribute: "count", value: .value(.int(9)))], where: condition,
                report: report())
            _ = try tx.driver.delete(from: feed, where: condition, report: report())
            return rows
        }
        #expect(told.map(\.id) == [late.id, late.id])
        #expect(told.map(\.count) == [2, 9])
    }

    @Test("a driver in memory reports nothing if no row matches")
    func none() async throws {
        try await store().write { [feed] tx in
            let report = ChangeReport(.id) { _ in Issue.record("A row was told.") }
            let none = Condition.compare(.attribute("count"), .greater, .value(.int(2)))
            let count = try tx.driver.delete(from: feed, where: none, report: report)
            #expect(count == 0)
        }
    }
}
