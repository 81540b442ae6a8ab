import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("A nested part whose error the body hides")
struct NestedTests {
    @Test(
        "an error that the body hides in nested still ends a transaction that was cancelled or must run again",
        arguments: [StoreError.Code.serialization, .busy, .connectionLost, .cancelled])
    func decidingError(code: StoreError.Code) throws {
        let driver = BrittleDriver(code)
        let error = try #require(throws: StoreError.self) {
            try WriteTransaction.run(schema: House.schema, driver: driver, session: nil) { tx in
                #expect(throws: StoreError.self) { try tx.nested { try tx.insert(House.Room()) } }
                #expect(throws: StoreError.self) { try tx.count(House.Room.all) }
            }
        }
        #expect(error.code == code)
        #expect(driver.calls == ["savepoint 1", "insert", "rollback 1"])
    }

    @Test("a nested part is undone alone if only its own work failed")
    func ownError() throws {
        let driver = BrittleDriver(.unique)
        try WriteTransaction.run(schema: House.schema, driver: driver, session: nil) { tx in
            #expect(throws: StoreError.self) { try tx.nested { try tx.insert(House.Room()) } }
            _ = try tx.delete(House.Lamp.all)
        }
        #expect(driver.calls == ["savepoint 1", "insert", "rollback 1", "delete"])
    }

    @Test("a connection that is lost at the rollback of a nested part is what the transaction has failed by")
    func lostRollback() throws {
        let driver = BrittleDriver(["insert": .unique, "rollback": .connectionLost])
        let error = try #require(throws: StoreError.self) {
            try WriteTransaction.run(schema: House.schema, driver: driver, session: nil) { tx in
                let refusal = #expect(throws: StoreError.self) {
                    try tx.nested { try tx.insert(House.Room()) }
                }
                #expect(refusal?.code == .unique)
                _ = try tx.delete(House.Lamp.all)
            }
        }
        #expect(error.code == .connectionLost)
        #expect(driver.calls == ["savepoint 1", "insert", "rollback 1"])
    }

    @Test("a nested part that fails at its release ends the transaction")
    func release() throws {
        let driver = BrittleDriver(.serialization, at: "release")
        let error = try #require(throws: StoreError.self) {
            try WriteTransaction.run(schema: House.schema, driver: driver, session: nil) { tx in
                try? tx.nested {}
            }
        }
        #expect(error.code == .serialization)
    }
}

/// A driver that does nothing, notes what it was asked for, and fails at some operations.
final class BrittleDriver: TransactionDriver, StoreMaintenance {
    private(set) var calls: [String] = []
    private let failures: [String: StoreError.Code]

    init(_ failures: [String: StoreError.Code]) { self.failures = failures }

    convenience init(_ code: StoreError.Code, at operation: String = "insert") {
        self.init([operation: code])
    }

    private func note(_ call: String) throws {
        calls.append(call)
        if let code = failures.first(where: { call.hasPrefix($0.key) })?.value {
            throw StoreError(code, "The operation fails.")
        }
    }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try note("select")
    }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try note("insert")
        return 0
    }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try note("update")
        return 0
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        try note("delete")
        return 0
    }

    func view(of schema: Schema) throws -> any TransactionDriver { self }
    func savepoint(_ depth: Int) throws { try note("savepoint \(depth)") }
    func release(savepoint depth: Int) throws { try note("release \(depth)") }
    func rollback(toSavepoint depth: Int) throws { try note("rollback \(depth)") }
    func record(_ operation: OperationID) throws { try note("record") }
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] { [] }
    func adopt(_ operations: [CommittedOperation]) throws { try note("adopt") }
    func marker() throws -> StoreMarker { StoreMarker(schema: try House.schema) }
    func setMarker(_ marker: StoreMarker) throws { try note("setMarker") }
}
