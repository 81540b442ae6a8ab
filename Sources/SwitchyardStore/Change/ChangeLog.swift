internal import Foundation

/// The operations of a transaction in order, which it combines to one change for each row.
struct ChangeLog {
    /// The effect of one operation on rows of one entity.
    private struct Entry {
        let entity: Int
        let kind: HistoryChange.Kind
        /// The positions of the attributes that an update has set, and of all that a deleted row has.
        let attributes: [Int]
        /// The values that an update has set in all rows, in the order of `attributes`; nil for one that was calculated.
        let after: [StoredValue?]
        /// Whether each row has its own values after an upsert, instead of `after`.
        let hasOwnAfter: Bool
        /// Where its rows begin.
        let start: Int
        /// The number of rows.
        var count = 0

        /// Whether its changes can be told if it is the only operation on the entity: it meets each row once, and nothing
        /// of what it has set is unknown.
        var tellsAll: Bool {
            switch kind {
            case .insert, .delete: true
            case .update: !hasOwnAfter && !after.contains { $0 == nil }
            }
        }

        /// Calls the body with each of its rows.
        func forEachRow(_ reader: inout SpillBuffer.Reader, _ body: (Row) throws -> Void) throws {
            try reader.skip(to: start)
            let values = kind == .insert ? 0 : attributes.count
            for _ in 0..<count {
                try body(try reader.read { try Row(from: &$0, values, tellsAfter: hasOwnAfter) })
            }
        }

        func forEachChange(
            of entity: Entity, _ reader: inout SpillBuffer.Reader, _ body: (RowChange) throws -> Void
        ) throws {
            switch kind {
            case .insert:
                try forEachRow(&reader) { try body(RowChange(entity: entity.name, id: $0.id, kind: .insert)) }
            case .update:
                let kept = entity.keptAttributes
                let order = attributes.indices.filter { kept.contains(attributes[$0]) }
                    .sorted { attributes[$0] < attributes[$1] }
                let isInOrder = order == Array(attributes.indices)
                try forEachRow(&reader) { row in
                    let isChanged = isInOrder && !order.contains { row.before[$0] == after[$0] }
                    let change =
                        isChanged
                        ? RowChange(
                            entity: entity.name, id: row.id, kind: .update, attributes: attributes,
                            before: row.before)
                        : RowChange(updated: row.id, of: entity, attributes, in: order, before: row.before) {
                            after[$0]
                        }
                    if let change { try body(change) }
                }
            case .delete:
                let kept = entity.keptAttributes
                try forEachRow(&reader) { row in
                    try body(RowChange(deleted: row.id, of: entity, kept, before: row.before))
                }
            }
        }
    }

    /// A row that an operation has changed.
    private struct Row {
        let id: UUID
        /// The values before, in the order of the entry's attributes.
        let before: [StoredValue]
        /// The values after an upsert, likewise.
        let after: [StoredValue]

        init(from bytes: inout ByteReader, _ count: Int, tellsAfter: Bool) throws {
            func values() throws -> [StoredValue] {
                var values: [StoredValue] = []
                values.reserveCapacity(count)
                for _ in 0..<count { values.append(try bytes.value() ?? .null) }
                return values
            }
            id = try bytes.uuid()
            before = try values()
            after = tellsAfter ? try values() : []
        }
    }

    /// The entities that were changed, in the order of their first change.
    private var entities: [Entity] = []
    private var entries: [Entry] = []
    /// The rows of all entries.
    private let rows = SpillBuffer()
    /// The number of entries when each open savepoint began.
    private var savepoints: [Int] = []

