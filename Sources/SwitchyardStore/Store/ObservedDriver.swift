internal import Foundation

/// A driver that wraps another one and reports each operation to the telemetry.
///
/// It is only used if somebody listens.
final class ObservedDriver: InterceptingDriver {
    private let telemetry: TransactionTelemetry

    private init(_ base: any TransactionDriver, _ telemetry: TransactionTelemetry) {
        self.telemetry = telemetry
        super.init(base)
    }

    /// Returns the driver, wrapped if somebody listens to its operations.
    static func around(
        _ driver: any TransactionDriver, _ telemetry: TransactionTelemetry?
    ) -> any TransactionDriver {
        guard let telemetry, telemetry.tellsOperations else { return driver }
        return ObservedDriver(driver, telemetry)
    }

    override func select(
        _ selection: Selection, onlyDoubtful: Bool, _ body: (inout RowReader) throws -> Bool
    ) throws {
        try telemetry.operation(.select, of: selection.entity.name) { rows in
            try super.select(selection, onlyDoubtful: onlyDoubtful) { row in
                rows += 1
                return try body(&row)
            }
        }
    }

    override func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try telemetry.operation(.find, of: entity.name) { rows in
            try super.find(id, in: entity) { row in
                rows += 1
                try body(&row)
            }
        }
    }

    override func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try telemetry.operation(.insert, of: entity.name) { rows in
            rows = try super.insert(into: entity, onConflict: conflict, next: next, stored: stored)
            return rows
        }
    }

    override func insert(
        into entity: Entity, _ values: [Operand], from selection: Selection
    ) throws -> Int? {
        guard let base = base.capability((any SelectionInserting).self) else { return nil }
        return try telemetry.operation(.insert, of: entity.name) { rows in
            let count = try base.insert(into: entity, values, from: selection)
            rows = count ?? 0
            return count
        }
    }

    override func append(_ addition: HistoryAddition) throws -> Bool {
        guard let base = base.capability((any HistoryAppending).self) else { return false }
        return try telemetry.operation(.insert, of: HistoryAddition.entity.name) { rows in
            let isDone = try base.append(addition)
            rows = isDone ? 1 : 0
            return isDone
        }
    }

    override func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try telemetry.operation(.update, of: entity.name) { rows in
            rows = try super.update(entity, set: assignments, where: condition, report: report)
            return rows
        }
    }

    override func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int
    {
        try telemetry.operation(.delete, of: entity.name) { rows in
            rows = try super.delete(from: entity, where: condition, report: report)
            return rows
        }
    }

    override func view(of schema: Schema) throws -> any TransactionDriver {
        ObservedDriver(try base.view(of: schema), telemetry)
    }

    override func savepoint(_ depth: Int) throws {
        try telemetry.operation(.savepoint) { _ in try super.savepoint(depth) }
    }

    override func release(savepoint depth: Int) throws {
        try telemetry.operation(.release) { _ in try super.release(savepoint: depth) }
    }

    override func rollback(toSavepoint depth: Int) throws {
        try telemetry.operation(.rollback) { _ in try super.rollback(toSavepoint: depth) }
    }

    override func record(_ operation: OperationID) throws {
        try telemetry.operation(.record) { _ in try super.record(operation) }
    }

    override func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try telemetry.operation(.select) { _ in try super.operations(after: last, limit: limit) }
    }

    override func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] {
        try telemetry.operation(.select) { _ in try super.scopes(after: last, limit: limit) }
    }

    override func heads(of scopes: Set<StoreScope>) throws -> [HeldScope] {
        try telemetry.operation(.select) { _ in try super.heads(of: scopes) }
    }

    override func adopt(_ operations: [CommittedOperation]) throws {
        try telemetry.operation(.record) { _ in try super.adopt(operations) }
    }

    override func marker() throws -> StoreMarker {
        try telemetry.operation(.marker) { _ in try super.marker() }
    }

    override func setMarker(_ marker: StoreMarker) throws {
        try telemetry.operation(.setMarker) { _ in try super.setMarker(marker) }
    }

    override func check(_ control: ControlCheck) throws {
        try telemetry.operation(.check) { _ in try super.check(control) }
    }
}
