internal import Foundation
internal import SwitchyardCore

/// The rows that a new store lacks, as of one snapshot of the old one: those that were changed since the last
/// snapshot, and the next rows to copy.
///
/// After it is written, the new store equals the old one in the snapshot, except for the rows that are yet to
/// come. So it never holds two rows that the old one would have refused together.
struct RowDelta: Sendable {
    /// For each entity, the rows to delete, some of which are inserted again.
    private(set) var changed: [[UUID]]
    /// For each entity, the rows to insert.
    private(set) var rows: [RowBlock]
    /// The ids of writes: of those that changed something since, and the next of the older ones.
    private var operations: [CommittedOperation] = []
    /// What the new store has before this is written; nil if it has nothing of the scope.
    private let start: SwitchRecord.Copied?
    /// What the new store's record says before this is written.
    let base: SwitchRecord.Copied
    /// What the new store has when this is written.
    private(set) var copied: SwitchRecord.Copied
    /// The number of rows that it had not.
    private(set) var newRows = 0
    /// For each entity, what was read of its new rows so far; nil if no tallies are kept.
    private(set) var tallies: [EntityTally]?
    /// Whether only future changes remain to be copied.
    var isLast: Bool { newRows == 0 && copied.hasOperations }
    /// Whether nothing was changed, and nothing is left.
    var isNothing: Bool { copied == start }
    /// The number of bytes that the rows take here.
    var byteCount: Int { rows.reduce(0) { $0 + $1.byteCount } }
    /// The number of rows that were changed since.
    var changedRows: Int { changed.reduce(0) { $0 + $1.count } }

    /// The number of bytes after which no more new rows are read.
    static let mostBytes = 6 << 20
    /// The maximum number of ids of older writes.
    private static let mostOperations = 10_000

    /// Reads the missing rows.
    ///
    /// - Parameters:
    ///   - tx: A read of the old store; of one scope if it has any.
    ///   - copied: What the new store has; nil if it has nothing of the scope.
    ///   - base: What the new store's record says, if that is of another scope; nil if it is `copied`.
    ///   - limit: The maximum number of new rows.
    ///   - tallies: Receive the new rows, one for each entity; nil if none are kept.
    /// - Throws: `historyPruned` or `historyAhead` if the changes since are no longer known; as any other
    ///   read.
    init(
        _ tx: ReadTransaction, after copied: SwitchRecord.Copied?, noting base: SwitchRecord.Copied,
        limit: Int, tallying tallies: [EntityTally]? = nil
    ) throws {
        self.tallies = tallies
        let head = try tx.historyToken()
        (start, self.base) = (copied, base)
        let copied = copied ?? base.beginning(head)
        self.copied = copied
        self.copied.token = head
        let entities = tx.schema.entities
        var changed = [Set<UUID>](repeating: [], count: entities.count)
        let positions = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
        var operations: [CommittedOperation] = []
        try tx.forEachTransaction(after: copied.token) { transaction in
            if let operation = transaction.operation {
                operations.append(CommittedOperation(operation, time: transaction.time))
            }
            try transaction.changes.forEach { change in
                guard let position = positions[change.entity], copied.holds(change.id, of: position) else {
                    return
                }
                changed[position].insert(change.id)
            }
        }
        if !copied.hasOperations {
            let next = try tx.driver.maintenance.operations(
                after: copied.lastOperation, limit: Self.mostOperations)
            operations += next
            self.copied.lastOperation = next.last?.id ?? copied.lastOperation
            self.copied.hasOperations = next.count < Self.mostOperations
        }
        self.operations = operations
        self.changed = changed.map { $0.sorted() }
        rows = try zip(entities, self.changed).map { entity, ids in
            var block = RowBlock(entity)
            if ids.isEmpty { return block }
            let condition = try Condition.isIn(.attribute("id"), ids.map { .uuid($0) })
                .validated(in: entity, schema: tx.schema)
            try tx.driver.select(.rows(of: entity, where: condition)) { row in
                try block.append(&row)
                return true
            }
            return block
        }
        while self.copied.entities < entities.count, newRows < limit {
            let position = self.copied.entities
            let known = rows[position].count
            var isFull = false
            let canonical = tallies == nil ? nil : CanonicalRow(entities[position])
            rows[position].reserve(rows: limit - newRows, withinBytes: Self.mostBytes)
            try tx.forEachNewRow(of: entities[position], after: self.copied.last, limit: limit - newRows) {
                row in
                if let canonical { try self.tallies?[position].add(&row, by: canonical) }
                try rows[position].append(&row)
                newRows += 1
                isFull = newRows >= limit || rows[position].byteCount >= Self.mostBytes
                return !isFull
            }
            if rows[position].count > known {
                self.copied.last = try rows[position].id(ofRow: rows[position].count - 1)
            }
            if isFull { break }
            self.copied.entities += 1
            self.copied.last = nil
        }
        self.copied.rows += newRows
    }

