internal import Foundation

/// The driver of stores that keep their rows by key: in a snapshot in memory, or in a ``RowStore``.
///
/// It selects, checks and changes rows, and checks the references at the end.
final class RowTransaction<Tables: RowTables>: TransactionDriver, StoreMaintenance, HistoryAppending,
    PartitionLimiting
{
    /// The schema that this view of the transaction uses.
    private let schema: Schema
    private let progress: Progress
    private let cancellation: Cancellation

    /// What is to be checked and told at the end, which a savepoint saves and restores.
    struct Changes {
        /// The positions of the tables whose rows were changed.
        fileprivate(set) var tables: Set<Int> = []
        fileprivate(set) var isHeaderChanged = false
        fileprivate var references = ReferenceCheck()

        /// Whether there is nothing to commit.
        var isEmpty: Bool { tables.isEmpty && !isHeaderChanged }
    }

    /// The state that all views of a transaction share.
    private final class Progress {
        var tables: Tables
        var changes = Changes()
        var savepoints: [Changes] = []
        var targets: [Int: RowTarget] = [:]

        init(_ tables: Tables) { self.tables = tables }
    }

    convenience init(_ tables: Tables, cancellation: Cancellation) {
        self.init(Progress(tables), schema: tables.schema, cancellation: cancellation)
    }

    private init(_ progress: Progress, schema: Schema, cancellation: Cancellation) {
        self.progress = progress
        self.schema = schema
        self.cancellation = cancellation
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        RowTransaction(progress, schema: schema, cancellation: cancellation)
    }

    /// Returns what to commit, after checking that all references point to rows.
    ///
    /// - Throws: `foreignKey`, or `cancelled`.
    func finished() throws -> (tables: Tables, changes: Changes) {
        try checkReferences()
        try cancellation.check()
        return (progress.tables, progress.changes)
    }

    func checkReferences() throws {
        // A copy that is not complete may refer to rows that come later.
        guard !progress.changes.references.isEmpty, try progress.tables.marker().role != .copying else {
            return
        }
        try progress.changes.references.verify(progress.tables)
        progress.changes.references = ReferenceCheck()
    }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try selection.answer(body) { [self] direction, give in
            try forEachRow(of: selection.entity, where: selection.wholeCondition, direction, give)
        }
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try cancellation.check()
        let table = try progress.tables.position(ofTable: entity.table)
        if let row = try progress.tables.row(RowID(id), in: table) { try entity.withReader(of: row, body) }
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
        if count > 0 { progress.changes.tables.insert(table.position) }
        return count
    }

    /// Inserts one row or resolves its conflict.
    ///
    /// - Returns: The row as it is stored now; nil if it was skipped.
    private func insert(
        _ values: [StoredValue], into table: RowTarget, _ resolution: KeyConflict
    ) throws -> [StoredValue]? {
        if let key = resolution.key,
            let present = try progress.tables.row(
                sharing: key, with: values, in: table.position, rules: table.rules)
        {
            guard let columns = resolution.updated else { return nil }
            var changed = present
            for column in columns { changed[column] = values[column] }
            try replace([(present, changed)], in: table)
            return changed
        }
        let id = try progress.tables.insert(values, in: table.position, rules: table.rules)
        if table.hasReferences { progress.changes.references.wrote(id, inTable: table.position) }
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
        if !changes.isEmpty { progress.changes.tables.insert(table.position) }
        if let report { try report.tell(changes.lazy.map(\.old), of: entity) }
        return changes.count
    }

    private func replace(
        _ changes: [(old: [StoredValue], new: [StoredValue])], in table: RowTarget
    ) throws {
        try progress.tables.replace(changes, in: table.position, rules: table.rules)
        guard table.hasReferences else { return }
        for change in changes {
            progress.changes.references.wrote(try table.rules.rowID(of: change.new), inTable: table.position)
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
            try progress.tables.remove(row, in: table.position, rules: table.rules)
            progress.changes.references.deleted(try table.rules.rowID(of: row), inTable: table.position)
        }
        if !doomed.isEmpty { progress.changes.tables.insert(table.position) }
        if let report { try report.tell(doomed, of: entity) }
        return doomed.count
    }

    func append(_ addition: HistoryAddition) throws -> Bool {
        let table = try table(of: HistoryAddition.entity)
        let first = RowID(.int(addition.idBefore + 1)) ?? .least
        var last: [StoredValue]?
        try progress.tables.forEachRow(in: table.position, .descending, first ... .greatest) { _, row in
            last = row
            return false
        }
        _ = try insert(try addition.row(after: last), into: table, try KeyConflict(.fail, table.rules))
        progress.changes.tables.insert(table.position)
        return true
    }

    func savepoint(_ depth: Int) throws {
        try cancellation.check()
        try progress.tables.savepoint()
        progress.savepoints.append(progress.changes)
    }

    func release(savepoint depth: Int) throws {
        try progress.tables.release()
        progress.savepoints.removeLast()
    }

    func rollback(toSavepoint depth: Int) throws {
        guard let earlier = progress.savepoints.popLast() else { return }
        progress.changes = earlier
        try progress.tables.rollback()
    }

    func record(_ operation: OperationID) throws {
        try progress.tables.record(operation)
        progress.changes.isHeaderChanged = true
    }

    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation] {
        try progress.tables.operations(after: last, limit: limit)
    }

    func adopt(_ operations: [CommittedOperation]) throws {
        try progress.tables.adopt(operations)
        progress.changes.isHeaderChanged = true
    }

    func marker() throws -> StoreMarker { try progress.tables.marker() }

    func setMarker(_ marker: StoreMarker) throws {
        try progress.tables.setMarker(marker)
        progress.changes.isHeaderChanged = true
    }

    func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        for change in changes { try requireFit(change) }
        var filled: Tables?
        if let fill {
            let new = RowTransaction(
                try progress.tables.drafts(for: changes, in: schema.whileFilling(changes)),
                cancellation: cancellation)
            try fill(self, new)
            filled = new.progress.tables
        }
        let names = progress.changes.tables.map { progress.tables.schema.tables[$0].table }
        let changed = try progress.tables.change(changes, to: schema, filled: filled) {
            try cancellation.check()
        }
        // What was changed before is so still, at another position perhaps.
        progress.changes.tables = changed.union(names.compactMap { progress.tables.positions[$0] })
        progress.targets = [:]
        progress.changes.references = ReferenceCheck()
        let replaced = Set(changes.filter(\.isFilled).compactMap(\.new?.name))
        for (position, entity) in schema.tables.enumerated()
        where changed.contains(position)
            || entity.attributes.contains(where: { replaced.contains($0.reference ?? "") })
        {
            try progress.tables.forEachRow(in: position, .ascending, .all) { id, _ in
                progress.changes.references.wrote(id, inTable: position)
                return true
            }
        }
    }
}

