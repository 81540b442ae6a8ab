internal import Foundation

/// The driver of stores that hold their rows in memory while a transaction works on them.
///
/// It changes a copy of a snapshot, which the store commits if the transaction succeeds.
final class SnapshotTransaction: TransactionDriver, StoreMaintenance, HistoryAppending {
    /// The schema that this view of the transaction uses.
    private let schema: Schema
    private let progress: Progress
    private let cancellation: Cancellation

    /// The work so far, which a savepoint saves and restores.
    struct Work {
        var snapshot: Snapshot
        /// The positions of the tables whose rows were changed.
        var changed: Set<Int> = []
        var isHeaderChanged = false
        fileprivate var references = ReferenceCheck()

        init(_ snapshot: Snapshot) { self.snapshot = snapshot }
    }

    /// The state that all views of a transaction share.
    private final class Progress {
        var work: Work
        var savepoints: [Work] = []
        var targets: [Int: SnapshotTarget] = [:]

        init(_ work: Work) { self.work = work }
    }

    convenience init(_ snapshot: Snapshot, cancellation: Cancellation) {
        self.init(Progress(Work(snapshot)), schema: snapshot.schema, cancellation: cancellation)
    }

    private init(_ progress: Progress, schema: Schema, cancellation: Cancellation) {
        self.progress = progress
        self.schema = schema
        self.cancellation = cancellation
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        SnapshotTransaction(progress, schema: schema, cancellation: cancellation)
    }

    /// Returns the work to commit, after checking that all references point to rows.
    ///
    /// - Throws: `foreignKey`, or `cancelled`.
    func finished() throws -> Work {
        // A copy that is not complete may refer to rows that come later.
        if progress.work.snapshot.header.marker.role != .copying {
            try progress.work.references.verify(progress.work.snapshot)
        }
        try cancellation.check()
        return progress.work
    }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try selection.answer(body) { [self] direction, give in
            try forEachRow(of: selection.entity, where: selection.condition, direction, give)
        }
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try cancellation.check()
        if let row = try rows(of: entity).rows[RowID(id)] { try entity.withReader(of: row, body) }
    }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try cancellation.check()
        let table = try table(of: entity)
        let resolution = try KeyConflict(conflict, table.rules)
        let layout = entity.rowLayout
        var writer = RowWriter(context: entity.errorContext)
        var count = 0
        while try next(&writer) {
            try cancellation.check()
            let values = try writer.storedValues(of: layout)
            guard let row = try insert(values, into: table, resolution) else { continue }
            count += 1
            if let stored { try entity.withReader(of: row, stored) }
        }
        if count > 0 { progress.work.changed.insert(table.position) }
        return count
    }

    /// Inserts one row or resolves its conflict.
    ///
    /// - Returns: The row as it is stored now; nil if it was skipped.
    private func insert(
        _ values: [StoredValue], into table: SnapshotTarget, _ resolution: KeyConflict
    ) throws -> [StoredValue]? {
        if let key = resolution.key,
            let present = try progress.work.snapshot.tables[table.position].row(
                sharing: key, with: values, rules: table.rules)
        {
            guard let columns = resolution.updated else { return nil }
            var changed = present
            for column in columns { changed[column] = values[column] }
            try replace([(present, changed)], in: table)
            return changed
        }
        let id = try progress.work.snapshot.tables[table.position].insert(values, rules: table.rules)
        if table.hasReferences { progress.work.references.wrote(id, inTable: table.position) }
        return values
    }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        let values = try assignments.map { assignment in
            let value = try CompiledOperand(assignment.value, entity: entity, schema: schema, rows: allRows)
            return (columns: entity.columns(of: assignment.attribute), value: value.value)
        }
        var changes: [(old: [StoredValue], new: [StoredValue])] = []
        try forEachRow(of: entity, where: condition) { row in
            var changed = row
            for (columns, value) in values {
                let value = try value(row)
                // The second column, if there is one, is the folded copy.
                for (index, column) in columns.enumerated() {
                    changed[column] = index == 0 ? value : value.folded
                }
            }
            changes.append((row, changed))
            return true
        }
        let table = try table(of: entity)
        try replace(changes, in: table)
        if !changes.isEmpty { progress.work.changed.insert(table.position) }
        if let report { try report.tell(changes.lazy.map(\.old), of: entity) }
        return changes.count
    }

    private func replace(
        _ changes: [(old: [StoredValue], new: [StoredValue])], in table: SnapshotTarget
    ) throws {
        try progress.work.snapshot.tables[table.position].replace(changes, rules: table.rules)
        guard table.hasReferences else { return }
        for change in changes {
            progress.work.references.wrote(try table.rules.rowID(of: change.new), inTable: table.position)
        }
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        var doomed: [[StoredValue]] = []
        try forEachRow(of: entity, where: condition) { row in
            doomed.append(row)
            return true
        }
        let table = try table(of: entity)
        for row in doomed {
            try progress.work.snapshot.tables[table.position].remove(row, rules: table.rules)
            progress.work.references.deleted(try table.rules.rowID(of: row), inTable: table.position)
        }
        if !doomed.isEmpty { progress.work.changed.insert(table.position) }
        if let report { try report.tell(doomed, of: entity) }
        return doomed.count
    }

    func append(_ addition: HistoryAddition) throws -> Bool {
        let table = try table(of: HistoryAddition.entity)
        let first = RowID(.int(addition.idBefore + 1)) ?? .least
        var last: [StoredValue]?
        progress.work.snapshot.tables[table.position].rows.forEach(
            .descending, in: first ... .greatest
        ) { row in
            last = row.values
            return false
        }
        _ = try insert(try addition.row(after: last), into: table, try KeyConflict(.fail, table.rules))
        progress.work.changed.insert(table.position)
        return true
    }

    func savepoint(_ depth: Int) throws {
        try cancellation.check()
        progress.savepoints.append(progress.work)
    }

    func release(savepoint depth: Int) throws { progress.savepoints.removeLast() }

    func rollback(toSavepoint depth: Int) throws {
        if let earlier = progress.savepoints.popLast() { progress.work = earlier }
    }

    func record(_ operation: OperationID) throws {
        try progress.work.snapshot.header.operations.record(operation)
        progress.work.isHeaderChanged = true
    }

    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        progress.work.snapshot.header.operations.committed(after: last, limit: limit)
    }

    func adopt(_ operations: [CommittedOperation]) throws {
        progress.work.snapshot.header.operations.adopt(operations)
        progress.work.isHeaderChanged = true
    }

    func marker() throws -> StoreMarker { progress.work.snapshot.header.marker }

    func setMarker(_ marker: StoreMarker) throws {
        progress.work.snapshot.header.marker = marker
        progress.work.isHeaderChanged = true
    }

    func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        for change in changes { try requireFit(change) }
        var filled: Snapshot?
        if let fill {
            let new = SnapshotTransaction(
                progress.work.snapshot.beside(changes, in: schema.whileFilling(changes)),
                cancellation: cancellation)
            try fill(self, new)
            filled = new.progress.work.snapshot
        }
        let (snapshot, changed) = try progress.work.snapshot.changed(changes, to: schema, filled) {
            try cancellation.check()
        }
        let names = progress.work.changed.map { progress.work.snapshot.schema.tables[$0].table }
        progress.work.snapshot = snapshot
        // What was changed before is so still, at another position perhaps.
        progress.work.changed = changed.union(names.compactMap { snapshot.positions[$0] })
        progress.targets = [:]
        progress.work.references = ReferenceCheck()
        let replaced = Set(changes.filter(\.isFilled).compactMap(\.new?.name))
        for (position, entity) in schema.tables.enumerated()
        where changed.contains(position)
            || entity.attributes.contains(where: { replaced.contains($0.reference ?? "") })
        {
            snapshot.tables[position].rows.forEach { row in
                progress.work.references.wrote(row.id, inTable: position)
                return true
            }
        }
    }
}