    /// Writes it to the new store, with the record of what the store has then.
    ///
    /// - Throws: `carriedOutElsewhere` if the store has something else than when this was read.
    func write(to tx: WriteTransaction, of id: UUID) throws {
        // First: rows that another process has copied in between would be refused as duplicates.
        try tx.note(copied, after: base, of: id)
        for (entity, ids) in zip(tx.schema.entities, changed) where !ids.isEmpty {
            // Not by the transaction, which would apply the delete rules.
            let condition = try Condition.isIn(.attribute("id"), ids.map { .uuid($0) })
                .validated(in: entity, schema: tx.schema)
            _ = try tx.driver.delete(from: entity, where: condition)
        }
        for (entity, rows) in zip(tx.schema.entities, rows) where rows.count > 0 {
            _ = try tx.insertRows(rows, into: entity)
        }
        if !operations.isEmpty { try tx.driver.maintenance.adopt(operations) }
        if copied.token.scope != nil, copied.isComplete(for: tx.schema) {
            try tx.setFollowedToken(copied.token, id, ofConsumer: SwitchWork.consumer)
        }
    }
}

extension SwitchRecord.Copied {
    /// Whether no rows were looked for yet.
    var hasNoRows: Bool { entities == 0 && last == nil }

    /// Whether a row of an entity is among those that the new store has, if the old one has it.
    fileprivate func holds(_ id: UUID, of entity: Int) -> Bool {
        entity < entities || entity == entities && last.map { id <= $0 } == true
    }
}

extension ReadTransaction {
    /// Calls the body with the rows after an id, in the order of the ids, until it returns false.
    fileprivate func forEachNewRow(
        of entity: Entity, after last: UUID?, limit: Int, _ body: (inout RowReader) throws -> Bool
    ) throws {
        let condition = last.map { Condition.compare(.attribute("id"), .greater, .value(.uuid($0))) }
        let selection = Selection.rows(
            of: entity,
            where: try (condition ?? .constant(true)).validated(in: entity, schema: schema), limit: limit)
        try driver.select(selection, body)
    }
}

extension WriteTransaction {
    /// Records what the new store has.
    ///
    /// - Throws: `carriedOutElsewhere` if it had something else before, because another process carries out a switch
    ///   to it.
    func note(_ copied: SwitchRecord.Copied, after base: SwitchRecord.Copied, of id: UUID) throws {
        try updateMarker { marker in
            guard let record = marker.switching, record.id == id, record.state == .copying,
                record.copied == base
            else { throw StoreError.carriedOutElsewhere }
            marker.switching?.copied = copied
        }
    }

    /// Changes the store's marker.
    func updateMarker(_ change: (inout StoreMarker) throws -> Void) throws {
        var marker = try driver.maintenance.marker()
        try change(&marker)
        try driver.maintenance.setMarker(marker)
    }
}