    /// Begins the record of an operation.
    ///
    /// - Parameters:
    ///   - kind: Its effect on the rows.
    ///   - entity: The entity of the store's own schema.
    ///   - assignments: The values that an update sets, or an upsert for an existing row.
    ///   - givesAfter: Whether it reports the new values of each row.
    mutating func begin(
        _ kind: HistoryChange.Kind, of entity: Entity, set assignments: [(Int, StoredValue?)] = [],
        givesAfter: Bool = false
    ) {
        let position = entities.lastIndex { $0.name == entity.name } ?? entities.count
        if position == entities.count { entities.append(entity) }
        if kind == .insert, let last = entries.last, last.entity == position, last.kind == .insert,
            savepoints.last != entries.count
        {
            return
        }
        let attributes = kind == .delete ? Array(entity.attributes.indices) : assignments.map(\.0)
        entries.append(
            Entry(
                entity: position, kind: kind, attributes: attributes, after: assignments.map(\.1),
                hasOwnAfter: givesAfter, start: rows.count))
    }

    /// Adds a row to the operation that was begun last.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - before: Its previous values, all of them in the entity's order; nil for an insert.
    ///   - after: Its values after an upsert, likewise; nil if the operation's assignments say them.
    mutating func note(_ id: UUID, before: [StoredValue]? = nil, after: [StoredValue]? = nil) {
        let last = entries.count - 1
        entries[last].count += 1
        let attributes = entries[last].attributes
        rows.append { row in
            row.write(id)
            if let before { for attribute in attributes { row.write(before[attribute]) } }
            if let after { for attribute in attributes { row.write(after[attribute]) } }
        }
    }

    /// Forgets all operations, before the first savepoint or within one that began with none.
    mutating func removeAll() {
        entities = []
        entries = []
        rows.truncate(to: 0)
    }

    mutating func beginSavepoint() { savepoints.append(entries.count) }
    mutating func releaseSavepoint() { savepoints.removeLast() }
    mutating func undoSavepoint() {
        guard let count = savepoints.popLast(), count < entries.count else { return }
        rows.truncate(to: entries[count].start)
        entries.removeSubrange(count...)
    }
}

extension ChangeLog {
    /// Calls the body with the change of each row, one entity after the other.
    ///
    /// Rows that were inserted and deleted again are left out, and so are those with unchanged values.
    ///
    /// - Parameters:
    ///   - current: Returns the current rows with some ids.
    ///   - body: Takes a change.
    /// - Throws: What the closures throw.
    func forEachChange(
        current: (Entity, [UUID]) throws -> [UUID: [StoredValue]], _ body: (RowChange) throws -> Void
    ) throws {
        for position in entities.indices {
            let entity = entities[position]
            let entries = entries.filter { $0.entity == position && $0.count > 0 }
            var reader = SpillBuffer.Reader(rows)
            // Each row is met once. Of those that were inserted, no two have the same id.
            if entries.allSatisfy({ $0.kind == .insert }) || entries.count == 1 && entries[0].tellsAll {
                for entry in entries { try entry.forEachChange(of: entity, &reader, body) }
                continue
            }
            var rows = Rows()
            for entry in entries {
                try entry.forEachRow(&reader) { row in
                    rows.add(row, of: entry)
                    // A single update does not touch a row twice.
                    guard entries.count == 1, !entry.hasOwnAfter, rows.count == Self.rowsAtOnce else {
                        return
                    }
                    try rows.forEachChange(of: entity, current: current, body)
                    rows = Rows()
                }
            }
            try rows.forEachChange(of: entity, current: current, body)
        }
    }

    /// The number of rows of an update with calculated values that are held at once.
    private static var rowsAtOnce: Int { 64 }

    /// The combined effect on the rows of one entity.
    private struct Rows {
        private var ids: [UUID] = []
        private var states: [UUID: State] = [:]
        var count: Int { ids.count }

        private enum State {
            case inserted
            case changed(Values)
            case deleted([StoredValue])
            /// Inserted and deleted again.
            case gone
        }

        /// The attributes that were set, with their previous and current values; nil for an unknown one.
        private struct Values {
            var attributes: [Int]
            var before: [StoredValue]
            var after: [StoredValue?]
        }

        mutating func add(_ row: Row, of entry: Entry) {
            let next = Self.next(states[row.id], entry, row)
            if states.updateValue(next, forKey: row.id) == nil { ids.append(row.id) }
        }