extension SnapshotTransaction {
    /// The current rows of an entity.
    private func rows(of entity: Entity) throws -> SnapshotTable {
        let position = try progress.work.snapshot.position(ofTable: entity.table)
        return progress.work.snapshot.tables[position]
    }

    private func table(of entity: Entity) throws -> SnapshotTarget {
        let position = try progress.work.snapshot.position(ofTable: entity.table)
        if let known = progress.targets[position] { return known }
        let snapshot = progress.work.snapshot
        let target = SnapshotTarget(
            position: position,
            rules: try EntityRules(snapshot.schema.tables[position], schema: snapshot.schema),
            hasReferences: snapshot.tables[position].hasReferences)
        progress.targets[position] = target
        return target
    }

    /// Calls the body with each row that matches a condition, in the order of the ids or the other way round, until it
    /// returns false.
    private func forEachRow(
        of entity: Entity, where condition: Condition, _ direction: SortDirection = .ascending,
        _ body: ([StoredValue]) throws -> Bool
    ) throws {
        try cancellation.check()
        let test = try CompiledCondition(condition, entity: entity, schema: schema, rows: allRows)
        let table = try rows(of: entity)
        if let ids = table.candidates(for: condition, of: entity) {
            for id in direction == .ascending ? ids : ids.reversed() {
                try cancellation.check()
                guard let values = table.rows[id], try test.holds(values) else { continue }
                guard try body(values) else { return }
            }
            return
        }
        try table.rows.forEach(direction, in: table.bounds(of: condition)) { row in
            try cancellation.check()
            return try test.holds(row.values) ? try body(row.values) : true
        }
    }

    /// Iterates over the rows of any entity, for conditions about related rows.
    private var allRows: (Entity, ([StoredValue]) throws -> Void) throws -> Void {
        // Captures self rather than the rows: a copy kept by the closure would force a copy at each change.
        { [self] entity, body in
            try rows(of: entity).rows.forEach { row in
                try body(row.values)
                return true
            }
        }
    }
}

extension ChangeReport {
    /// Reports rows in the layout that drivers receive.
    fileprivate func tell(_ rows: some Sequence<[StoredValue]>, of entity: Entity) throws {
        let columns = content == .id ? 1 : entity.attributes.count
        var writer = RowWriter(context: entity.errorContext)
        for row in rows {
            writer.reset()
            for value in row.prefix(columns) { try writer.write(value) }
            try writer.withReader(body)
        }
    }
}
