package import Foundation
package import SwitchyardCore

/// The server's side of an exchange over a transaction of its store, in one scope.
package final class ServerMirror: ServerStorage {
    package let functions: MergeFunctions
    package let now: Int64
    package var schema: Schema { transaction.schema }
    private let transaction: WriteTransaction
    /// The device whose mutations are carried out.
    private let device: MirrorDevice
    private let records: MirrorRecords
    /// The rows that were read in this exchange; nil for a row that does not exist.
    private var rows: [RowKey: [StoredValue]?] = [:]
    /// The edits of the transactions after the oldest cursor that was asked for.
    private var edits: EditIndex?
    /// What was logged in this exchange.
    private var logged: [LoggedConflict] = []

    /// How many transactions one page tells of.
    private static let transactionsPerPage = 500
    private static let rowsPerPage = 5_000

    package init(
        _ transaction: WriteTransaction, device: MirrorDevice, functions: MergeFunctions, now: Int64
    ) {
        self.transaction = transaction
        self.device = device
        self.functions = functions
        self.now = now
        records = MirrorRecords(transaction)
    }

    // MARK: Rows

    /// Reads the rows that a request concerns, so that each need not be asked for.
    package func prefetch(_ request: ExchangeRequest) throws {
        let keys = Set(request.mutations.flatMap { $0.changes.map(\.key) })
        let found = try transaction.rows(keys)
        for key in keys { rows[key] = .some(found[key]) }
    }

    package func row(_ key: RowKey) throws -> [StoredValue]? {
        if let row = rows[key] { return row }
        let row = try transaction.row(of: key)
        rows[key] = .some(row)
        return row
    }

    package func write(_ writes: [RowWrite]) throws {
        do {
            try transaction.writeRows(writes)
        } catch let error as StoreError {
            throw Rejection(error) ?? error
        }
        for write in writes { rows[write.key] = .some(write.after) }
    }

    package func keys(of entity: Entity, holding values: [Int: StoredValue]) throws -> [RowKey] {
        let terms = values.sorted { $0.key < $1.key }.map { position, value in
            Condition.compare(.attribute(entity.attributes[position].name), .equal, .value(value))
        }
        return try transaction.fetchRows(of: entity.name, where: .all(terms)).compactMap { row in
            guard case .uuid(let id) = row[0] else { return nil }
            let key = RowKey(entity.name, id)
            if rows[key] == nil { rows[key] = .some(row) }
            return key
        }
    }

    package func alias(of key: RowKey) throws -> RowKey? {
        guard let record = try records.record(.alias, key.aliasID) else { return nil }
        var bytes = ByteReader(record.data)
        return RowKey(key.entity, try bytes.uuid())
    }

    package func setAlias(of key: RowKey, to other: RowKey?) throws {
        guard let other else { return try records.remove([key.aliasID]) }
        var bytes = ByteWriter()
        bytes.write(other.id)
        try records.put(.alias, id: key.aliasID, number: now, bytes.bytes)
    }

    // MARK: History

    package func head() throws -> HistoryPosition {
        guard let position = try transaction.historyToken().position else {
            throw StoreError.unreadableMutation
        }
        return position
    }

    package func presence(of position: HistoryPosition) throws -> PlacePresence {
        do {
            try transaction.requireHistory(after: position)
            return .present
        } catch let error as StoreError where error.code == .historyPruned {
            return .pruned
        } catch let error as StoreError where error.code == .historyAhead {
            return .absent
        }
    }

    package func isPruned(after sequence: Int64) throws -> Bool {
        try transaction.firstOfHistory().map { $0.sequence > sequence + 1 } ?? false
    }

    package func horizon() throws -> Int64 {
        try transaction.firstOfHistory().flatMap { $0.sequence > 1 ? $0.time : nil } ?? .min
    }

    package func edits(of key: RowKey, after sequence: Int64) throws -> [RowEdit] {
        if let edits, edits.start <= sequence { return edits.edits(of: key, after: sequence) }
        let index = try EditIndex(after: sequence, transaction, records)
        edits = index
        return index.edits(of: key, after: sequence)
    }

    package func changes(after position: HistoryPosition) throws -> ServerChanges {
        var changes = ServerChanges()
        try transaction.forEachTransaction(
            after: try transaction.historyToken(at: position), limit: Self.transactionsPerPage
        ) {
            guard let place = $0.token.position else { throw StoreError.unreadableMutation }
            changes.steps.append(place)
            try $0.changes.forEach { change in
                let key = RowKey(change.entity, change.id)
                guard change.kind == .update, let entity = schema.entity(change.entity) else {
                    changes.rows[key] = .some(nil)
                    return
                }
                let positions = change.attributes.compactMap { name in
                    entity.attributes.firstIndex { $0.name == name }
                }
                switch changes.rows[key] {
                case nil: changes.rows[key] = .some(Set(positions))
                case .some(let known?): changes.rows[key] = .some(known.union(positions))
                // All of them have changed before.
                case .some(nil): break
                }
            }
        }
        return changes
    }

    package func rows(after key: RowKey?) throws -> (rows: [[StoredValue]], keys: [RowKey], hasMore: Bool) {
        var (rows, keys): ([[StoredValue]], [RowKey]) = ([], [])
        for entity in schema.entities where entity.name >= key?.entity ?? "" {
            let after = key.flatMap { $0.entity == entity.name ? $0.id : nil }
            let condition = after.map { Condition.compare(.attribute("id"), .greater, .value(.uuid($0))) }
            let found = try transaction.fetchRows(
                of: entity.name, where: condition ?? .constant(true), sortedBy: [SortKey("id")],
                limit: Self.rowsPerPage - rows.count)
            for row in found {
                guard case .uuid(let id) = row[0] else { continue }
                rows.append(row)
                keys.append(RowKey(entity.name, id))
            }
            if rows.count == Self.rowsPerPage { return (rows, keys, true) }
        }
        return (rows, keys, false)
    }

    package func transaction<Result>(
        _ mutation: Mutation, time: Int64, _ body: () throws -> Result
    ) throws -> Result {
        let (before, loggedBefore) = (rows, logged)
        do {
            let record = TransactionRecord(
                id: mutation.id, time: time, author: mutation.author, device: device.name, origin: device.id,
                undone: mutation.undone)
            let result = try transaction.transaction(record, body)
            edits = nil
            return result
        } catch let error as StoreError {
            (rows, logged) = (before, loggedBefore)
            throw Rejection(error) ?? error
        } catch {
            (rows, logged) = (before, loggedBefore)
            throw error
        }
    }

    // MARK: Verdicts and conflicts

    package func verdict(on mutation: UUID) throws -> Verdict? {
        if let record = try records.record(.verdict, mutation) { return try Verdict(mutation, record.data) }
        // The history remembers what was carried out for longer than its verdict is kept.
        return try transaction.historyTransaction(mutation).map { _ in Verdict(id: mutation, kind: .merged) }
    }

    package func keep(_ verdict: Verdict, on mutation: Mutation) throws {
        try records.put(.verdict, id: mutation.id, number: now, verdict.encoded(on: mutation, now: now))
    }

    package func forgetVerdicts(on mutations: [UUID]) throws {
        try records.remove(
            try mutations.filter { id in
                guard let record = try records.record(.verdict, id) else { return false }
                return try VerdictNote(record.data).canBeForgotten
            })
    }

    package func conflicts(after sequence: Int64, upTo end: Int64) throws -> [LoggedConflict] {
        let known = Set(logged.map(\.id))
        let earlier = try records.all(.conflict, after: sequence).filter {
            $0.number <= end && !known.contains($0.id)
        }
        return try earlier.map { try LoggedConflict(id: $0.id, $0.data, schema) } + logged
    }

    package func log(_ conflict: Conflict) throws {
        let entry = LoggedConflict(id: UUIDv7.next(), time: now, device: device.name, conflict)
        // It goes to the devices with the transaction that is being made, or with the next one if that changes nothing.
        try records.put(
            .conflict, id: entry.id, number: try head().sequence + 1, try entry.encoded(schema))
        logged.append(entry)
    }
}

