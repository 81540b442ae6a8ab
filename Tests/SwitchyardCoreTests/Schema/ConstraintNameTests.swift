import Switchyard
import SwitchyardCore
import Testing

@Suite("Names of constraints")
struct ConstraintNameTests {
    private let entity = Entity("Feed", attributes: [Attribute("id", type: .uuid)])

    @Test("names of constraints are plain if they are unambiguous")
    func plain() {
        #expect(UniqueConstraint(["baby", "start"]).name(in: entity) == "unique_Feed_baby_start")
        #expect(Index(["start"]).name(in: entity) == "index_Feed_start")
        #expect(ConstraintName.primaryKey(of: entity) == "primary_Feed")
    }

    @Test("names of constraints end in a hash for filters, underscores, and beyond 63 bytes")
    func hashed() {
        let filter = Condition.compare(.attribute("end"), .equal, .value(.null))
        let filtered = UniqueConstraint(["baby"], where: filter).name(in: entity)
        #expect(filtered.hasPrefix("unique_Feed_baby_"))
        #expect(filtered.utf8.count == "unique_Feed_baby_".utf8.count + 10)
        #expect(UniqueConstraint(["a_b"]).name(in: entity) != UniqueConstraint(["a", "b"]).name(in: entity))
        #expect(
            UniqueConstraint(["a"], nilsAreDistinct: false).name(in: entity)
                != UniqueConstraint(["a"]).name(in: entity))
        let long = String(repeating: "x", count: 60)
        #expect(Index([long]).name(in: entity).utf8.count == 63)
        #expect(Index([long]).name(in: entity) != Index([long + "y"]).name(in: entity))
    }
}
