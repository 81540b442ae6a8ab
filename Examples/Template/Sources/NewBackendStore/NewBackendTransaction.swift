internal import Foundation
internal import SwitchyardCore

/// The driver: the operations of one transaction over conditions and cells, and what it does beside the rows.
///
/// Its arguments are valid: names exist in the schema, and values fit their attributes. `TransactionDriver` and
/// `StoreMaintenance` describe each operation.
final class NewBackendTransaction: TransactionDriver, StoreMaintenance {
    /// The schema of the arguments; `view(of:)` creates a driver for another one.
    private let schema: Schema

    init(schema: Schema) { self.schema = schema }

    // Step 1: rows are inserted, and selected by any condition, in any order, as rows and as figures.

    func marker() throws -> StoreMarker { throw StoreError.notWritten() }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        throw StoreError.notWritten()
    }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        throw StoreError.notWritten()
    }

    // Step 2: rows are updated and deleted by a condition, and the conflicts of an insert are resolved.

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        throw StoreError.notWritten()
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        throw StoreError.notWritten()
    }

    // Step 3: savepoints are rolled back, operation ids are recorded, and rows are read by two schemas.

    func savepoint(_ depth: Int) throws { throw StoreError.notWritten() }

    func release(savepoint depth: Int) throws { throw StoreError.notWritten() }

    func rollback(toSavepoint depth: Int) throws { throw StoreError.notWritten() }

    func record(_ operation: OperationID) throws { throw StoreError.notWritten() }
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        throw StoreError.notWritten()
    }
    func adopt(_ operations: [CommittedOperation]) throws { throw StoreError.notWritten() }

    func view(of schema: Schema) throws -> any TransactionDriver { throw StoreError.notWritten() }

    // Step 4: the store changes its role.

    func setMarker(_ marker: StoreMarker) throws { throw StoreError.notWritten() }
}