/// The edits of some transactions, by row.
private struct EditIndex {
    /// The place after which they begin.
    let start: Int64
    private var edits: [RowKey: [RowEdit]] = [:]

    init(after sequence: Int64, _ transaction: WriteTransaction, _ records: MirrorRecords) throws {
        start = sequence
        let schema = transaction.schema
        var edits: [RowKey: [RowEdit]] = [:]
        try transaction.forEachKeptTransaction(after: sequence) { made in
            let note = try records.record(.verdict, made.id).map { try VerdictNote($0.data) }
            let stamp = EditStamp(time: note?.time ?? made.time, id: made.id)
            try made.changes.forEach { change in
                let key = RowKey(change.entity, change.id)
                guard let entity = schema.entity(change.entity) else { return }
                let positions = change.attributes.compactMap { name in
                    entity.attributes.firstIndex { $0.name == name }
                }
                let deleted: [StoredValue?]? =
                    change.kind == .delete
                    ? [.uuid(change.id)] + entity.attributes.dropFirst().map { change.before($0.name) } : nil
                edits[key, default: []].append(
                    RowEdit(
                        sequence: made.sequence, stamp: stamp,
                        attributes: change.kind == .update ? positions : nil, deleted: deleted,
                        offered: note?.offers[key]))
            }
        }
        self.edits = edits
    }

    func edits(of key: RowKey, after sequence: Int64) -> [RowEdit] {
        edits[key, default: []].filter { $0.sequence > sequence }
    }
}

/// The device that an exchange is with.
package struct MirrorDevice: Sendable, Hashable {
    /// The identity of its store.
    package let id: UUID
    package let name: String?

    package init(id: UUID, name: String?) {
        self.id = id
        self.name = name
    }
}

extension Rejection {
    /// The rejection that an error of the store means; nil if it is no fault of the mutation.
    fileprivate init?(_ error: StoreError) {
        switch error.code {
        case .unique: self.init(.unique, error.entity ?? "", error.attribute)
        case .foreignKey: self.init(.reference, error.entity ?? "", error.attribute)
        case .notNull, .check, .valueNotRepresentable:
            self.init(.value, error.entity ?? "", error.attribute)
        default: return nil
        }
    }
}
