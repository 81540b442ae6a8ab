import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardRowStore

/// How many rows a condition is tried on: that is what a question costs in memory.
@Suite("Index look-ups in memory")
struct CandidateTests {
    private static let film = Entity("Film", attributes: [Attribute("id", type: .uuid)])
    private static let copy = Entity(
        "Copy",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("film", type: .uuid, isOptional: true, reference: "Film"),
            Attribute("shelf", type: .int),
        ])

    private func schema() throws -> Schema {
        try Schema(version: SchemaVersion(1), entities: [Self.film, Self.copy])
    }

    private func id(_ number: UInt8) -> UUID {
        UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    private func row(_ number: UInt8, film: UInt8?) -> [StoredValue] {
        [.uuid(id(number)), film.map { .uuid(id($0)) } ?? .null, .int(0)]
    }

    private static let position = 0

    /// Ten films of ten copies, and ten copies of none.
    private func tables(_ rules: EntityRules) throws -> SnapshotTables {
        var tables = SnapshotTables(Snapshot(schema: try schema(), options: OpenOptions()))
        try #require(tables.positions["Copy"] == Self.position)
        for number in 0..<110 as Range<UInt8> {
            let row = row(number, film: number < 100 ? 200 + number % 10 : nil)
            _ = try tables.insert(row, in: Self.position, rules: rules)
        }
        return tables
    }

    private func candidates(_ tables: SnapshotTables, _ condition: Condition) throws -> [RowID]? {
        try tables.candidates(for: condition, of: Self.copy, in: Self.position)
    }

    private func candidates(_ tables: SnapshotTables, film: UInt8...) throws -> [RowID]? {
        try candidates(tables, .isIn(.attribute("film"), film.map { .uuid(id($0)) }))
    }

    @Test("an index in memory leads from one or several references to exactly their rows, in order")
    func found() throws {
        let rules = try EntityRules(Self.copy, schema: schema())
        let tables = try tables(rules)
        let one = try candidates(
            tables,
            .all([
                .compare(.attribute("shelf"), .greater, .value(.int(-1))),
                .compare(.attribute("film"), .equal, .value(.uuid(id(203)))),
            ]))
        #expect(one == stride(from: 3, to: 100, by: 10).map { RowID(id(UInt8($0))) })
        #expect(try candidates(tables, film: 200, 209)?.count == 20)
        #expect(try candidates(tables, film: 210) == [])
    }

    @Test(
        "an index in memory serves references before and behind a calculation; one to nothing leads nowhere")
    func unknown() throws {
        let tables = try tables(EntityRules(Self.copy, schema: schema()))
        let film = Condition.compare(.attribute("film"), .equal, .value(.uuid(id(203))))
        #expect(try candidates(tables, .compare(.attribute("film"), .equal, .value(.null))) == nil)
        #expect(try candidates(tables, .isIn(.attribute("film"), [.uuid(id(203)), .null])) == nil)
        let isDivided = Condition.compare(
            .arithmetic(.value(.int(1)), .divide, .attribute("shelf")), .equal, .value(.int(1)))
        #expect(try candidates(tables, .all([isDivided, film]))?.count == 10)
        #expect(try candidates(tables, .all([film, isDivided]))?.count == 10)
    }

    @Test("an index in memory follows changed and removed rows")
    func changed() throws {
        let rules = try EntityRules(Self.copy, schema: schema())
        var tables = try tables(rules)
        let before = tables
        try tables.replace(
            [(row(3, film: 203), row(3, film: 204)), (row(13, film: 203), row(13, film: nil))],
            in: Self.position, rules: rules)
        try tables.remove(row(23, film: 203), in: Self.position, rules: rules)
        #expect(try candidates(tables, film: 203)?.count == 7)
        #expect(try candidates(tables, film: 204)?.count == 11)
        for number in stride(from: 33, to: 100, by: 10) {
            try tables.remove(row(UInt8(number), film: 203), in: Self.position, rules: rules)
        }
        #expect(try candidates(tables, film: 203) == [])
        // A copy made earlier, as a savepoint is, has not changed.
        #expect(try candidates(before, film: 203)?.count == 10)
    }
}
