import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("A selection that is answered from rows of several scopes")
struct ScopedSelectionTests {
    @Test("sorts rows with the same id by their scopes, and gives the scopes")
    func order() throws {
        let entity = Entity("Room", attributes: [Attribute("id", type: .uuid)])
        let ids = try ["0000000000a1", "0000000000a2"].map {
            try #require(UUID(uuidString: "00000000-0000-0000-0000-\($0)"))
        }
        // In the order of the ids, but not of the scopes.
        let rows = [(ids[0], ids[1]), (ids[0], ids[0]), (ids[1], ids[0])]
        let selection = Selection(
            entity: entity, columns: [.attribute("id"), .attribute(StoreScope.attribute.name)],
            order: [SortKey("id"), SortKey(StoreScope.attribute.name)])
        var found: [[UUID]] = []
        try selection.answer(
            { row in
                found.append([try UUID(from: &row), try UUID(from: &row)])
                return true
            },
            from: { _, give in
                for (id, scope) in rows where try !give([.uuid(id), .uuid(scope)]) { return }
            })
        #expect(found == [[ids[0], ids[0]], [ids[0], ids[1]], [ids[1], ids[0]]])
    }
}
