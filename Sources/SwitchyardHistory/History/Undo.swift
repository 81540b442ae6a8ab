internal import Foundation

/// The inverse of a transaction of the history.
///
/// It is derived from the previous values, and carried out like any other write, so the history contains it
/// as well: undoing it again is redoing.
struct Undo {
    private let driver: any TransactionDriver
    private let schema: Schema
    private let transaction: HistoryTransaction
    /// The rows that it changed.
    private let keys: Set<Key>
    /// Later changes of them.
    private var later: [Key: [LaterChange]] = [:]

    private struct LaterChange {
        let change: HistoryChange
        let transaction: UUID
        /// The transaction that this one has undone, if it is an undo.
        let undone: UUID?
    }

    private struct Key: Hashable {
        let entity: String
        let id: UUID
    }

    /// The rows of one entity: their current and their restored state.
    private struct Step {
        let entity: Entity
        var deletes: [UUID] = []
        var inserts: [[StoredValue]] = []
        /// Whole rows after the update, with the attributes that it sets.
        var updates: [(row: [StoredValue], attributes: [Int])] = []
    }

    /// Prepares to undo a transaction.
    ///
    /// - Throws: `schemaMismatch` if it was written with another schema.
    init(_ transaction: HistoryTransaction, schema: Schema, driver: any TransactionDriver) throws {
        self.transaction = transaction
        self.schema = schema
        self.driver = driver
        var keys: Set<Key> = []
        try transaction.changes.forEach { keys.insert(Key(entity: $0.entity, id: $0.id)) }
        self.keys = keys
        // A name can mean something else in another version.
        guard transaction.fingerprintBytes == HistoryTransaction.fingerprint(from: schema.fingerprint) else {
            throw schemaHasChanged()
        }
    }

    /// Notes what a later transaction did to the same rows.
    mutating func note(_ other: HistoryTransaction) throws {
        try other.changes.forEach { change in
            let key = Key(entity: change.entity, id: change.id)
            guard keys.contains(key) else { return }
            later[key, default: []].append(
                LaterChange(change: change, transaction: other.id, undone: other.undone))
        }
    }

    /// Restores the state before the transaction, or changes nothing.
    ///
    /// - Returns: A later reference that blocks the undo; nil if the state is restored.
    /// - Throws: `undoConflict`, naming another obstacle; `earlierValueNotKept` for a value to restore that
    ///   is not in the history; `schemaMismatch` if the history is damaged; `unique` if another row has a
    ///   value to restore.
    func carryOut() throws -> LaterReference? {
        var steps: [Step] = []
        for name in transaction.entities {
            guard let entity = schema.entity(name) else { throw schemaHasChanged(name) }
            steps.append(try step(entity))
        }
        for step in steps {
            if let reference = try laterReference(to: step) { return reference }
        }
        for step in steps where !step.deletes.isEmpty { try delete(step.deletes, from: step.entity) }
        for step in steps { try update(step) }
        for step in steps where !step.inserts.isEmpty { try insert(step.inserts, into: step.entity) }
        return nil
    }

    private func step(_ entity: Entity) throws -> Step {
        var changes: [HistoryChange] = []
        try transaction.changes.forEach { if $0.entity == entity.name { changes.append($0) } }
        let rows = try currentRows(of: entity, changes.map(\.id))
        var step = Step(entity: entity)
        for change in changes {
            let later = later[Key(entity: entity.name, id: change.id), default: []]
            switch (change.kind, rows[change.id]) {
            case (.insert, let row?):
                try requireUnchanged(Array(entity.attributes.indices), of: row, entity, since: later)
                step.deletes.append(change.id)
            case (.update, var row?):
                let attributes = try positions(of: change, in: entity)
                try requireUnchanged(attributes, of: row, entity, since: later)
                for attribute in attributes { row[attribute] = try value(attribute, of: entity, in: change) }
                step.updates.append((row, attributes))
            case (.delete, nil):
                try requireDeletedHere(entity, since: later)
                step.inserts.append(try wholeRow(change, of: entity))
            case (.insert, nil), (.update, nil), (.delete, _?):
                let what = change.kind == .delete ? "inserted again" : "deleted"
                throw conflict("A row of it was \(what) since.", entity, later.last?.transaction)
            }
        }
        return step
    }

