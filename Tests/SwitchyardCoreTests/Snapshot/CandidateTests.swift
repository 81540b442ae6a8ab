import Foundation
import Testing

@testable import SwitchyardCore

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

    /// Ten films of ten copies, and ten copies of none.
    private func table(_ rules: EntityRules) throws -> SnapshotTable {
        var table = SnapshotTable(Self.copy)
        for number in 0..<110 as Range<UInt8> {
            _ = try table.insert(row(number, film: number < 100 ? 200 + number % 10 : nil), rules: rules)
        }
        return table
    }

    private func candidates(_ table: SnapshotTable, film: UInt8...) -> [RowID]? {
        table.candidates(
            for: .isIn(.attribute("film"), film.map { .uuid(id($0)) }), of: Self.copy)
    }

    @Test("an index in memory leads from one or several references to exactly their rows, in order")
    func found() throws {
        let rules = try EntityRules(Self.copy, schema: schema())
        let table = try table(rules)
        let one = table.candidates(
            for: .all([
                .compare(.attribute("shelf"), .greater, .value(.int(-1))),
                .compare(.attribute("film"), .equal, .value(.uuid(id(203)))),
            ]), of: Self.copy)
        #expect(one == stride(from: 3, to: 100, by: 10).map { RowID(id(UInt8($0))) })
        #expect(candidates(table, film: 200, 209)?.count == 20)
        #expect(candidates(table, film: 210) == [])
    }

    @Test(
        "an index in memory serves references before and behind a calculation; one to nothing leads nowhere")
    func unknown() throws {
        let table = try table(EntityRules(Self.copy, schema: schema()))
        let film = Condition.compare(.attribute("film"), .equal, .value(.uuid(id(203))))
        #expect(
            table.candidates(for: .compare(.attribute("film"), .equal, .value(.null)), of: Self.copy) == nil)
        #expect(
            table.candidates(
                for: .isIn(.attribute("film"), [.uuid(id(203)), .null]), of: Self.copy) == nil)
        let isDivided = Condition.compare(
            .arithmetic(.value(.int(1)), .divide, .attribute("shelf")), .equal, .value(.int(1)))
        #expect(table.candidates(for: .all([isDivided, film]), of: Self.copy)?.count == 10)
        #expect(table.candidates(for: .all([film, isDivided]), of: Self.copy)?.count == 10)
    }

    @Test("an index in memory follows changed and removed rows")
    func changed() throws {
        let rules = try EntityRules(Self.copy, schema: schema())
        var table = try table(rules)
        let before = table
        try table.replace(
            [(row(3, film: 203), row(3, film: 204)), (row(13, film: 203), row(13, film: nil))], rules: rules)
        try table.remove(row(23, film: 203), rules: rules)
        #expect(candidates(table, film: 203)?.count == 7)
        #expect(candidates(table, film: 204)?.count == 11)
        #expect(table.refers(to: RowID(id(203)), by: 1))
        for number in stride(from: 33, to: 100, by: 10) {
            try table.remove(row(UInt8(number), film: 203), rules: rules)
        }
        #expect(!table.refers(to: RowID(id(203)), by: 1))
        // A copy made earlier, as a savepoint is, has not changed.
        #expect(candidates(before, film: 203)?.count == 10)
    }
}
