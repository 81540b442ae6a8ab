import Foundation
import Switchyard
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("A driver that intercepts another one")
struct InterceptingDriverTests {
    @Test("passes on every operation that it does not override")
    func forwarding() throws {
        let base = TalkingDriver()
        try Self.callAll(InterceptingDriver(InterceptingDriver(base)))
        #expect(
            base.calls == [
                "select", "selectDoubtful", "find", "insert", "update", "delete", "view", "savepoint 1",
                "release 1", "rollback 1", "checkReferences", "marker", "setMarker", "check", "record",
                "operations", "adopt",
                "scopes", "heads", "addConstraints", "removeConstraints", "backUp", "change", "append",
                "inspectTables",
            ])
    }

    @Test("that sees selections sees those of doubtful rows, too")
    func doubtful() throws {
        let base = TalkingDriver()
        let driver = SelectionCounter(base)
        let rows = Selection.rows(of: try Self.room)
        try driver.select(rows) { _ in true }
        try driver.selectDoubtful(rows) { _ in true }
        #expect(driver.count == 2)
        #expect(base.calls == ["select", "selectDoubtful"])
    }

    @Test("leaves out no row where the wrapped driver cannot tell which are doubtful")
    func withoutCapability() throws {
        let base = BrittleDriver(.backend, at: "never")
        let driver = InterceptingDriver(base)
        try driver.selectDoubtful(.rows(of: try Self.room)) { _ in true }
        #expect(base.calls == ["select"])
        #expect(try !driver.append(Self.addition))
        #expect(try driver.inspectTables(before: []).isEmpty)
        #expect(driver.capability((any TableRebuilding).self) == nil)
    }

    private static var room: Entity { get throws { try House.schema.require("Room") } }

    private static var addition: HistoryAddition {
        HistoryAddition(
            era: 1, transaction: UUID(), time: 0, author: nil, device: nil, operation: nil, undone: nil,
            fingerprint: Data(), count: 0, firstBlock: [], furtherBlocks: 0, origin: nil)
    }

    private static func callAll(_ driver: InterceptingDriver) throws {
        let (room, operation) = (try room, OperationID())
        try driver.select(.rows(of: room)) { _ in true }
        try driver.selectDoubtful(.rows(of: room)) { _ in true }
        try driver.find(UUID(), in: room) { _ in }
        _ = try driver.insert(into: room, onConflict: .fail, next: { _ in false }, stored: nil)
        _ = try driver.update(room, set: [], where: .constant(true), report: nil)
        _ = try driver.delete(from: room, where: .constant(true), report: nil)
        _ = try driver.view(of: House.schema)
        try driver.savepoint(1)
        try driver.release(savepoint: 1)
        try driver.rollback(toSavepoint: 1)
        try driver.checkReferences()
        let marker = try driver.marker()
        try driver.setMarker(marker)
        try driver.check(ControlCheck(WriteSession(schema: House.schema, options: OpenOptions())))
        try driver.record(operation)
        _ = try driver.operations(after: nil, limit: 1)
        try driver.adopt([])
        _ = try driver.scopes(after: nil, limit: 1)
        _ = try driver.heads(of: [StoreScope(UUID())])
        try driver.addConstraints()
        try driver.removeConstraints()
        _ = try driver.backUp(as: "1")
        try driver.change([], to: House.schema, filling: nil)
        _ = try driver.append(addition)
        _ = try driver.inspectTables(before: [])
    }
}

/// Counts selections.
private final class SelectionCounter: InterceptingDriver {
    private(set) var count = 0

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        count += 1
        try super.select(selection, onlyDoubtful: onlyDoubtful, body)
    }
}

/// A driver that has everything, and notes what it was asked for.
private final class TalkingDriver: TransactionDriver, StoreMaintenance, DoubtfulRowSelecting,
    HistoryAppending,
    TableInspecting
{
    private(set) var calls: [String] = []

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        calls.append("select")
    }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        calls.append("insert")
        return 0
    }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        calls.append("update")
        return 0
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        calls.append("delete")
        return 0
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        calls.append("view")
        return self
    }

    func savepoint(_ depth: Int) throws { calls.append("savepoint \(depth)") }
    func release(savepoint depth: Int) throws { calls.append("release \(depth)") }
    func rollback(toSavepoint depth: Int) throws { calls.append("rollback \(depth)") }
    func checkReferences() throws { calls.append("checkReferences") }

    func marker() throws -> StoreMarker {
        calls.append("marker")
        return StoreMarker(schema: try House.schema)
    }

    func setMarker(_ marker: StoreMarker) throws { calls.append("setMarker") }
    func record(_ operation: OperationID) throws { calls.append("record") }

    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        calls.append("operations")
        return []
    }

    func adopt(_ operations: [CommittedOperation]) throws { calls.append("adopt") }

    func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        calls.append("selectDoubtful")
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        calls.append("find")
    }

    func check(_ control: ControlCheck) throws { calls.append("check") }

    func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        calls.append("scopes")
        return []
    }

    func heads(of scopes: Set<StoreScope>) throws -> [HeldScope] {
        calls.append("heads")
        return []
    }

    func addConstraints() throws { calls.append("addConstraints") }
    func removeConstraints() throws { calls.append("removeConstraints") }

    func backUp(as name: String) throws -> String? {
        calls.append("backUp")
        return nil
    }

    func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        calls.append("change")
    }

    func append(_ addition: HistoryAddition) throws -> Bool {
        calls.append("append")
        return true
    }

    func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] {
        calls.append("inspectTables")
        return []
    }
}
