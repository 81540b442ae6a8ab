package import Foundation
package import SwitchyardCore

/// The device's side of a mirror over a transaction of its store.
package final class LocalMirror: DeviceStorage {
    private let transaction: WriteTransaction
    private let records: MirrorRecords
    private let pages: StagedPages
    /// The id of the server's store, which is the origin of what is applied.
    private let server: UUID
    /// What was kept of an earlier schema, whose changes are being sealed; nil for the store's own.
    private let earlier: EarlierRows?

    package var schema: Schema { earlier?.schema ?? transaction.schema }

    package init(_ transaction: WriteTransaction, server: UUID, staged pages: StagedPages = StagedPages()) {
        self.transaction = transaction
        self.server = server
        self.pages = pages
        earlier = nil
        records = MirrorRecords(transaction)
    }

    private init(_ mirror: LocalMirror, _ earlier: EarlierRows) {
        transaction = mirror.transaction
        server = mirror.server
        pages = StagedPages()
        records = mirror.records
        self.earlier = earlier
    }

    /// The rows that a migration stage has kept: those of one earlier schema.
    private struct EarlierRows {
        let schema: Schema
        var rows: [RowKey: [StoredValue]] = [:]
    }

    // MARK: Places

    package func cursor() throws -> HistoryPosition? {
        try records.all(.place, order: .descending, limit: 1).first?.position()
    }

    package func setCursor(_ cursor: HistoryPosition) throws {
        if try self.cursor() != cursor { try extendTrail([cursor]) }
    }

    package func trail() throws -> [HistoryPosition] {
        let places = try records.all(.place, order: .descending, limit: Self.longestTrail).map {
            try $0.position()
        }
        return places.reversed()
    }

    private static let longestTrail = 1_000

    package func extendTrail(_ steps: [HistoryPosition]) throws {
        for step in steps.suffix(Self.longestTrail) {
            try records.put(
                .place, id: .numbered(step.sequence), number: step.sequence, [UInt8](step.digest.data))
        }
    }

    package func cutTrail(after sequence: Int64) throws { try records.remove(.place, after: sequence) }

    /// The rows that came with the places after one, which their records name after the digest.
    package func received(after sequence: Int64) throws -> [RowKey: Int64] {
        var received: [RowKey: Int64] = [:]
        for record in try records.all(.place, after: sequence) {
            for key in try Self.keys(record) { received[key] = record.number }
        }
        return received
    }

    package func noteReceived(_ keys: [RowKey], upTo sequence: Int64) throws {
        guard let record = try records.record(.place, .numbered(sequence)) else { return }
        var bytes = ByteWriter()
        bytes.bytes = Array(record.data.prefix(16))
        for (entity, keys) in Dictionary(grouping: try Self.keys(record) + keys, by: \.entity) {
            bytes.write(text: entity)
            bytes.write(number: UInt64(keys.count))
            for key in keys { bytes.write(key.id) }
        }
        try records.put(.place, id: record.id, number: record.number, bytes.bytes)
    }

    private static func keys(_ record: MirrorRecords.Record) throws -> [RowKey] {
        var bytes = ByteReader(Array(record.data.dropFirst(16)))
        var keys: [RowKey] = []
        while !bytes.isAtEnd {
            let entity = try bytes.text()
            for _ in 0..<(try bytes.number()) { keys.append(RowKey(entity, try bytes.uuid())) }
        }
        return keys
    }

    // MARK: Rows

    package func row(_ key: RowKey) throws -> [StoredValue]? {
        if let earlier { return earlier.rows[key] }
        return try transaction.row(of: key)
    }

    package func keys() throws -> [RowKey] {
        var keys: [RowKey] = []
        for entity in schema.entities {
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
        let sealed = try sealEarlier()
        var transactions: [LocalTransaction] = []
        let fingerprint = HistoryTransaction.fingerprint(from: schema.fingerprint)
        let token = try transaction.historyToken(ofConsumer: MirrorRole.consumer)
        try transaction.forEachTransaction(after: token) { made in
            guard made.isToBeSent else { return }
            guard made.fingerprintBytes == fingerprint else {
                if earlier != nil || sealed.contains(made.fingerprintBytes) { return }
                throw StoreError.migratedUnsealed
            }
            var changes: [LocalChange] = []
            try made.changes.forEach { changes.append(try localChange($0)) }
            guard !changes.isEmpty else { return }
            transactions.append(
                LocalTransaction(
                    id: made.id, time: made.time, author: made.author, undone: made.undone, changes: changes))
        }
        return transactions
    }

    /// Seals what was made with earlier schemas.
    ///
    /// - Returns: The fingerprints of those schemas.
    private func sealEarlier() throws -> Set<Data> {
        guard earlier == nil else { return [] }
        let kept = try records.all(.unsentRows)
        var versions: [EarlierRows] = []
        for record in kept {
            let unsent = try UnsentRows(record.data)
            if versions.last?.schema != unsent.schema { versions.append(EarlierRows(schema: unsent.schema)) }
            for row in unsent.rows {
                guard case .uuid(let id) = row.first else { continue }
                versions[versions.count - 1].rows[RowKey(unsent.entity, id)] = row
            }
        }
        for version in versions { try LocalMirror(self, version).seal() }
        try records.remove(kept.map(\.id))
        return Set(versions.map { HistoryTransaction.fingerprint(from: $0.schema.fingerprint) })
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
        var number = try records.all(.pending, order: .descending, limit: 1).first?.number ?? 0
        for mutation in mutations {
            number += 1
            try put(mutation, number)
        }
        // The later ones come next.
        guard earlier == nil else { return }
        let token = try transaction.historyToken()
        guard try transaction.historyToken(ofConsumer: MirrorRole.consumer) != token else { return }
        try transaction.setHistoryToken(token, ofConsumer: MirrorRole.consumer)
    }

    private func put(_ mutation: Mutation, _ number: Int64) throws {
        try records.put(.pending, id: mutation.id, number: number, try mutation.encoded(schema))
    }

    package func pending() throws -> [Mutation] {
        try records.all(.pending).map { try Mutation($0.data, schema) }
    }

    package func remove(_ mutations: [UUID]) throws {
        try records.remove(try mutations.filter { try records.record(.pending, $0) != nil })
    }

    package func quarantine(_ mutation: UUID, _ reason: Rejection) throws {
        guard let record = try records.record(.pending, mutation) else { return }
        var bytes = ByteWriter()
        bytes.write(reason)
        try records.put(.quarantined, id: mutation, number: record.number, bytes.bytes + record.data)
    }

    /// A rejected mutation, and why it was rejected, of a record's bytes.
    static func quarantined(_ data: [UInt8], _ schema: Schema) throws -> (Mutation, Rejection) {
        var bytes = ByteReader(data)
        let reason = try bytes.rejection()
        return (try Mutation(Array(bytes.take(bytes.count - bytes.position)), schema), reason)
    }

    package func setCursors(_ cursor: (Int64) -> Int64) throws {
        for record in try records.all(.pending) {
            var mutation = try Mutation(record.data, schema)
            let new = cursor(mutation.cursor)
            guard new != mutation.cursor else { continue }
            mutation.cursor = new
            try put(mutation, record.number)
        }
    }

    package func putFirst(_ offer: Mutation) throws {
        try put(offer, (try records.all(.pending, limit: 1).first?.number ?? 1) - 1)
    }

    // MARK: The server's rows beneath pending changes

    package func base(_ key: RowKey) throws -> [StoredValue]?? {
        guard let record = try records.record(.base, key.recordID) else { return nil }
        return .some(try Mutation(record.data, schema).overlay(on: nil, key))
    }

    package func setBase(_ key: RowKey, _ row: [StoredValue]?) throws {
        // The server's row has gone through the migration, too.
        guard earlier == nil else { return }
        // A mutation that inserts the row holds it in the words of its schema.
        let content = Mutation(
            id: key.id, time: 0, cursor: 0, changes: row.map { [.insert(key, $0)] } ?? [])
        try records.put(.base, id: key.recordID, number: 0, try content.encoded(schema))
    }

    package func removeBases(except keys: Set<RowKey>) throws {
        let kept = Set(keys.map(\.recordID))
        try records.remove(try records.all(.base).map(\.id).filter { !kept.contains($0) })
    }

    package func staged() -> StagedPages { pages }

    package func note(_ conflicts: [LoggedConflict]) throws {
        for entry in conflicts {
            try records.put(.conflict, id: entry.id, number: entry.time, try entry.encoded(schema))
        }
    }

    // MARK: The mirror's life

    /// Notes when something was exchanged last.
    func noteExchange(at time: Date) throws {
        try records.put(
            .exchange, id: .numbered(-1), number: Int64(time.timeIntervalSince1970 * 1_000_000), [])
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

extension UUID {
    /// The id of the record of a numbered place.
    static func numbered(_ number: Int64) -> UUID {
        DerivedID(namespace: placeNamespace).uuid(["\(number)"])
    }

    private static let placeNamespace = UUID(
        uuid: (0x6D, 0x69, 0x72, 0x72, 0x6F, 0x72, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
}
