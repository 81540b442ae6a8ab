internal import Foundation

/// A driver that wraps another one and reports each operation to the telemetry.
///
/// It is only used if somebody listens.
final class ObservedDriver: HistoryAppendingDriver {
    let base: any TransactionDriver
    private let telemetry: TransactionTelemetry

    private init(_ base: any TransactionDriver, _ telemetry: TransactionTelemetry) {
        self.base = base
        self.telemetry = telemetry
    }

    /// Returns the driver, wrapped if somebody listens to its operations.
    static func around(
        _ driver: any TransactionDriver, _ telemetry: TransactionTelemetry?
    ) -> any TransactionDriver {
        guard let telemetry, telemetry.tellsOperations else { return driver }
        return ObservedDriver(driver, telemetry)
    }

    var scopes: [StoreScope] { base.scopes }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try select(selection, doubtfulOnly: false, body)
    }

    func selectDoubtful(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try select(selection, doubtfulOnly: true, body)
    }

    private func select(
        _ selection: Selection, doubtfulOnly: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        try telemetry.operation(.select, of: selection.entity.name) { rows in
            func count(_ row: inout RowReader) throws -> Bool {
                rows += 1
                return try body(&row)
            }
            if doubtfulOnly {
                try base.selectDoubtful(selection, count)
            } else {
                try base.select(selection, count)
            }
        }
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try telemetry.operation(.find, of: entity.name) { rows in
            try base.find(id, in: entity) { row in
                rows += 1
                try body(&row)
            }
        }
    }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try telemetry.operation(.insert, of: entity.name) { rows in
            rows = try base.insert(into: entity, onConflict: conflict, next: next, stored: stored)
            return rows
        }
    }

    func append(_ addition: HistoryAddition) throws -> Bool {
        guard let base = base as? any HistoryAppendingDriver else { return false }
        return try telemetry.operation(.insert, of: HistoryAddition.entity.name) { rows in
            let isDone = try base.append(addition)
            rows = isDone ? 1 : 0
            return isDone
        }
    }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try telemetry.operation(.update, of: entity.name) { rows in
            rows = try base.update(entity, set: assignments, where: condition, report: report)
            return rows
        }
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        try telemetry.operation(.delete, of: entity.name) { rows in
            rows = try base.delete(from: entity, where: condition, report: report)
            return rows
        }
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        ObservedDriver(try base.view(of: schema), telemetry)
    }

    func savepoint(_ depth: Int) throws {
        try telemetry.operation(.savepoint) { _ in try base.savepoint(depth) }
    }

    func release(savepoint depth: Int) throws {
        try telemetry.operation(.release) { _ in try base.release(savepoint: depth) }
    }

    func rollback(toSavepoint depth: Int) throws {
        try telemetry.operation(.rollback) { _ in try base.rollback(toSavepoint: depth) }
    }

    func record(_ operation: OperationID) throws {
        try telemetry.operation(.record) { _ in try base.record(operation) }
    }

    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try telemetry.operation(.select) { _ in try base.operations(after: last, limit: limit) }
    }

    func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        try telemetry.operation(.select) { _ in try base.scopes(after: last, limit: limit) }
    }

    func adopt(_ operations: [CommittedOperation]) throws {
        try telemetry.operation(.record) { _ in try base.adopt(operations) }
    }

    func marker() throws -> StoreMarker { try telemetry.operation(.marker) { _ in try base.marker() } }

    func setMarker(_ marker: StoreMarker) throws {
        try telemetry.operation(.setMarker) { _ in try base.setMarker(marker) }
    }

    func addConstraints() throws { try base.addConstraints() }
    func removeConstraints() throws { try base.removeConstraints() }
    func backUp(as name: String) throws -> String? { try base.backUp(as: name) }
    func inspectTables(before steps: [SchemaStep]) throws -> [UnknownPart] {
        try base.inspectTables(before: steps)
    }
    func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        try base.change(changes, to: schema, filling: fill)
    }

    func check(_ control: ControlCheck) throws {
        try telemetry.operation(.check) { _ in try base.check(control) }
    }
}
