package import Foundation

/// A row that a transaction has changed.
package struct RowChange: Sendable, Hashable {
    /// What was done to a row.
    package enum Kind: Sendable, Hashable { case insert, update, delete }

    /// The entity's name.
    package var entity: String
    /// The row.
    package var id: UUID
    /// What was done to it.
    package var kind: Kind
    /// The whole row before the change, in the order of the entity's attributes; nil for an insert, and if only ids
    /// are recorded.
    package var before: [StoredValue]?

    /// Describes a change.
    package init(entity: String, id: UUID, kind: Kind, before: [StoredValue]? = nil) {
        self.entity = entity
        self.id = id
        self.kind = kind
        self.before = before
    }
}

/// A driver that wraps another one and records every row that changes.
///
/// It records bulk operations, cascades, nullified references and upserts, and forgets what is rolled back to a
/// savepoint. A write that needs no record uses its driver directly, at no cost.
package final class RecordingDriver: TransactionDriver {
    /// How many rows of an upsert are looked up at once.
    private static var upsertRows: Int { 64 }

    private let base: any TransactionDriver
    private let schema: Schema
    private let content: ChangeReport.Content
    private let record: Record

    /// The state that all views of a transaction share.
    private final class Record {
        var changes: [RowChange] = []
        /// The number of changes when each open savepoint began.
        var savepoints: [Int] = []
    }

    /// Creates a driver that records what is done through it.
    ///
    /// - Parameters:
    ///   - base: The driver that does the work.
    ///   - schema: The schema of the transaction.
    ///   - content: What is recorded of an updated or deleted row.
    package convenience init(
        _ base: any TransactionDriver, schema: Schema, content: ChangeReport.Content = .rowBefore
    ) {
        self.init(base, schema: schema, content: content, record: Record())
    }

    private init(
        _ base: any TransactionDriver, schema: Schema, content: ChangeReport.Content, record: Record
    ) {
        self.base = base
        self.schema = schema
        self.content = content
        self.record = record
    }

    /// The changes so far, in the order of the operations; those of one operation are in no particular order.
    package var changes: [RowChange] { record.changes }

    package var scopes: [StoreScope] { base.scopes }

    package func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        switch conflict {
        case .fail:
            return try base.insert(
                into: entity, onConflict: conflict,
                next: { row in
                    guard try next(&row) else { return false }
                    note(.insert, try row.withReader { try UUID(from: &$0) }, of: entity)
                    return true
                }, stored: stored)
        case .ignore:
            return try base.insert(into: entity, onConflict: conflict, next: next) { row in
                var whole = row
                self.note(.insert, try UUID(from: &whole), of: entity)
                try stored?(&row)
            }
        case .update(let key, _):
            return try upsert(into: entity, key: key, onConflict: conflict, next: next, stored: stored)
        }
    }

    package func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try base.update(
            entity, set: assignments, where: condition, report: recording(.update, of: entity, for: report))
    }

    package func delete(
        from entity: Entity, where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        try base.delete(
            from: entity, where: condition, report: recording(.delete, of: entity, for: report))
    }

    package func savepoint(_ depth: Int) throws {
        try base.savepoint(depth)
        record.savepoints.append(record.changes.count)
    }

    package func release(savepoint depth: Int) throws {
        try base.release(savepoint: depth)
        record.savepoints.removeLast()
    }

    package func rollback(toSavepoint depth: Int) throws {
        try base.rollback(toSavepoint: depth)
        if let count = record.savepoints.popLast() { record.changes.removeSubrange(count...) }
    }

    package func view(of schema: Schema) throws -> any TransactionDriver {
        RecordingDriver(try base.view(of: schema), schema: schema, content: content, record: record)
    }

    package func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try base.select(selection, body)
    }

    package func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try base.find(id, in: entity, body)
    }

    package func record(_ operation: OperationID) throws { try base.record(operation) }
    package func marker() throws -> StoreMarker { try base.marker() }
    package func setMarker(_ marker: StoreMarker) throws { try base.setMarker(marker) }
    package func check(_ fence: StoreFence) throws { try base.check(fence) }

    /// Looks up the rows that will be updated before the upsert, and reads the ids of all rows from its result.
    private func upsert(
        into entity: Entity, key: [String], onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        var writer = RowWriter(context: entity.errorContext)
        var count = 0
        while true {
            var rows: [[StoredValue]] = []
            while rows.count < Self.upsertRows, try next(&writer) {
                rows.append(try writer.storedValues(of: entity.rowLayout))
            }
            guard !rows.isEmpty else { return count }
            let before = try present(rows, key: key, of: entity)
            var iterator = rows.makeIterator()
            count += try base.insert(into: entity, onConflict: conflict) { row in
                guard let values = iterator.next() else { return false }
                row.reset()
                for value in values { try row.write(value) }
                return true
            } stored: { row in
                var whole = row
                let id = try UUID(from: &whole)
                if let values = before[id] {
                    self.note(.update, id, of: entity, before: self.content == .rowBefore ? values : nil)
                } else {
                    self.note(.insert, id, of: entity)
                }
                try stored?(&row)
            }
        }
    }

    /// Returns the stored rows that have the keys of the given ones, by their ids.
    private func present(
        _ rows: [[StoredValue]], key: [String], of entity: Entity
    ) throws -> [UUID: [StoredValue]] {
        let columns = key.compactMap { entity.column($0) }
        let isSame = rows.map { row in
            Condition.all(
                zip(key, columns).map { .compare(.attribute($0), .equal, .value(row[$1])) })
        }
        let condition = try Condition.any(isSame).validated(in: entity, schema: schema)
        var found: [UUID: [StoredValue]] = [:]
        try base.select(.rows(of: entity, where: condition, order: [])) { row in
            var whole = row
            let id = try UUID(from: &whole)
            found[id] = try entity.attributes.map { try row.read($0.type) }
            return true
        }
        return found
    }

    /// Returns a report that records each row and passes it on to the caller's own report.
    private func recording(
        _ kind: RowChange.Kind, of entity: Entity, for report: ChangeReport?
    ) -> ChangeReport {
        let asked = content == .rowBefore ? content : report?.content ?? content
        return ChangeReport(asked) { [content] row in
            var whole = row
            let id = try UUID(from: &whole)
            whole = row
            let before = content == .rowBefore ? try entity.attributes.map { try whole.read($0.type) } : nil
            self.note(kind, id, of: entity, before: before)
            // The id comes first, where a caller that asked only for ids expects it.
            try report?.body(&row)
        }
    }

    private func note(
        _ kind: RowChange.Kind, _ id: UUID, of entity: Entity, before: [StoredValue]? = nil
    ) {
        record.changes.append(RowChange(entity: entity.name, id: id, kind: kind, before: before))
    }
}
