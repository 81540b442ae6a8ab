/// A driver that wraps the one of a read, to learn of what is read.
///
/// A conforming type has `select`, `find` and `view(of:)` of its own; the rest goes to the wrapped driver, or is refused.
package protocol ReadOnlyDriver: TransactionDriver {
    /// The driver that is wrapped.
    var base: any TransactionDriver { get }
}

extension ReadOnlyDriver {
    package var scopes: [StoreScope] { base.scopes }

    package func marker() throws -> StoreMarker { try base.marker() }

    package func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try base.operations(after: last, limit: limit)
    }

    package func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        try base.scopes(after: last, limit: limit)
    }

    package func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] {
        try base.inspectTables(before: steps)
    }

    package func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int { throw StoreError.notAWrite }

    package func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int { throw StoreError.notAWrite }

    package func delete(
        from entity: Entity, where condition: Condition, report: ChangeReport?
    ) throws -> Int { throw StoreError.notAWrite }

    package func savepoint(_ depth: Int) throws { throw StoreError.notAWrite }
    package func release(savepoint depth: Int) throws { throw StoreError.notAWrite }
    package func rollback(toSavepoint depth: Int) throws { throw StoreError.notAWrite }
    package func record(_ operation: OperationID) throws { throw StoreError.notAWrite }
    package func adopt(_ operations: [CommittedOperation]) throws { throw StoreError.notAWrite }
    package func setMarker(_ marker: StoreMarker) throws { throw StoreError.notAWrite }
    package func addConstraints() throws { throw StoreError.notAWrite }
    package func removeConstraints() throws { throw StoreError.notAWrite }
    package func backUp(as name: String) throws -> String? { throw StoreError.notAWrite }
    package func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        throw StoreError.notAWrite
    }
}

extension StoreError {
    fileprivate static var notAWrite: StoreError {
        StoreError(.unsupported, "A read cannot change anything.")
    }
}

extension ReadTransaction {
    /// The same snapshot, read through a driver that wraps this transaction's own.
    package func read(through driver: some ReadOnlyDriver) -> ReadTransaction {
        ReadTransaction(schema: schema, driver: driver, sharing: progress)
    }
}
