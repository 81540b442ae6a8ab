internal import Foundation
internal import SwitchyardCore

/// The driver: the operations of one transaction over conditions and cells.
///
/// What it is handed is valid: names are the schema's, values fit their attributes. `TransactionDriver` says what
/// each operation does.
final class NewBackendTransaction: TransactionDriver {
    /// The schema in whose words it is asked; `view(of:)` makes a driver for another.
    private let schema: Schema

    init(schema: Schema) { self.schema = schema }

    // Step 1: rows go in, and come out by every condition, in every order, as rows and as figures.

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

    // Step 2: rows are changed and deleted by a condition, and a conflict of an insert is resolved.

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        throw StoreError.notWritten()
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        throw StoreError.notWritten()
    }

    // Step 3: parts of a transaction are undone, writes are remembered, and rows have two descriptions.

    func savepoint(_ depth: Int) throws { throw StoreError.notWritten() }

    func release(savepoint depth: Int) throws { throw StoreError.notWritten() }

    func rollback(toSavepoint depth: Int) throws { throw StoreError.notWritten() }

    func record(_ operation: OperationID) throws { throw StoreError.notWritten() }

    func view(of schema: Schema) throws -> any TransactionDriver { throw StoreError.notWritten() }

    // Step 4: the store changes its role.

    func setMarker(_ marker: StoreMarker) throws { throw StoreError.notWritten() }
}
