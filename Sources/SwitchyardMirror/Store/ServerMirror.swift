package import Foundation
package import SwitchyardCore

/// The server's side of an exchange over a transaction of its store, in one scope.
package final class ServerMirror: ServerStorage {
    package let functions: MergeFunctions
    package let now: Int64
    package var schema: Schema { transaction.schema }
    let transaction: ReadTransaction
    /// The same transaction, if it writes; one that does not carries out nothing.
    private let writing: WriteTransaction?
    package let mayWrite: Bool
    /// The device whose mutations are carried out.
    private let device: MirrorDevice
    let records: MirrorRecords
    private let versions: ServerVersions
    /// What the device sees of the rows; nil if it has their version.
    let view: VersionProjection?
    /// What it had seen before it was migrated.
    private var earlierView: VersionProjection?
    var words: HistoryWords
    /// The rows that were read in this exchange; nil for a row that does not exist.
    private(set) var rows: [RowKey: [StoredValue]?] = [:]
    /// The edits of the transactions after the oldest cursor that was asked for.
    private var edits: EditIndex?
    /// The verdicts on the mutations of this exchange; nil for a mutation that has none yet.
    private var verdicts: [UUID: Verdict?] = [:]
    /// The records of new verdicts, which are written together.
    private var notes: [UUID: MirrorRecords.Record] = [:]
    /// What was logged in this exchange.
    private var logged: [LoggedConflict] = []
    /// The first transaction that is kept; nil before it was asked for.
    private var first: (sequence: Int64, time: Int64)?

    static let rowsPerPage = 5_000
    /// How large a page becomes before it is sent, in bytes.
    static let bytesPerPage = 4 << 20
    /// How long a verdict is kept at least, in microseconds.
    private static let verdictsAreKept: Int64 = 30 * 86_400 * 1_000_000

    package init(
        _ transaction: ReadTransaction, device: MirrorDevice, functions: MergeFunctions, now: Int64,
        versions: ServerVersions, view: VersionProjection?, mayWrite: Bool = true
    ) {
        (self.versions, self.view, self.mayWrite) = (versions, view, mayWrite)
        words = HistoryWords(transaction.schema, versions)
        self.transaction = transaction
        writing = transaction as? WriteTransaction
        self.device = device
        self.functions = functions
        self.now = now
        records = MirrorRecords(transaction)
    }

    /// Answers a request, both in the words of the device.
    ///
    /// - Throws: As `exchange(_:)`; `schemaTooNew` as `VersionProjection.lowered(_:)`.
    package func answer(_ request: ExchangeRequest) throws -> ExchangeAnswer {
        earlierView = request.earlier.flatMap { versions.projection(from: $0) }
        var request = request
        if let view { request.mutations = request.mutations.map { view.raised($0) } }
        try prefetch(Set(request.mutations.flatMap { $0.changes.map(\.key) }))
        let ids = request.mutations.map(\.id)
        let kept = try records.records(.verdict, ids)
        // The history remembers what was carried out for longer than its verdict is kept.
        let carriedOut = try transaction.historyIDs(among: ids.filter { kept[$0] == nil })
        for id in ids {
            verdicts[id] = .some(
                try kept[id].map { try Verdict(id, $0.data) }
                    ?? (carriedOut.contains(id) ? Verdict(id: id, kind: .merged) : nil))
        }
        let answer = try exchange(request)
        try records.put(.verdict, notes.values)
        return try view?.lowered(answer) ?? answer
    }

    /// Answers with a page of all rows, in the words of the device.
    ///
    /// - Throws: As `answer(_:)`.
    package func page(_ request: RowsRequest) throws -> ExchangeAnswer {
        var request = request
        if let view {
            request.after = request.after.flatMap { after in
                view.entity(older: after.entity).map { RowKey($0.newer.name, after.id) }
            }
        }
        let answer = try answer(request)
        return try view?.lowered(answer) ?? answer
    }

    package func view(of mutation: Mutation) -> VersionProjection? {
        // What it was told before it was migrated it offers as it has it now.
        mutation.isOffer ? earlierView ?? view : view
    }

    // MARK: Rows

    package func prefetch(_ keys: some Collection<RowKey>) throws {
        let unknown = keys.filter { rows[$0] == nil }
        let found = try transaction.rows(unknown)
        for key in unknown { rows[key] = .some(found[key]) }
    }

    package func row(_ key: RowKey) throws -> [StoredValue]? {
        if let row = rows[key] { return row }
        let row = try transaction.row(of: key)
        rows[key] = .some(row)
        return row
    }

    package func write(_ writes: [RowWrite]) throws {
        do {
            try writer().writeRows(writes)
        } catch let error as StoreError {
            throw Rejection(error) ?? error
        }
        for write in writes { rows[write.key] = .some(write.after) }
    }

    private func writer() throws -> WriteTransaction {
        guard let writing else {
            throw StoreError(
                .readOnly, "The server's store is only read, so that no change can be carried out.")
        }
        return writing
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
        guard let other else { return try records.remove(.alias, [key.aliasID]) }
        var bytes = ByteWriter()
        bytes.write(other.id)
        try records.put(.alias, id: key.aliasID, number: now, bytes.bytes)
    }

    package func offers(of keys: some Collection<RowKey>) throws -> [RowKey: RowOffer] {
        let found = try records.records(.offer, keys.map(\.offerID))
        var offers: [RowKey: RowOffer] = [:]
        for key in keys {
            guard let record = found[key.offerID] else { continue }
            var bytes = ByteReader(record.data)
            offers[key] = RowOffer(received: try bytes.signed(), sequence: try bytes.signed())
        }
        return offers
    }

    package func noteOffers(_ offers: [RowKey: RowOffer]) throws {
        try records.put(
            .offer,
            offers.map { key, offer in
                var bytes = ByteWriter()
                bytes.write(signed: offer.received)
                bytes.write(signed: offer.sequence)
                return MirrorRecords.Record(id: key.offerID, number: now, data: bytes.bytes)
            })
    }

    package func nextSequence() throws -> Int64 { try head().sequence + 1 }

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
        try firstOfHistory().map { $0.sequence > sequence + 1 } ?? false
    }

    package func horizon() throws -> Int64 {
        try firstOfHistory().flatMap { $0.sequence > 1 ? $0.time : nil } ?? .min
    }

    private func firstOfHistory() throws -> (sequence: Int64, time: Int64)? {
        if first == nil { first = try transaction.firstOfHistory() }
        return first
    }

    package func edits(of key: RowKey, after sequence: Int64) throws -> [RowEdit] {
        // The rows that were read are the ones that will be asked for.
        if edits?.knows(key, after: sequence) != true {
            edits = EditIndex(of: rows.keys, and: key, after: min(sequence, edits?.start ?? sequence))
        }
        try edits?.read(transaction, &words) { try self.note(of: $0) }
        return edits?.edits(of: key, after: sequence) ?? []
    }

    package func places() throws -> [HistoryPosition] {
        let head = try head().sequence
        guard let first = try firstOfHistory()?.sequence else { return [] }
        var places: [HistoryPosition] = []
        var distance = Double(ExchangePage.mostPlaces)
        while head - Int64(distance) >= first {
            try transaction.forEachKeptTransaction(after: head - Int64(distance) - 1) { made in
                places += made.token.position.map { [$0] } ?? []
                return false
            }
            distance *= 1.25
        }
        places.reverse()
        try transaction.forEachKeptTransaction(after: head - Int64(ExchangePage.mostPlaces)) { made in
            places += made.token.position.map { [$0] } ?? []
            return true
        }
        return places
    }

    package func isFarBehind(_ position: HistoryPosition) throws -> Bool {
        let behind = try head().sequence - position.sequence
        guard behind > Int64(Self.rowsPerPage) else { return false }
        var rows: Int64 = 0
        for entity in schema.sharedEntities { rows += Int64(try transaction.countRows(of: entity.name)) }
        return behind > rows
    }

    package func rows(after key: RowKey?) throws -> (rows: [[StoredValue]], keys: [RowKey], hasMore: Bool) {
        var (rows, keys, bytes): ([[StoredValue]], [RowKey], Int) = ([], [], 0)
        for entity in schema.sharedEntities where entity.name >= key?.entity ?? "" {
            // What a device does not know takes no page.
            if let view, view.entity(newer: entity.name) == nil { continue }
            let after = key.flatMap { $0.entity == entity.name ? $0.id : nil }
            let condition = after.map { Condition.compare(.attribute("id"), .greater, .value(.uuid($0))) }
            var isFull = false
            let types = entity.attributes.map(\.type)
            try transaction.driver.select(
                .rows(
                    of: entity, where: condition ?? .constant(true), order: [SortKey("id")],
                    limit: Self.rowsPerPage)
            ) { reader in
                let row = try types.map { try reader.read($0) }
                guard case .uuid(let id) = row[0] else { return true }
                rows.append(row)
                keys.append(RowKey(entity.name, id))
                bytes += row.reduce(0) { $0 + $1.approximateBytes }
                isFull = rows.count >= Self.rowsPerPage || bytes >= Self.bytesPerPage
                return !isFull
            }
            if isFull { return (rows, keys, true) }
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
            return try writer().transaction(record, body)
        } catch let error as StoreError {
            (rows, logged) = (before, loggedBefore)
            throw Rejection(error) ?? error
        } catch {
            (rows, logged) = (before, loggedBefore)
            throw error
        }
    }

    // MARK: Verdicts and conflicts

    package func verdict(on mutation: UUID) throws -> Verdict? { verdicts[mutation] ?? nil }

    package func keep(_ verdict: Verdict, on mutation: Mutation) throws {
        verdicts[mutation.id] = .some(verdict)
        notes[mutation.id] = MirrorRecords.Record(
            id: mutation.id, number: max(now, mutation.time), data: verdict.encoded(on: mutation, now: now))
    }

    private func note(of mutation: UUID) throws -> VerdictNote? {
        try (notes[mutation] ?? records.record(.verdict, mutation)).map { try VerdictNote($0.data) }
    }

    package func forgetVerdicts(on mutations: [UUID]) throws {
        let stored = try records.records(.verdict, mutations).values
        try records.remove(
            .verdict, try stored.filter { try VerdictNote($0.data).canBeForgotten }.map(\.id))
        // Nobody needs those of pruned transactions any more, nor the rows that were merged into others then.
        guard writing != nil, let first = try firstOfHistory(), first.sequence > 1 else { return }
        let end = min(first.time, now - Self.verdictsAreKept)
        // The number of one whose mutation has claimed a time to come is that time, so that the mutation is as uncertain as any
        // other if it is sent again.
        let old = try records.all(.verdict, limit: 100).filter { $0.number < end }
        try records.remove(.verdict, old.map(\.id))
        try records.remove(.alias, upTo: end)
        try records.remove(.offer, upTo: end)
    }

    package func conflicts(after sequence: Int64, upTo end: Int64) throws -> [LoggedConflict] {
        let known = Set(logged.map(\.id))
        var earlier: [MirrorRecords.Record] = []
        try records.forEach(.conflict, after: sequence) { record in
            guard record.number <= end else { return false }
            if !known.contains(record.id) { earlier.append(record) }
            return true
        }
        return try earlier.compactMap { record in
            guard let version = words.earlier(Data(record.data.suffix(words.fingerprint.count))) else {
                return try LoggedConflict(id: record.id, record.data, schema)
            }
            return try LoggedConflict(id: record.id, record.data, version.older).flatMap {
                version.raised($0)
            }
        } + logged
    }

    package func log(_ conflict: Conflict) throws {
        let entry = LoggedConflict(id: UUIDv7.next(), time: now, device: device.name, conflict)
        // It goes to the devices with the transaction that is being made, or with the next one if that changes nothing.
        try records.put(
            .conflict, id: entry.id, number: try nextSequence(),
            try entry.encoded(schema) + words.fingerprint)
        logged.append(entry)
    }
}

