internal import Foundation
internal import HashTreeCollections
internal import SwitchyardCore

/// The driver: works on a copy of the state, which the store keeps if the transaction succeeds.
final class MemoryTransaction: TransactionDriver {
    let schema: Schema
    private let progress: Progress
    private var rules: [String: RowRules] = [:]
    private let cancellation: Cancellation

    /// What a savepoint goes back to.
    struct Work {
        var state: MemoryState
        var references = References()
    }

    /// What all views of a transaction share.
    private final class Progress {
        var work: Work
        var savepoints: [Work] = []
        /// The schema of the store, by whose rules rows are kept.
        let schema: Schema

        init(_ work: Work, _ schema: Schema) { (self.work, self.schema) = (work, schema) }
    }

    var work: Work {
        get { progress.work }
        _modify { yield &progress.work }
    }

    convenience init(_ state: MemoryState, schema: Schema, cancellation: Cancellation) {
        self.init(Progress(Work(state: state), schema), schema: schema, cancellation: cancellation)
    }

    private init(_ progress: Progress, schema: Schema, cancellation: Cancellation) {
        self.progress = progress
        self.schema = schema
        self.cancellation = cancellation
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        MemoryTransaction(progress, schema: schema, cancellation: cancellation)
    }

    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try selection.answer(body) { [self] give in
            try forEachRow(of: selection.entity, where: selection.condition, give)
        }
    }

    func insert(
        into entity: Entity, onConflict conflict: ConflictResolution,
        next: (inout RowWriter) throws -> Bool, stored: ((inout RowReader) throws -> Void)?
    ) throws -> Int {
        try cancellation.check()
        let rules = try rules(of: entity)
        let layout = entity.rowLayout
        var writer = RowWriter(context: entity.rowContext)
        var count = 0
        while try next(&writer) {
            try cancellation.check()
            let values = try writer.storedValues(of: layout)
            guard let row = try insert(values, into: entity, conflict, rules) else { continue }
            count += 1
            if let stored { try entity.withReader(of: row, stored) }
        }
        return count
    }

    /// Inserts one row or resolves its conflict.
    ///
    /// - Returns: The row as it is stored now; nil if it was left out.
    private func insert(
        _ values: [StoredValue], into entity: Entity, _ conflict: ConflictResolution, _ rules: RowRules
    ) throws -> [StoredValue]? {
        if case .fail = conflict {
            // Nothing to look for first.
        } else if let present = try row(sharing: conflict.key, with: values, of: entity, rules) {
            guard case .update(_, let names) = conflict else { return nil }
            var changed = present
            let searchColumns = entity.searchColumns
            for name in names {
                guard let column = entity.column(name) else { continue }
                changed[column] = values[column]
                if let folded = searchColumns[name] { changed[folded] = values[folded] }
            }
            try replace([(present, changed)], in: entity, rules)
            return changed
        }
        try work.state.change(entity) { try $0.insert(values, rules: rules) }
        work.references.wrote(try rules.rowID(of: values), of: entity)
        return values
    }

    /// The stored row that agrees with another one in the attributes of a key.
    private func row(
        sharing key: [String], with values: [StoredValue], of entity: Entity, _ rules: RowRules
    ) throws -> [StoredValue]? {
        let table = try work.state.table(entity)
        if key == ["id"] { return table.rows[try rules.rowID(of: values)] }
        guard
            let index = rules.unique.firstIndex(where: {
                Set($0.constraint.attributes) == Set(key) && $0.constraint.filter == nil
            })
        else {
            throw StoreError(
                .unsupported, "(\(key.joined(separator: ", "))) is no unique key.", entity: entity.name)
        }
        guard let shared = try rules.unique[index].key(of: values) else { return nil }
        return table.row(ofKey: shared, inConstraint: index).flatMap { table.rows[$0] }
    }

    func update(
        _ entity: Entity, set assignments: [Assignment], where condition: Condition, report: ChangeReport?
    ) throws -> Int {
        let values = try assignments.map { assignment in
            (
                assignment.attribute,
                try RowValue(assignment.value, entity: entity, schema: schema, rows: allRows)
            )
        }
        let searchColumns = entity.searchColumns
        var changes: [(old: [StoredValue], new: [StoredValue])] = []
        try forEachRow(of: entity, where: condition) { row in
            var changed = row
            for (name, value) in values {
                guard let column = entity.column(name) else { continue }
                changed[column] = try value.value(row)
                if let folded = searchColumns[name] { changed[folded] = changed[column].folded }
            }
            changes.append((row, changed))
            return true
        }
        try replace(changes, in: entity, try rules(of: entity))
        for change in changes { if let report { try entity.withReader(of: change.old, report.body) } }
        return changes.count
    }

    private func replace(
        _ changes: [(old: [StoredValue], new: [StoredValue])], in entity: Entity, _ rules: RowRules
    ) throws {
        try work.state.change(entity) { try $0.replace(changes, rules: rules) }
        for change in changes { work.references.wrote(try rules.rowID(of: change.new), of: entity) }
    }

    func delete(from entity: Entity, where condition: Condition, report: ChangeReport?) throws -> Int {
        var doomed: [[StoredValue]] = []
        try forEachRow(of: entity, where: condition) { row in
            doomed.append(row)
            return true
        }
        let rules = try rules(of: entity)
        try work.state.change(entity) { table in
            for values in doomed { try table.remove(values, rules: rules) }
        }
        for values in doomed { work.references.deleted(try rules.rowID(of: values), of: entity) }
        for row in doomed { if let report { try entity.withReader(of: row, report.body) } }
        return doomed.count
    }

    func marker() throws -> StoreMarker { work.state.marker }
    func setMarker(_ marker: StoreMarker) throws { work.state.marker = marker }

    func savepoint(_ depth: Int) throws {
        try cancellation.check()
        progress.savepoints.append(work)
    }

    func release(savepoint depth: Int) throws { progress.savepoints.removeLast() }

    func rollback(toSavepoint depth: Int) throws {
        guard let earlier = progress.savepoints.popLast() else { return }
        work = earlier
    }

    func record(_ operation: OperationID) throws {
        guard work.state.operations.updateValue(.now, forKey: operation) == nil else {
            throw StoreError.operationCommitted(operation)
        }
        if operation.forgetsOthers {
            work.state.operations = work.state.operations.filter {
                $0.value.duration(to: .now) < .seconds(OperationID.retention)
            }
        }
    }

    /// The state to keep, once all references are found to point at rows.
    ///
    /// - Throws: `foreignKey`, or `cancelled`.
    func finished() throws -> MemoryState {
        try work.references.check(work.state, schema: progress.schema)
        try cancellation.check()
        return work.state
    }

    private func rules(of entity: Entity) throws -> RowRules {
        if let known = rules[entity.table] { return known }
        let own = progress.schema.entity(inTable: entity.table) ?? entity
        let new = try RowRules(own, schema: progress.schema)
        rules[entity.table] = new
        return new
    }
}

