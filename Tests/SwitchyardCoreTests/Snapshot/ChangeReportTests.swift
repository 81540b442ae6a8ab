import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("What a driver in memory tells of the rows that it changes")
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

    @Test("an update tells the ids of all rows that fulfilled its condition")
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

    @Test("whole rows are told as they were before, and those of a delete as they were last")
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

    @Test("nothing is told where no row fulfils the condition")
    func none() async throws {
        try await store().write { [feed] tx in
            let report = ChangeReport(.id) { _ in Issue.record("A row was told.") }
            let none = Condition.compare(.attribute("count"), .greater, .value(.int(2)))
            let count = try tx.driver.delete(from: feed, where: none, report: report)
            #expect(count == 0)
        }
    }
}