/// The edits of some rows by the transactions after a place.
private struct EditIndex {
    let start: Int64
    private var end: Int64
    private var edits: [RowKey: [RowEdit]] = [:]

    init(of keys: some Collection<RowKey>, and key: RowKey, after sequence: Int64) {
        (start, end) = (sequence, sequence)
        for key in keys { edits[key] = [] }
        edits[key] = []
    }

    func knows(_ key: RowKey, after sequence: Int64) -> Bool { edits[key] != nil && sequence >= start }

    /// Reads the transactions that were made since it was read.
    mutating func read(
        _ transaction: ReadTransaction, _ words: inout HistoryWords, note: (UUID) throws -> VerdictNote?
    ) throws {
        var (edits, end) = (edits, end)
        try transaction.forEachKeptTransaction(after: end) { made in
            end = made.sequence
            var verdict: VerdictNote?
            try made.changes.forEach { change in
                guard let changed = words.changed(change, by: made), edits[changed.key] != nil else { return }
                if verdict == nil { verdict = try note(made.id) }
                edits[changed.key]?.append(
                    RowEdit(
                        sequence: made.sequence,
                        stamp: EditStamp(time: verdict?.time ?? made.time, id: made.id),
                        attributes: changed.attributes, before: changed.before,
                        isDeletion: change.kind == .delete,
                        offered: verdict?.offers[changed.key]))
            }
            return true
        }
        (self.edits, self.end) = (edits, end)
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
    /// The schema in whose words it sends and receives.
    package let schema: SchemaIdentity

    package init(id: UUID, name: String?, schema: SchemaIdentity) {
        self.id = id
        self.name = name
        self.schema = schema
    }
}

extension StoredValue {
    /// How much of a page the value takes, in bytes.
    var approximateBytes: Int {
        switch self {
        case .text(let text), .json(let text): text.utf8.count + 8
        case .blob(let data): data.count + 8
        default: 16
        }
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