extension MemoryTransaction {
    /// Hands over each row that fulfils a condition, in the order of the ids, until the body returns false.
    func forEachRow(
        of entity: Entity, where condition: Condition, _ body: ([StoredValue]) throws -> Bool
    ) throws {
        try cancellation.check()
        let test = try RowTest(condition, entity: entity, schema: schema, rows: allRows)
        let table = try work.state.table(entity)
        if let ids = table.candidates(for: condition, of: entity) {
            for id in ids {
                try cancellation.check()
                guard let values = table.rows[id], try test.holds(values) else { continue }
                guard try body(values) else { return }
            }
            return
        }
        try table.rows.forEach { row in
            try cancellation.check()
            return try test.holds(row.values) ? try body(row.values) : true
        }
    }

    /// All rows of another entity, for conditions about a to-many relationship.
    private var allRows: (Entity, ([StoredValue]) throws -> Void) throws -> Void {
        let state = work.state
        return { entity, body in
            try state.table(entity).rows.forEach { row in
                try body(row.values)
                return true
            }
        }
    }
}

extension ConflictResolution {
    fileprivate var key: [String] {
        switch self {
        case .fail: []
        case .update(let key, _), .ignore(let key): key
        }
    }
}

extension StoredValue {
    fileprivate var folded: StoredValue {
        if case .text(let text) = self { .text(SearchFolding.fold(text)) } else { self }
    }
}