    /// Checks that attributes of a row still have the values that the transaction gave them.
    ///
    /// Later transactions may have changed them if those were undone.
    private func requireUnchanged(
        _ attributes: [Int], of row: [StoredValue], _ entity: Entity,
        since later: [LaterChange]
    ) throws {
        for attribute in attributes {
            let name = entity.attributes[attribute].name
            guard let first = later.first(where: { $0.change.attributes.contains(name) }) else { continue }
            let changes = later.filter {
                $0.change.kind != .update || $0.change.attributes.contains(name)
            }
            // A value that is not kept may differ.
            guard origin(since: changes) == transaction.id, first.change.before(name) == row[attribute] else {
                throw conflict(
                    "A value of it was changed since.", entity, changes.last?.transaction, attribute: name)
            }
        }
    }

    /// The transaction that a value, or the absence of a row, comes from: this one or a later one.
    ///
    /// An undo returns it to the transaction that it belonged to before the undone one.
    ///
    /// - Parameter changes: The later changes that concern it, in order.
    /// - Returns: The transaction; nil if an undo has restored the state from before this one.
    private func origin(since changes: some Sequence<LaterChange>) -> UUID? {
        var origin: UUID? = transaction.id
        // Whose it was before a transaction.
        var earlier: [UUID: UUID] = [:]
        for other in changes {
            let last = origin
            origin = other.undone.map { earlier[$0] } ?? other.transaction
            earlier[other.transaction] = last
        }
        return origin
    }

    /// Checks that this transaction has deleted the row, and not another one again.
    ///
    /// It may have been restored and deleted again in the meantime, if each time an undo has reverted the
    /// last step.
    private func requireDeletedHere(_ entity: Entity, since later: [LaterChange]) throws {
        let changes = later.filter { $0.change.kind != .update }
        let origin = origin(since: changes)
        guard origin == transaction.id else {
            throw conflict(
                "A row of it was inserted again and deleted again since.", entity,
                origin ?? changes.last?.transaction)
        }
    }

    /// A row that refers to one that would be deleted, and does so only since the transaction.
    struct LaterReference {
        let source: Entity
        let id: UUID
        let attribute: String

        /// Whether a change has set the reference.
        func isSet(by change: HistoryChange) -> Bool {
            change.id == id && change.entity == source.name
                && (change.kind == .insert || change.attributes.contains(attribute))
        }
    }

    /// Returns a row that refers to one to be deleted, apart from those that the transaction itself has made
    /// refer.
    private func laterReference(to step: Step) throws -> LaterReference? {
        guard !step.deletes.isEmpty else { return nil }
        for referrer in schema.referrers(of: step.entity) {
            let name = referrer.attribute.name
            let undone = try undoneReferrers(referrer.source, name)
            for ids in step.deletes.chunks {
                let refers = Condition.isIn(.attribute(name), ids.map { .uuid($0) })
                var found: UUID?
                try driver.select(
                    Selection(entity: referrer.source, columns: [.attribute("id")], condition: refers)
                ) { row in
                    let id = try UUID(from: &row)
                    if !undone.contains(id) { found = id }
                    return found == nil
                }
                if let found { return LaterReference(source: referrer.source, id: found, attribute: name) }
            }
        }
        return nil
    }

    /// The error for a later reference, which names the transaction that has set it, if the history knows it.
    func conflict(_ reference: LaterReference, setBy other: UUID?) -> StoreError {
        conflict(
            reference.source.isLeftOutOfHistory
                ? "A row that is not in the history refers to one of it."
                : "A row refers to one of it since.",
            reference.source, other, attribute: reference.attribute)
    }

    /// The rows of an entity whose reference the transaction has set, and which the undo reverts.
    private func undoneReferrers(_ entity: Entity, _ attribute: String) throws -> Set<UUID> {
        var ids: Set<UUID> = []
        try transaction.changes.forEach { change in
            guard change.entity == entity.name else { return }
            if change.kind == .insert || change.attributes.contains(attribute) { ids.insert(change.id) }
        }
        return ids
    }

    private func positions(of change: HistoryChange, in entity: Entity) throws -> [Int] {
        try change.attributes.map { name in
            guard let position = entity.column(name) else { throw schemaHasChanged(entity.name, name) }
            return position
        }
    }

