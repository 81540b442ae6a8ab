import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import Testing

@Suite("What one version of a schema says, in the words of another")
struct VersionProjectionTests {
    private let plan: MigrationPlan
    private let projection: VersionProjection
    private let id = UUID()
    private let shelf = UUID()

    init() throws {
        plan = try MigrationPlan(PantryPlan.self)
        let first = try #require(
            try plan.upTo(SchemaVersion(2)).projection { $0.version == SchemaVersion(1) })
        projection = first
    }

    private func raised(_ changes: MutationChange...) -> [MutationChange] {
        projection.raised(Mutation(id: UUID(), time: 0, cursor: 0, changes: changes)).changes
    }

    private func lowered(_ patch: RowPatch) throws -> RowPatch? {
        let page = RowsPage(rows: [patch], next: nil, head: .start)
        guard case .rows(let page) = try projection.lowered(.rows(page)) else { return nil }
        return page.rows.first
    }

    private var rack: StoredValue { .uuid(shelf) }

    @Test("a new row gets its names, its defaults and what a nil becomes")
    func insert() {
        let row: [StoredValue] = [
            .uuid(id), rack, .text("Plum"), .text("jam"), .text("honey"), .text("sweet"), .null,
        ]
        #expect(
            raised(.insert(RowKey("Jar", id), row), .insert(RowKey("Shelf", shelf), [rack, .text("Top")]))
                == [
                    .insert(
                        RowKey("Jar", id),
                        [.uuid(id), rack, .text("jam"), .text("honey"), .text("Plum"), .int(5), .bool(false)]),
                    .insert(RowKey("Rack", shelf), [rack, .text("Top")]),
                ])
    }

    @Test("an edit follows its attribute, and one of a dropped attribute is dropped")
    func update() {
        let key = RowKey("Jar", id)
        let edits = [
            AttributeEdit(2, before: .text("a"), after: .text("b")),
            AttributeEdit(5, before: .null, after: .text("sweet")),
            AttributeEdit(6, before: .null, after: .int(7)),
        ]
        #expect(
            raised(.update(key, edits)) == [
                .update(
                    key,
                    [
                        AttributeEdit(4, before: .text("a"), after: .text("b")),
                        AttributeEdit(5, before: .int(5), after: .int(7)),
                    ])
            ])
        #expect(raised(.update(key, [AttributeEdit(5, before: nil, after: .null)])).isEmpty)
    }

    @Test("a delete says what its device has seen")
    func delete() {
        let before: [StoredValue?] = [.uuid(id), rack, .text("Plum"), nil, .text("jam"), .null, .int(1)]
        #expect(
            raised(.delete(RowKey("Jar", id), before: before)) == [
                .delete(
                    RowKey("Jar", id),
                    before: [.uuid(id), rack, nil, .text("jam"), .text("Plum"), .int(1), .bool(false)])
            ])
    }

    @Test("a row loses what the older version lacks, and keeps what it knows under its own names")
    func whole() throws {
        let patch = RowPatch(
            RowKey("Jar", id),
            [.uuid(id), rack, .text("honey"), .text("jam"), .text("Plum"), .int(1), .bool(true)])
        #expect(
            try lowered(patch)
                == RowPatch(
                    RowKey("Jar", id),
                    [.uuid(id), rack, .text("Plum"), .text("honey"), .text("jam"), .null, .int(1)]))
        #expect(try lowered(RowPatch(RowKey("Guest", id), [.uuid(id), .text("Ann")])) == nil)
        #expect(try lowered(RowPatch(RowKey("Rack", id), nil)) == RowPatch(RowKey("Shelf", id), nil))
    }

    @Test("a part of a row is the part that the older version has")
    func part() throws {
        let key = RowKey("Jar", id)
        #expect(
            try lowered(RowPatch(key, [.uuid(id), nil, nil, nil, .text("Plum"), nil, .bool(true)]))
                == RowPatch(key, [.uuid(id), nil, .text("Plum"), nil, nil, nil, nil]))
        #expect(try lowered(RowPatch(key, [.uuid(id), nil, nil, nil, nil, nil, .bool(true)])) == nil)
    }

    @Test("a new case is the default, or nil, until the app is updated; without either, the app must be")
    func cases() throws {
        let patch = RowPatch(
            RowKey("Jar", id), [.uuid(id), nil, .text("syrup"), .text("syrup"), nil, nil, nil])
        #expect(
            try lowered(patch)
                == RowPatch(RowKey("Jar", id), [.uuid(id), nil, nil, .null, .text("jam"), nil, nil]))
        #expect {
            try lowered(RowPatch(RowKey("Label", id), [.uuid(id), .text("syrup")]))
        } throws: {
            let error = $0 as? StoreError
            return error?.code == .schemaTooNew && error?.attribute == "kind"
        }
        #expect(try lowered(RowPatch(RowKey("Label", id), [.uuid(id), .text("jam")])) != nil)
    }

    @Test("several stages are one way, and a value that code calculates is taken from the row")
    func calculated() throws {
        let way = try #require(plan.projection { $0.version == SchemaVersion(1) })
        let key = RowKey("Jar", id)
        let mutation = Mutation(
            id: UUID(), time: 0, cursor: 0,
            changes: [
                .update(
                    key,
                    [
                        AttributeEdit(2, before: .text("a"), after: .text("b")),
                        AttributeEdit(6, before: .int(1), after: .int(7)),
                    ])
            ])
        #expect(
            way.raised(mutation) { $1 == 5 ? .int(700) : nil }.changes == [
                .update(
                    key,
                    [
                        AttributeEdit(4, before: .text("a"), after: .text("b")),
                        AttributeEdit(5, before: nil, after: .int(700)),
                    ])
            ])
        // It can be kept until it is needed.
        #expect(try JSONDecoder().decode(VersionProjection.self, from: JSONEncoder().encode(way)) == way)
    }

    @Test(
        "a server serves the versions that lead to its own without code, and names what is in the way of others"
    )
    func versions() throws {
        let (first, second, third) = (try Pantry1.schema, try Pantry2.schema, try Pantry3.schema)
        let server = ServerVersions(second, try plan.upTo(SchemaVersion(2)))
        #expect(try server.view(of: SchemaIdentity(second)) == nil)
        #expect(try server.view(of: SchemaIdentity(first)) == projection)
        func code(_ server: ServerVersions, _ device: Schema) -> StoreError.Code? {
            do {
                _ = try server.view(of: SchemaIdentity(device))
                return nil
            } catch { return (error as? StoreError)?.code }
        }
        #expect(code(server, third) == .schemaMismatch)
        #expect(code(ServerVersions(third, plan), second) == .schemaTooNew)
        #expect(code(ServerVersions(third, plan), first) == .schemaTooNew)
        // Without a plan nothing leads from one to the other.
        #expect(code(ServerVersions(second), first) == .schemaTooNew)
        #expect(
            code(ServerVersions(second), try Schema(version: SchemaVersion(2), entities: []))
                == .schemaMismatch)
    }
}
