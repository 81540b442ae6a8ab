import SwitchyardCore
import Testing

@testable import SwitchyardSQL

@Suite("The cached marker of a plan")
struct MarkerTests {
    private func marker(successor: String) throws -> StoreMarker {
        var marker = StoreMarker(schema: try Fixture.schema())
        marker.storeID = Fixture.uuid(1)
        marker.successor = successor
        return marker
    }

    @Test("a cached marker is compared by its bytes, so a canonically equal text is another one")
    func bytes() throws {
        let plan = try SQLPlan(try Fixture.postgres())
        let successors = ["sqlite:/Zo\u{eb}.sqlite", "sqlite:/Zoe\u{308}.sqlite"]
        for successor in successors + successors {
            let found = try plan.marker(try CanonicalJSON.text(try marker(successor: successor)))
            #expect(found.successor.map { Array($0.utf8) } == Array(successor.utf8))
        }
    }

    @Test("an invalid marker is refused each time")
    func corrupted() throws {
        let plan = try SQLPlan(try Fixture.postgres())
        let known = try marker(successor: "sqlite:/other.sqlite")
        let text = try CanonicalJSON.text(known)
        #expect(try plan.marker(text) == known)
        for wrong in [nil, "{}"] {
            #expect {
                try plan.marker(wrong)
            } throws: {
                ($0 as? StoreError)?.code == .corrupted
            }
        }
        #expect(try plan.marker(text) == known)
    }
}
