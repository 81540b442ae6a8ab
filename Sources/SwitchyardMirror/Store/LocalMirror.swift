package import Foundation
package import SwitchyardCore

/// The device's side of a mirror over a transaction of its store.
package final class LocalMirror: DeviceStorage {
    let transaction: WriteTransaction
    let records: MirrorRecords
    /// Tells this process's stage from those of others; nil if it stages nothing.
    let process: UUID?
    /// The id of the server's store, which is the origin of what is applied.
    let server: UUID
    /// What was kept of an earlier schema, whose changes are being sealed; nil for the store's own.
    private let earlier: EarlierVersion?

    package var schema: Schema { earlier?.schema ?? transaction.schema }

    package init(_ transaction: WriteTransaction, server: UUID, process: UUID? = nil) {
        self.transaction = transaction
        self.server = server
        self.process = process
        earlier = nil
        records = MirrorRecords(transaction)
    }

    init(_ mirror: LocalMirror, _ earlier: EarlierVersion) {
        transaction = mirror.transaction
        server = mirror.server
        process = nil
        records = mirror.records
        self.earlier = earlier
    }

    // MARK: Rows

    package func rows(_ keys: some Collection<RowKey>) throws -> [RowKey: [StoredValue]] {
        guard let earlier else { return try transaction.rows(keys) }
        return Dictionary(
            uniqueKeysWithValues: keys.compactMap { key in earlier.rows[key].map { (key, $0) } })
    }

    package func keys() throws -> [RowKey] {
        var keys: [RowKey] = []
        for entity in schema.sharedEntities {
            try transaction.driver.select(
                Selection(entity: entity, columns: [.attribute("id")], condition: .constant(true))
            ) { row in
                keys.append(RowKey(entity.name, try UUID(from: &row)))
                return true
            }
        }
        return keys
    }

    package func write(_ rows: [RowWrite]) throws { try transaction.writeRows(rows) }

    package func attempt(_ body: () throws -> Void) throws -> Bool {
        do {
            let record = TransactionRecord(
                id: UUIDv7.next(), time: Int64(Date().timeIntervalSince1970 * 1_000_000), origin: server)
            try transaction.transaction(record) { try body() }
            return true
        } catch let error as StoreError where [.unique, .foreignKey].contains(error.code) {
            return false
        }
    }

    // MARK: Mutations

    /// The local transactions that have not been sealed yet.
    ///
    /// Those of earlier schemas are sealed first, from what the stages of their migrations have kept.
    package func unsealed() throws -> [LocalTransaction] {
        let wanted = try earlier?.transactions ?? sealEarlier() + 1..<Int64.max
        var transactions: [LocalTransaction] = []
        let fingerprint = HistoryTransaction.fingerprint(from: schema.fingerprint)
        let token = try transaction.historyToken(ofConsumer: MirrorRole.consumer)
        try transaction.forEachTransaction(after: token) { made in
            guard made.isToBeSent, wanted.contains(made.sequence) else { return }
            guard made.fingerprintBytes == fingerprint else { throw StoreError.migratedUnsealed }
            var changes: [LocalChange] = []
            try made.changes.forEach { changes.append(try localChange($0)) }
            guard !changes.isEmpty else { return }
            transactions.append(
                LocalTransaction(
                    id: made.id, time: made.time, author: made.author, undone: made.undone, changes: changes))
        }
        return transactions
    }

    private func localChange(_ change: HistoryChange) throws -> LocalChange {
        let entity = try schema.require(change.entity)
        let key = RowKey(change.entity, change.id)
        switch change.kind {
        case .insert: return LocalChange(key, .insert)
        case .update:
            let attributes = try change.attributes.map { name in
                guard let position = entity.attributes.firstIndex(where: { $0.name == name }) else {
                    throw StoreError.unreadableMutation
                }
                return position
            }
            return LocalChange(
                key, .update(attributes: attributes, before: change.attributes.map { change.before($0) }))
        case .delete:
            return LocalChange(key, .delete(before: entity.attributes.map { change.before($0.name) }))
        }
    }

    /// Whether the store's own history is followed already.
    func hasJoined() throws -> Bool { try transaction.historyToken(ofConsumer: MirrorRole.consumer) != nil }

    package func seal(_ mutations: [Mutation]) throws {
        if !mutations.isEmpty {
            let last = try records.all(.pending, order: .descending, limit: 1).first?.number ?? 0
            // What the server has told an earlier version may be a part of what this one shows.
            let isMigrated = try earlierSchema(than: SchemaIdentity(schema)) != nil
            try records.put(
                .pending,
                try mutations.enumerated().map { position, mutation in
                    var mutation = mutation
                    if isMigrated { mutation.cursor = 0 }
                    return MirrorRecords.Record(
                        id: mutation.id, number: last + 1 + Int64(position),
                        data: try mutation.encoded(schema))
                })
        }
        // The later ones come next.
        guard earlier == nil else { return }
        let token = try transaction.historyToken()
        guard try transaction.historyToken(ofConsumer: MirrorRole.consumer) != token else { return }
        try transaction.setHistoryToken(token, ofConsumer: MirrorRole.consumer)
    }

    func put(_ mutation: Mutation, _ number: Int64) throws {
        try records.put(.pending, id: mutation.id, number: number, try mutation.encoded(schema))
    }

    package func pending() throws -> [Mutation] {
        try records.all(.pending).map { try Mutation($0.data, schema) }
    }

    /// The oldest mutations that wait for a verdict and have none in a staged page, as many as one request holds.
    func firstPending(except settled: Set<UUID>) throws -> [Mutation] {
        try records.first(
            .pending, except: settled, atMost: Self.mutationsPerRequest, bytes: Self.bytesPerRequest
        ).map { try Mutation($0.data, schema) }
    }

    private static let mutationsPerRequest = 500
    /// How many bytes of mutations one request holds; a single one may be larger.
    private static let bytesPerRequest = 1 << 20

    package func remove(_ mutations: [UUID]) throws { try records.remove(.pending, mutations) }

    package func quarantine(_ mutation: UUID, _ reason: Rejection) throws {
        guard let record = try records.record(.pending, mutation) else { return }
        var bytes = ByteWriter()
        bytes.write(reason)
        try records.put(.quarantined, id: mutation, number: record.number, bytes.bytes + record.data)
    }

    package func setCursors(_ cursor: (Mutation) -> Int64) throws {
        for record in try records.all(.pending) {
            var mutation = try Mutation(record.data, schema)
            let new = cursor(mutation)
            guard new != mutation.cursor else { continue }
            mutation.cursor = new
            try put(mutation, record.number)
        }
    }

    package func putFirst(_ offer: Mutation) throws {
        try put(offer, (try records.all(.pending, limit: 1).first?.number ?? 1) - 1)
    }

    // MARK: The server's rows beneath pending changes

    package func bases(_ keys: some Collection<RowKey>) throws -> [RowKey: [StoredValue]?] {
        let found = try records.records(.base, keys.map(\.recordID))
        var bases: [RowKey: [StoredValue]?] = [:]
        for key in keys {
            guard let record = found[key.recordID] else { continue }
            bases[key] = .some(
                try Mutation(record.data, schema).changes.first.flatMap { $0.overlay(on: nil) })
        }
        return bases
    }

    package func setBases(_ rows: [RowKey: [StoredValue]?]) throws {
        // The server's row has gone through the migration, too.
        guard earlier == nil else { return }
        try records.put(
            .base,
            try rows.map { key, row in
                // A mutation that inserts the row holds it in the words of its schema.
                let content = Mutation(
                    id: key.id, time: 0, cursor: 0, changes: row.map { [.insert(key, $0)] } ?? [])
                return MirrorRecords.Record(id: key.recordID, number: 0, data: try content.encoded(schema))
            })
    }

    package func removeBases(except keys: Set<RowKey>) throws {
        let kept = Set(keys.map(\.recordID))
        try records.remove(.base, try records.ids(.base).filter { !kept.contains($0) })
    }

    package func note(_ conflicts: [LoggedConflict]) throws {
        try records.put(
            .conflict,
            try conflicts.map {
                MirrorRecords.Record(id: $0.id, number: $0.time, data: try $0.encoded(schema))
            })
    }

    package func removeAll() throws {
        for entity in schema.entities {
            _ = try transaction.unrecordedDriver.delete(from: entity, where: .constant(true))
        }
        try records.removeAll(except: [.quarantined])
        _ = try transaction.removeHistoryConsumer(MirrorRole.consumer)
    }

    // MARK: The mirror's life

    /// Notes when something was exchanged last, and with which schema.
    func noteExchange(at time: Date, by schema: SchemaIdentity) throws {
        try records.put(
            .exchange, id: .numbered(-1), number: Int64(time.timeIntervalSince1970 * 1_000_000),
            [UInt8](try JSONEncoder().encode(schema)))
    }

    /// The schema that the store had when something was exchanged last, if it is another one.
    func earlierSchema(than schema: SchemaIdentity) throws -> SchemaIdentity? {
        guard let record = try records.record(.exchange, .numbered(-1)) else { return nil }
        let noted = try JSONDecoder().decode(SchemaIdentity.self, from: Data(record.data))
        return noted == schema ? nil : noted
    }

    /// Forgets the mirror.
    ///
    /// - Returns: False if there are writes that were not sent or were rejected, and nothing was forgotten.
    func end(discardingUnsent discardsUnsent: Bool) throws -> Bool {
        try seal()
        guard
            try discardsUnsent || (records.count(.pending) == 0 && records.count(.quarantined) == 0)
        else { return false }
        try records.removeAll()
        _ = try transaction.removeHistoryConsumer(MirrorRole.consumer)
        return true
    }
}

extension StoreError {
    /// The error of changes whose words were changed before they were sealed.
    fileprivate static var migratedUnsealed: StoreError {
        StoreError(
            .schemaMismatch,
            "The store was migrated without its mirror while changes were not sent yet, so they cannot be told apart any "
                + "more. End the mirror and join again, which sends all rows; nothing was changed.")
    }
}
