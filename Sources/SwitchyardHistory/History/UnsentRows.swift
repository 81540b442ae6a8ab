internal import Foundation

/// Rows that a mirrored device has changed and not sent yet, as they were before a migration stage changed their words.
///
/// The history tells the values before a change, and those after it are in the rows: but only in the words of the schema
/// with which it was made. A stage keeps them among the mirror's records, whichever program carries it out, and the mirror
/// seals the changes when it next exchanges.
package struct UnsentRows: Sendable {
    /// The kind of their records in the mirror's table.
    package static let kind: Int64 = 8
    /// The kinds of the mirror's records of the server's rows, whose values a stage changes on the server: those beneath
    /// pending changes, and those of an exchange that was not brought to its end.
    fileprivate static let serverKinds: [Int64] = [3, 12, 13]
    /// The kind of the record of a stage.
    fileprivate static let stageKind: Int64 = 14
    /// The maximum number of rows of one record.
    private static let mostRows = 500

    /// The schema before the stage.
    package let schema: Schema
    package let entity: String
    /// The rows that are there: whole, in the order of the entity's attributes.
    package let rows: [[StoredValue]]

    private init(schema: Schema, entity: String, rows: [[StoredValue]]) {
        (self.schema, self.entity, self.rows) = (schema, entity, rows)
    }

    private func encoded() throws -> Data {
        var bytes = ByteWriter()
        bytes.write(text: String(decoding: try JSONEncoder().encode(schema), as: UTF8.self))
        bytes.write(text: entity)
        for row in rows { for value in row { bytes.write(value) } }
        return Data(bytes.bytes)
    }

    /// Reads a record.
    ///
    /// - Throws: `corrupted`; a `DecodingError`.
    package init(_ data: [UInt8]) throws {
        var bytes = ByteReader(data)
        schema = try JSONDecoder().decode(Schema.self, from: Data(bytes.content()))
        let entity = try schema.require(try bytes.text())
        self.entity = entity.name
        var rows: [[StoredValue]] = []
        while !bytes.isAtEnd {
            rows.append(
                try entity.attributes.map { _ in
                    guard let value = try bytes.value() else { throw StoreError.damagedHistory() }
                    return value
                })
        }
        self.rows = rows
    }

    fileprivate static func keep(_ ids: [UUID], of entity: String, in tx: WriteTransaction) throws {
        for start in stride(from: 0, to: ids.count, by: mostRows) {
            let some = ids[start..<min(start + mostRows, ids.count)].map { StoredValue.uuid($0) }
            let rows = UnsentRows(
                schema: tx.schema, entity: entity,
                rows: try tx.fetchRows(of: entity, where: .isIn(.attribute("id"), some)))
            try tx.note(kind, try rows.encoded())
        }
    }
}

extension WriteTransaction {
    /// Keeps the rows that a mirrored device has changed with this schema and not sent yet, notes the stage for the mirror, and
    /// forgets what the server has told of rows: they are others after its own stage.
    ///
    /// - Parameter stage: How the mirror says in the words of the next version what it has noted in those of this one.
    /// - Throws: As a read and a write.
    package func keepUnsentRows(before stage: some Encodable) throws {
        guard try perform({ try driver.maintenance.marker().mirror?.server != nil }) else { return }
        _ = try unrecordedDriver.delete(
            from: .mirrorRecord,
            where: .isIn(.attribute("kind"), UnsentRows.serverKinds.map { .int($0) }))
        try note(UnsentRows.stageKind, try JSONEncoder().encode(stage))
        let fingerprint = HistoryTransaction.fingerprint(from: schema.fingerprint)
        var ids: [String: Set<UUID>] = [:]
        try forEachTransaction(after: try historyToken(ofConsumer: MirrorRole.consumer)) { made in
            guard made.isToBeSent, made.fingerprintBytes == fingerprint else { return }
            try made.changes.forEach { ids[$0.entity, default: []].insert($0.id) }
        }
        for (entity, ids) in ids.sorted(by: { $0.key < $1.key }) {
            try UnsentRows.keep(ids.sorted(), of: entity, in: self)
        }
    }

    fileprivate func note(_ kind: Int64, _ content: Data) throws {
        try unrecordedDriver.insert(
            into: .mirrorRecord,
            [[.uuid(UUIDv7.next()), .int(kind), .int(try historyToken().sequence), .blob(content)]])
    }
}

extension HistoryTransaction {
    /// Whether a mirror sends it: it was made here, and by no migration, which the server goes through itself.
    package var isToBeSent: Bool { origin == nil && author != WriteOptions.migration && changes.count > 0 }
}
