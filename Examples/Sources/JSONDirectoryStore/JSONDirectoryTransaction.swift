internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// The driver: works on a copy of the rows, which the store commits if the transaction succeeds.
final class JSONDirectoryTransaction: TransactionDriver {
    private let schema: Schema
    private let progress: Progress
    private let cancellation: Cancellation

    /// What all views of a transaction share.
    private final class Progress {
        var work: Work
        var savepoints: [Work] = []
        /// The schema of the store, by whose rules rows are kept.
        let schema: Schema

        init(_ work: Work, _ schema: Schema) { (self.work, self.schema) = (work, schema) }
    }

    private var work: Work {
        get { progress.work }
        _modify { yield &progress.work }
    }

    convenience init(_ contents: Contents, _ schema: Schema, _ cancellation: Cancellation) {
        self.init(Progress(Work(contents), schema), schema, cancellation)
    }

    private init(_ progress: Progress, _ schema: Schema, _ cancellation: Cancellation) {
        self.progress = progress
        self.schema = schema
        self.cancellation = cancellation
    }

    func view(of schema: Schema) throws -> any TransactionDriver {
        JSONDirectoryTransaction(progress, schema, cancellation)
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
        let rules = try rules(of: entity)
        let layout = entity.rowLayout
        var writer = RowWriter(context: entity.rowContext)
        var count = 0
        while try next(&writer) {
            try cancellation.check()
            guard let row = try insert(try writer.storedValues(of: layout), conflict, rules) else { continue }
            count += 1
            if let stored { try entity.withReader(of: row, stored) }
        }
        return count
    }

    /// Inserts one row or resolves its conflict.
    ///
    /// - Returns: The row as it is stored now; nil if it was left out.
    private func insert(
        _ row: [StoredValue], _ conflict: ConflictResolution, _ rules: RowRules
    ) throws -> [StoredValue]? {
        let entity = rules.entity
        switch conflict {
        case .fail: break
        case .ignore(let key):
            if try work.table(entity).row(sharing: key, with: row, rules) != nil { return nil }
        case .update(let key, let names):
            guard let present = try work.table(entity).row(sharing: key, with: row, rules) else { break }
            var changed = present
            for column in names.flatMap({ entity.columns(of: $0) }) { changed[column] = row[column] }
            try work.replace([present], with: [changed], rules)
            return changed
        }
        try work.replace([], with: [row], rules)
        return row
    }

    func update(_ entity: Entity, set assignments: [Assignment], where condition: Condition) throws -> Int {
        let values = try assignments.map { assignment in
            let value = try RowValue(assignment.value, entity: entity, schema: schema, rows: allRows)
            return (columns: entity.columns(of: assignment.attribute), value: value.value)
        }
        var (old, new): ([[StoredValue]], [[StoredValue]]) = ([], [])
        try forEachRow(of: entity, where: condition) { row in
            var changed = row
            for (columns, value) in values {
                let value = try value(row)
                // The second column, if there is one, is the folded copy.
                for (index, column) in columns.enumerated() {
                    changed[column] = index == 0 ? value : value.folded
                }
            }
            old.append(row)
            new.append(changed)
            return true
        }
        try work.replace(old, with: new, try rules(of: entity))
        return old.count
    }

    func delete(from entity: Entity, where condition: Condition) throws -> Int {
        var doomed: [[StoredValue]] = []
        try forEachRow(of: entity, where: condition) { row in
            doomed.append(row)
            return true
        }
        try work.replace(doomed, with: [], try rules(of: entity))
        return doomed.count
    }

    func savepoint(_ depth: Int) throws {
        try cancellation.check()
        progress.savepoints.append(work)
    }

    func release(savepoint depth: Int) throws { progress.savepoints.removeLast() }

    func rollback(toSavepoint depth: Int) throws {
        if let earlier = progress.savepoints.popLast() { work = earlier }
    }

    func record(_ operation: OperationID) throws {
        try work.manifest.record(operation, at: Int(Date().timeIntervalSince1970))
        work.isRecorded = true
    }

    /// What is to be committed, once all references are found to point at rows.
    ///
    /// - Throws: `foreignKey`, or `cancelled`.
    func finished() throws -> Work {
        if let fault = try work.danglingReferences(progress.schema).first { throw fault }
        try cancellation.check()
        return work
    }

    private func rules(of entity: Entity) throws -> RowRules {
        try RowRules(progress.schema.entity(inTable: entity.table) ?? entity, schema: progress.schema)
    }

    /// Hands over each row that fulfils a condition, ascending by id, until the body returns false.
    private func forEachRow(
        of entity: Entity, where condition: Condition, _ body: ([StoredValue]) throws -> Bool
    ) throws {
        try cancellation.check()
        let table = try work.table(entity)
        // By far the most frequent question, which need not look at all rows.
        if case .compare(.attribute("id"), .equal, .value(.uuid(let id))) = condition {
            if let row = table.rows[id] { _ = try body(row) }
            return
        }
        let test = try RowTest(condition, entity: entity, schema: schema, rows: allRows)
        try table.forEach { row in
            try cancellation.check()
            return try test.holds(row) ? try body(row) : true
        }
    }

    /// All rows of another entity, for conditions about a to-many relationship.
    private var allRows: (Entity, ([StoredValue]) throws -> Void) throws -> Void {
        // A copy of the rows in the closure would make every change to them copy them all.
        { [unowned self] entity, body in try work.table(entity).rows.values.forEach(body) }
    }
}

extension Entity {
    /// The column of an attribute, and that of its folded copy if it is searchable.
    fileprivate func columns(of attribute: String) -> [Int] {
        [column(attribute), searchColumns[attribute]].compactMap(\.self)
    }
}

extension StoredValue {
    /// The folded copy of a searchable text.
    var folded: StoredValue {
        if case .text(let text) = self { .text(SearchFolding.fold(text)) } else { .null }
    }
}