extension RowTransaction {
    private func table(of entity: Entity) throws -> RowTarget {
        let position = try progress.tables.position(ofTable: entity.table)
        if let known = progress.targets[position] { return known }
        let schema = progress.tables.schema
        let own = schema.tables[position]
        let target = RowTarget(
            position: position, rules: try EntityRules(own, schema: schema),
            hasReferences: own.attributes.contains { $0.reference != nil })
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
        let table = try progress.tables.position(ofTable: entity.table)
        let tables = progress.tables
        if let ids = try tables.candidates(for: condition, of: entity, in: table) {
            for id in direction == .ascending ? ids : ids.reversed() {
                try cancellation.check()
                guard let values = try tables.row(id, in: table), try test.holds(values) else { continue }
                guard try body(values) else { return }
            }
            return
        }
        try tables.forEachRow(in: table, direction, condition.idRange) { _, row in
            try cancellation.check()
            return try test.holds(row) ? try body(row) : true
        }
    }

    /// Iterates over the rows of any entity, for conditions about related rows.
    private var allRows: (Entity, ([StoredValue]) throws -> Void) throws -> Void {
        // Captures self rather than the rows: a copy kept by the closure would force a copy at each change.
        { [self] entity, body in
            let table = try progress.tables.position(ofTable: entity.table)
            try progress.tables.forEachRow(in: table, .ascending, .all) { _, row in
                try body(row)
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