    private func wholeRow(_ change: HistoryChange, of entity: Entity) throws -> [StoredValue] {
        try entity.attributes.indices.map { position in
            let attribute = entity.attributes[position]
            guard change.leavesOut(attribute.name) else {
                return try value(position, of: entity, in: change)
            }
            if attribute.isOptional { return .null }
            guard let value = attribute.defaultValue else { throw notKept(attribute.name, of: entity) }
            return value
        }
    }

    /// The previous value of an attribute, which must be valid today.
    private func value(_ position: Int, of entity: Entity, in change: HistoryChange) throws -> StoredValue {
        let attribute = entity.attributes[position]
        let before = change.before(attribute.name)
        guard before != nil || !change.attributes.contains(attribute.name) else {
            throw notKept(attribute.name, of: entity)
        }
        guard let value = before, attribute.allows(value),
            value.isNull ? attribute.isOptional : value.type == attribute.type
        else { throw schemaHasChanged(entity.name, attribute.name) }
        return value
    }

    private func currentRows(of entity: Entity, _ ids: [UUID]) throws -> [UUID: [StoredValue]] {
        var rows: [UUID: [StoredValue]] = [:]
        for ids in ids.chunks {
            let condition = Condition.isIn(.attribute("id"), ids.map { .uuid($0) })
            try driver.select(.rows(of: entity, where: condition, order: [])) { row in
                let values = try entity.attributes.map { try row.read($0.type) }
                rows[try entity.id(of: values)] = values
                return true
            }
        }
        return rows
    }

    private func delete(_ ids: [UUID], from entity: Entity) throws {
        for ids in ids.chunks {
            _ = try driver.delete(
                from: entity, where: .isIn(.attribute("id"), ids.map { .uuid($0) }))
        }
    }

    private func update(_ step: Step) throws {
        let unique = step.entity.attributes.map { attribute in
            step.entity.uniqueConstraints.contains { $0.concerns(attribute.name) }
        }
        let isUnique = step.updates.contains { $0.attributes.contains { unique[$0] } }
        // Rows can have exchanged their unique values, or which of them a constraint covers, which one statement for each
        // of them could not undo.
        guard step.updates.count > 1, isUnique || step.updates.count > 16 else {
            for (row, attributes) in step.updates {
                let assignments = attributes.map {
                    Assignment(attribute: step.entity.attributes[$0].name, value: .value(row[$0]))
                }
                _ = try driver.update(
                    step.entity, set: assignments,
                    where: .compare(.attribute("id"), .equal, .value(row[0])))
            }
            return
        }
        try delete(try step.updates.map { try step.entity.id(of: $0.row) }, from: step.entity)
        try insert(step.updates.map(\.row), into: step.entity)
    }

    private func insert(_ rows: [[StoredValue]], into entity: Entity) throws {
        var iterator = rows.makeIterator()
        let check = RowCheck(entity)
        _ = try driver.insert(into: entity, onConflict: .fail) { row in
            guard let values = iterator.next() else { return false }
            row.reset()
            for value in values { try row.write(value) }
            try check.complete(&row)
            return true
        }
    }

    private func conflict(
        _ reason: String, _ entity: Entity, _ other: UUID?, attribute: String? = nil
    ) -> StoreError {
        var error = StoreError(
            .undoConflict,
            "The transaction cannot be undone. \(reason) Undo the later change first; nothing was changed.",
            entity: entity.name, attribute: attribute)
        error.transaction = other
        return error
    }

    private func notKept(_ attribute: String, of entity: Entity) -> StoreError {
        StoreError(
            .earlierValueNotKept,
            "The transaction cannot be undone: the store's history does not keep the value that the attribute had before. "
                + "Nothing was changed.", entity: entity.name, attribute: attribute)
    }

    private func schemaHasChanged(_ entity: String? = nil, _ attribute: String? = nil) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The transaction was written with another schema and can no longer be undone. Nothing was "
                + "changed.",
            entity: entity, attribute: attribute)
    }
}

extension Array {
    /// The elements in parts of a size that a condition can hold.
    fileprivate var chunks: [ArraySlice<Element>] {
        stride(from: 0, to: count, by: 1_000).map { self[$0..<Swift.min($0 + 1_000, count)] }
    }
}