        private static func next(_ state: State?, _ entry: Entry, _ row: Row) -> State {
            let before = row.before
            let after = entry.hasOwnAfter ? row.after.map { $0 } : entry.after
            switch (entry.kind, state) {
            case (.insert, .deleted(let before)):
                let attributes = Array(before.indices)
                return .changed(
                    Values(
                        attributes: attributes, before: before,
                        after: Array(repeating: nil, count: attributes.count)))
            case (.insert, _): return .inserted
            case (.update, .inserted): return .inserted
            case (.update, .changed(var values)):
                for (index, attribute) in entry.attributes.enumerated() {
                    if let known = values.attributes.firstIndex(of: attribute) {
                        values.after[known] = after[index]
                    } else {
                        values.attributes.append(attribute)
                        values.before.append(before[index])
                        values.after.append(after[index])
                    }
                }
                return .changed(values)
            case (.update, _):
                return .changed(
                    Values(attributes: entry.attributes, before: before, after: after))
            case (.delete, .inserted): return .gone
            case (.delete, .changed(let values)):
                var whole = before
                for (attribute, value) in zip(values.attributes, values.before) { whole[attribute] = value }
                return .deleted(whole)
            case (.delete, _): return .deleted(before)
            }
        }

        func forEachChange(
            of entity: Entity, current: (Entity, [UUID]) throws -> [UUID: [StoredValue]],
            _ body: (RowChange) throws -> Void
        ) throws {
            let unknown = ids.filter { id in
                if case .changed(let values) = states[id] {
                    values.after.contains { $0 == nil }
                } else {
                    false
                }
            }
            let rows = unknown.isEmpty ? [:] : try current(entity, unknown)
            let kept = entity.keptAttributes
            for id in ids {
                switch states[id] {
                case .inserted: try body(RowChange(entity: entity.name, id: id, kind: .insert))
                case .deleted(let before):
                    try body(RowChange(deleted: id, of: entity, kept, before: before))
                case .changed(let values):
                    let order = values.attributes.indices.filter { kept.contains(values.attributes[$0]) }
                        .sorted { values.attributes[$0] < values.attributes[$1] }
                    let change = RowChange(
                        updated: id, of: entity, values.attributes, in: order, before: values.before
                    ) { values.after[$0] ?? rows[id]?[values.attributes[$0]] }
                    if let change { try body(change) }
                case .gone, nil: continue
                }
            }
        }
    }
}

extension Entity {
    /// The positions of the attributes that the history records, ascending.
    fileprivate var keptAttributes: [Int] { attributes.indices.filter { attributes[$0].history != .leftOut } }
}

extension RowChange {
    /// The change of a row that was deleted.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - entity: Its entity.
    ///   - kept: The positions of the attributes that the history tells of.
    ///   - before: The values of all attributes.
    fileprivate init(
        deleted id: UUID, of entity: Entity, _ kept: [Int], before: [StoredValue]
    ) {
        self.init(
            entity: entity.name, id: id, kind: .delete, attributes: kept,
            before: kept.count == before.count ? before : kept.map { before[$0] })
    }

    /// The change of a row that was updated; nil if all values are unchanged.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - entity: Its entity.
    ///   - attributes: The positions of the attributes that were set.
    ///   - order: The indices of those that the history tells of, in the order of the entity's attributes.
    ///   - before: The values before.
    ///   - now: Returns the current value of the attribute with an index; nil if the row is deleted.
    fileprivate init?(
        updated id: UUID, of entity: Entity, _ attributes: [Int], in order: [Int],
        before: [StoredValue], now: (Int) -> StoredValue?
    ) {
        let changed = order.filter { before[$0] != now($0) }
        guard !changed.isEmpty else { return nil }
        self.init(
            entity: entity.name, id: id, kind: .update, attributes: changed.map { attributes[$0] },
            before: changed.map { before[$0] })
    }
}
