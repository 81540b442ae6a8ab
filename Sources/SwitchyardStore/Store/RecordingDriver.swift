package import Foundation

/// A driver that wraps another one and records every row that changes.
///
/// It records bulk operations, cascades, nullified references and upserts, and forgets what is rolled back to a
/// savepoint. A write that needs no record uses its driver directly, at no cost.
package final class RecordingDriver: InterceptingDriver, TransactionRecording {
    /// How many rows of an upsert, or of those whose current values are needed, are looked up at once.
    private static var lookupRows: Int { 64 }

    private let schema: Schema
    /// Whether that is the store's own schema.
    private let isOwn: Bool
    private let record: Record

    /// The state that all views of a transaction share.
    private final class Record {
        /// The store's own schema, in whose words changes are recorded.
        let schema: Schema
        var log = ChangeLog()
        /// The schema that the transaction gives the store, if it gives it another.
        var newSchema: Schema?
        /// The transaction of the history that this one undoes, if any.
        var undone: UUID?
        /// Writes the changes to the history; nil where they are only told.
        let history: HistoryRecord?

        init(_ schema: Schema, _ history: HistoryRecord?) {
            self.schema = schema
            self.history = history
        }
    }

    /// Creates a driver that records what is done through it.
    ///
    /// - Parameters:
    ///   - base: The driver that does the work.
    ///   - schema: The schema of the transaction.
    package convenience init(_ base: any TransactionDriver, schema: Schema) {
        self.init(base, schema: schema, writing: nil)
    }

    /// Creates a driver that also writes what it records to the store's history.
    convenience init(_ base: any TransactionDriver, schema: Schema, writing history: HistoryRecord?) {
        self.init(base, schema: schema, isOwn: true, record: Record(schema, history))
    }

    private init(_ base: any TransactionDriver, schema: Schema, isOwn: Bool, record: Record) {
        self.schema = schema
        self.isOwn = isOwn
        self.record = record
        super.init(base)
    }

    /// The transaction of the history that this one undoes, if any.
    package var undone: UUID? {
        get { record.undone }
        set { record.undone = newValue }
    }

    package func endTransaction(as record: TransactionRecord?) throws {
        try self.record.history?.write(self, as: record)
        self.record.log.removeAll()
        (self.record.newSchema, self.record.undone) = (nil, nil)
    }

    /// Calls the body with the change of each row, those of an entity after those of another.
    package func forEachChange(_ body: (RowChange) throws -> Void) throws {
        try record.log.forEachChange(current: rows, body)
    }

    package override func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        guard begin(.insert, of: entity) else {
            return try base.insert(into: entity, onConflict: conflict, next: next, stored: stored)
        }
        switch conflict {
        case .fail:
            return try base.insert(
                into: entity, onConflict: conflict,
                next: { row in
                    guard try next(&row) else { return false }
                    record.log.note(try row.withReader { try UUID(from: &$0) })
                    return true
                }, stored: stored)
        case .ignore:
            return try base.insert(into: entity, onConflict: conflict, next: next) { row in
                self.record.log.note(try UUID(from: &row))
                row.rewind()
                try stored?(&row)
            }
        case .update(let key, let set):
            return try upsert(
                into: entity, key: key, set: set, onConflict: conflict, next: next, stored: stored)
        }
    }

    /// The ids of the rows are to be recorded, so that they are read.
    package override func insert(
        into entity: Entity, _ values: [Operand], from selection: Selection
    ) throws -> Int? { nil }

    package override func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        let columns = assignments.compactMap { entity.column($0.attribute) }
        let isRecorded = begin(
            .update, of: entity,
            set: assignments.compactMap { assignment in
                let value = if case .value(let value) = assignment.value { value } else { StoredValue?.none }
                return entity.column(assignment.attribute).map { ($0, value) }
            })
        guard isRecorded else {
            return try base.update(entity, set: assignments, where: condition, report: report)
        }
        return try base.update(
            entity, set: assignments, where: condition, report: recording(entity, columns, for: report))
    }

    /// Records rows that are replaced by others with the same ids, as an update.
    ///
    /// - Parameters:
    ///   - changes: The rows before and after.
    ///   - entity: Their entity.
    ///   - columns: The attributes that are set.
    ///   - replace: Replaces the rows through a driver.
    /// - Throws: What `replace` throws.
    func replace(
        _ changes: [RowReplacement], of entity: Entity, _ columns: [Int],
        by replace: ([RowReplacement], any TransactionDriver) throws -> Void
    ) throws {
        try replace(changes, base)
        guard begin(.update, of: entity, set: columns.map { ($0, nil) }, givesAfter: true) else { return }
        for change in changes {
            record.log.note(try entity.id(of: change.after), before: change.before, after: change.after)
        }
    }

    package override func delete(
        from entity: Entity, where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        guard begin(.delete, of: entity) else {
            return try base.delete(from: entity, where: condition, report: report)
        }
        let all = Array(entity.attributes.indices)
        return try base.delete(from: entity, where: condition, report: recording(entity, all, for: report))
    }

    package override func savepoint(_ depth: Int) throws {
        try base.savepoint(depth)
        record.log.beginSavepoint()
    }

    package override func release(savepoint depth: Int) throws {
        try base.release(savepoint: depth)
        record.log.releaseSavepoint()
    }

    package override func rollback(toSavepoint depth: Int) throws {
        try base.rollback(toSavepoint: depth)
        record.log.undoSavepoint()
    }

    package override func view(of schema: Schema) throws -> any TransactionDriver {
        RecordingDriver(try base.view(of: schema), schema: schema, isOwn: false, record: record)
    }

    /// Changes tables: the history tells of a transaction, but of no change of a row.
    package override func change(
        _ changes: [TableChange], to schema: Schema, filling fill: TableFilling?
    ) throws {
        try super.change(changes, to: schema, filling: fill)
        record.newSchema = schema
    }

    /// The schema that the transaction gives the store, if it gives it another.
    var newSchema: Schema? { record.newSchema }

    /// Begins the record of an operation.
    ///
    /// - Returns: Whether there is anything to record, as the store's own schema has it.
    private func begin(
        _ kind: HistoryChange.Kind, of entity: Entity, set assignments: [(Int, StoredValue?)] = [],
        givesAfter: Bool = false
    ) -> Bool {
        let own = isOwn ? entity : record.schema.entity(inTable: entity.table) ?? entity
        let kept = assignments.filter { own.attributes[$0.0].history != .leftOut }
        guard !own.isLeftOutOfHistory, kind != .update || !kept.isEmpty else { return false }
        record.log.begin(kind, of: own, set: kept, givesAfter: givesAfter)
        return true
    }

    /// Looks up the rows that will be updated before the upsert, and reads the ids of all rows from its result.
    private func upsert(
        into entity: Entity, key: [String], set: [String], onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        let updated = set.compactMap { entity.column($0) }
        var writer = RowWriter(context: entity.errorContext)
        var count = 0
        while true {
            var rows: [[StoredValue]] = []
            while rows.count < Self.lookupRows, try next(&writer) {
                rows.append(try writer.storedValues(of: entity.rowLayout))
            }
            guard !rows.isEmpty else { return count }
            let before = try present(rows, key: key, of: entity)
            var inserted: [UUID] = []
            var changed: [(id: UUID, before: [StoredValue], after: [StoredValue])] = []
            var iterator = rows.makeIterator()
            count += try base.insert(into: entity, onConflict: conflict) { row in
                guard let values = iterator.next() else { return false }
                row.reset()
                for value in values { try row.write(value) }
                return true
            } stored: { row in
                let after = try entity.attributes.map { try row.read($0.type) }
                row.rewind()
                let id = try entity.id(of: after)
                if let values = before[id] {
                    changed.append((id, values, after))
                } else {
                    inserted.append(id)
                }
                try stored?(&row)
            }
            if begin(.insert, of: entity) { for id in inserted { record.log.note(id) } }
            if begin(.update, of: entity, set: updated.map { ($0, nil) }, givesAfter: true) {
                for row in changed { record.log.note(row.id, before: row.before, after: row.after) }
            }
        }
    }

    /// Returns the stored rows that have the keys of the given ones, by their ids.
    private func present(
        _ rows: [[StoredValue]], key: [String], of entity: Entity
    ) throws -> [UUID: [StoredValue]] {
        let columns = key.compactMap { entity.column($0) }
        // A nil that equals no other one is in no stored row's key, but a condition would find all nils.
        let nilsAreDistinct = entity.nilsAreDistinct(inKey: key) ?? false
        let rows = rows.filter { row in !nilsAreDistinct || !columns.contains { row[$0].isNull } }
        guard !rows.isEmpty else { return [:] }
        let isSame = rows.map { row in
            Condition.all(
                zip(key, columns).map { .compare(.attribute($0), .equal, .value(row[$1])) })
        }
        return try self.rows(
            of: entity, where: try Condition.any(isSame).validated(in: entity, schema: schema))
    }

    /// Returns the rows with some ids as they are now.
    private func rows(of entity: Entity, _ ids: [UUID]) throws -> [UUID: [StoredValue]] {
        var found: [UUID: [StoredValue]] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.lookupRows) {
            let some = ids[start..<min(start + Self.lookupRows, ids.count)]
            let condition = Condition.isIn(.attribute("id"), some.map { .uuid($0) })
            found.merge(try rows(of: entity, where: condition)) { $1 }
        }
        return found
    }

    private func rows(of entity: Entity, where condition: Condition) throws -> [UUID: [StoredValue]] {
        var found: [UUID: [StoredValue]] = [:]
        try base.select(.rows(of: entity, where: condition, order: [])) { row in
            let values = try entity.attributes.map { try row.read($0.type) }
            found[try entity.id(of: values)] = values
            return true
        }
        return found
    }

    /// Returns a report that records each row and passes it on to the caller's own report.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - columns: The attributes whose values are recorded; others are not decoded.
    ///   - report: The caller's own report.
    /// - Returns: The report.
    private func recording(
        _ entity: Entity, _ columns: [Int], for report: ChangeReport?
    ) -> ChangeReport {
        let types = entity.attributes.enumerated().map { position, attribute in
            position == 0 || columns.contains(position) ? attribute.type : nil
        }
        return ChangeReport(.rowBefore) { row in
            let before = try types.map { type in
                if let type { return try row.read(type) }
                _ = try row.next()
                return .null
            }
            row.rewind()
            let id = try entity.id(of: before)
            self.record.log.note(id, before: before)
            // The id comes first, where a caller that asked only for ids expects it.
            try report?.body(&row)
        }
    }
}
