internal import Foundation
package import SwitchyardCore

/// The server's side of an exchange over a transaction of its store, in one scope.
package final class ServerMirror: ServerStorage {
    package let policies: MergePolicies
    package let now: Int64
    package var schema: Schema { transaction.schema }
    private let transaction: WriteTransaction
    private let records: MirrorRecords
    /// The rows that were read in this exchange; nil for one that is not there.
    private var rows: [RowKey: [StoredValue]?] = [:]
    /// The edits of the transactions after the oldest cursor that was asked for.
    private var edits: EditIndex?

    /// How many transactions one page tells of.
    private static let transactionsPerPage = 500
    private static let rowsPerPage = 5_000

    package init(_ transaction: WriteTransaction, policies: MergePolicies, now: Int64) {
        self.transaction = transaction
        self.policies = policies
        self.now = now
        records = MirrorRecords(driver: transaction.driver)
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

    package func keys(of entity: Entity, referringBy attribute: Int, to id: UUID) throws -> [RowKey] {
        try transaction.fetchRows(
            of: entity.name, where: .compare(.attribute(entity.attributes[attribute].name), .equal, .value(.uuid(id)))
        ).compactMap { row in
            guard case .uuid(let id) = row[0] else { return nil }
            let key = RowKey(entity.name, id)
            if rows[key] == nil { rows[key] = .some(row) }
            return key
        }
    }

    // MARK: History

    package func head() throws -> HistoryPosition {
        guard let position = try transaction.historyToken().position else { throw StoreError.unreadableMutation }
        return position
    }

    package func presence(of position: HistoryPosition) throws -> PlacePresence {
        try transaction.presence(of: position)
    }

    package func edits(of key: RowKey, after sequence: Int64) throws -> [RowEdit]? {
        if edits.map({ $0.start > sequence }) ?? true {
            edits = try EditIndex(after: sequence, transaction, records)
        }
        return edits?.edits(of: key, after: sequence)
    }

    package func changes(after position: HistoryPosition) throws -> ServerChanges {
        var changes = ServerChanges()
        try transaction.forEachTransaction(after: try transaction.token(at: position), limit: Self.transactionsPerPage) {
            guard let place = $0.token.position else { throw StoreError.unreadableMutation }
            changes.steps.append(place)
            try $0.changes.forEach { change in
                let key = RowKey(change.entity, change.id)
                guard change.kind == .update, let entity = schema.entity(change.entity) else {
                    changes.rows[key] = .some(nil)
                    return
                }
                if case .some(nil) = changes.rows[key] { return }
                let positions = change.attributes.compactMap { name in
                    entity.attributes.firstIndex { $0.name == name }
                }
                changes.rows[key] = .some((changes.rows[key] ?? nil ?? []).union(positions))
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
        let before = rows
        do {
            let record = TransactionRecord(
                id: mutation.id, time: time, author: mutation.author, origin: mutation.id)
            let result = try transaction.transaction(record, body)
            edits = nil
            return result
        } catch let error as StoreError {
            rows = before
            throw Rejection(error) ?? error
        } catch {
            rows = before
            throw error
        }
    }

    // MARK: Verdicts and conflicts

    package func verdict(on mutation: UUID) throws -> Verdict? {
        if let record = try records.record(.verdict, mutation) { return try Verdict(mutation, record.data) }
        // The history remembers what was carried out for longer than its verdict is kept.
        return try transaction.isInHistory(mutation) ? Verdict(id: mutation, kind: .merged) : nil
    }

    package func keep(_ verdict: Verdict, on mutation: Mutation) throws {
        try records.put(.verdict, id: mutation.id, number: now, try verdict.encoded(offers: mutation, schema))
    }

    package func forgetVerdicts(on mutations: [UUID]) throws {
        // What an offer has brought is asked for by later offers.
        try records.remove(
            try mutations.filter { id in
                guard let record = try records.record(.verdict, id) else { return false }
                return try Verdict.offers(record.data, schema).isEmpty
            })
    }

    package func log(_ conflict: Conflict) throws {
        try records.put(.conflict, id: UUIDv7.next(), number: now, try conflict.encoded(schema))
    }
}

/// The edits of some transactions, by row.
private struct EditIndex {
    /// The place after which they begin.
    let start: Int64
    /// Whether transactions after that place are not kept any more.
    private let isPruned: Bool
    private var edits: [RowKey: [RowEdit]] = [:]

    init(after sequence: Int64, _ transaction: WriteTransaction, _ records: MirrorRecords) throws {
        start = sequence
        let schema = transaction.schema
        var edits: [RowKey: [RowEdit]] = [:]
        isPruned = try !transaction.forEachTransaction(afterNumber: sequence) { made in
            let offers = try records.record(.verdict, made.id).map { try Verdict.offers($0.data, schema) } ?? [:]
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
                        sequence: made.sequence, stamp: EditStamp(time: made.time, id: made.id),
                        attributes: change.kind == .update ? positions : nil, deleted: deleted,
                        offered: offers[key]))
            }
        }
        self.edits = edits
    }

    func edits(of key: RowKey, after sequence: Int64) -> [RowEdit]? {
        isPruned ? nil : edits[key, default: []].filter { $0.sequence > sequence }
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
