internal import Foundation
internal import SwitchyardCore

/// What a mirrored store keeps besides its rows, in the table `switchyard_mirror`.
struct MirrorRecords {
    enum Kind: Int64 {
        /// A mutation without a verdict; its number gives the order.
        case pending = 1
        /// A rejected mutation.
        case quarantined = 2
        /// The server's row beneath a pending change.
        case base = 3
        /// A place in the server's history; its number is the sequence.
        case place = 4
        /// A verdict that a device may not have stored yet, or that a merge needs; its number is the time.
        case verdict = 5
        /// Values that a merge did not keep; its number is the time.
        case conflict = 6
        /// The last exchange; its number is the time.
        case exchange = 7
        /// Rows that were changed, and not sealed yet when a migration changed their words; its number gives the order.
        case unsentRows = 8
        /// The id of the row that another one was merged into; its number is the time. It is kept as long as the history.
        case alias = 9
        /// How a row was offered to the restored server; its number is the time. It is kept as long as the history.
        case offer = 10
        /// The rows that came with an exchange, empty for all that there were; its number is the server's sequence.
        case received = 11
        /// How far a process has staged an exchange.
        case stage = 12
        /// A page of a stage; its number gives the order.
        case staged = 13
        /// A migration stage that other records have not gone through yet; its number is that of the last transaction before it.
        case migration = 14
        /// A member of the household; its number is the time of joining.
        case member = 15
        /// A device of a member; its number is the time of joining.
        case device = 16
        /// An invitation; its number is the time until which it can be accepted.
        case invitation = 17
        /// The service whose household the device has joined, and the device's token.
        case credential = 18
        /// A part of a large mutation that has not arrived as a whole; its number is the time.
        case part = 19
        /// The household as the service has told it last; its number is the time.
        case household = 20
        /// Up to where the rows have been compared with the server's; its number is the time.
        case compared = 21
        /// Which devices have inserted rows that came with an exchange; its number gives the order.
        case inserted = 22
    }

    struct Record {
        let id: UUID
        let number: Int64
        let data: [UInt8]

        /// The place in the server's history that the record notes.
        func position() throws -> HistoryPosition {
            guard let digest = HistoryDigest(Data(data.prefix(16))) else {
                throw StoreError.unreadableMutation
            }
            return HistoryPosition(sequence: number, digest: digest)
        }
    }

    private let driver: any TransactionDriver

    init(_ transaction: ReadTransaction) {
        // What the mirror notes is no change of the store's rows, so it is no part of the history.
        driver = transaction.driver.capability(RecordingDriver.self)?.base ?? transaction.driver
    }

    private static let entity = Entity.mirrorRecord

    func put(_ kind: Kind, id: UUID, number: Int64, _ data: [UInt8]) throws {
        try put(kind, CollectionOfOne(Record(id: id, number: number, data: data)))
    }

    func put(_ kind: Kind, _ records: some Collection<Record>) throws {
        guard !records.isEmpty else { return }
        var next = records.makeIterator()
        _ = try driver.insert(
            into: Self.entity, onConflict: .update(key: ["id"], set: ["kind", "number", "data"])
        ) { row in
            guard let record = next.next() else { return false }
            row.reset()
            try row.write(.uuid(record.id))
            try row.write(.int(kind.rawValue))
            try row.write(.int(record.number))
            try row.write(.blob(Data(record.data)))
            return true
        }
    }

    func record(_ kind: Kind, _ id: UUID) throws -> Record? {
        var found: Record?
        try driver.find(id, in: Self.entity) { row in
            found = try Self.record(from: &row, kind)
        }
        return found
    }

    /// The records of some ids, by id.
    func records(_ kind: Kind, _ ids: [UUID]) throws -> [UUID: Record] {
        var found: [UUID: Record] = [:]
        try forEachPart(of: ids) { isOne in
            try driver.select(.rows(of: Self.entity, where: isOne, order: [])) { row in
                if let record = try Self.record(from: &row, kind) { found[record.id] = record }
                return true
            }
        }
        return found
    }

    /// The ids of all records of a kind.
    func ids(_ kind: Kind) throws -> [UUID] {
        var ids: [UUID] = []
        try driver.select(
            Selection(entity: Self.entity, columns: [.attribute("id")], condition: Self.isOf(kind))
        ) { row in
            ids.append(try UUID(from: &row))
            return true
        }
        return ids
    }

    /// Calls the body with conditions that together name some ids.
    private func forEachPart(of ids: [UUID], _ body: (Condition) throws -> Void) throws {
        for start in stride(from: 0, to: ids.count, by: 500) {
            let some = ids[start..<min(start + 500, ids.count)]
            try body(.isIn(.attribute("id"), some.map { .uuid($0) }))
        }
    }

    /// The records of a kind in the order of their numbers.
    func all(
        _ kind: Kind, after number: Int64? = nil, order: SortDirection = .ascending, limit: Int? = nil
    ) throws -> [Record] {
        var records: [Record] = []
        try forEach(kind, after: number, order: order, limit: limit) { record in
            records.append(record)
            return true
        }
        return records
    }

    /// Calls the body with the records of a kind in the order of their numbers, until it returns false.
    func forEach(
        _ kind: Kind, after number: Int64? = nil, order: SortDirection = .ascending, limit: Int? = nil,
        _ body: (Record) throws -> Bool
    ) throws {
        var terms = [Self.isOf(kind)]
        if let number { terms.append(.compare(.attribute("number"), .greater, .value(.int(number)))) }
        try driver.select(
            .rows(
                of: Self.entity, where: .all(terms), order: [SortKey("number", order), SortKey("id")],
                limit: limit)
        ) { row in try Self.record(from: &row, kind).map(body) ?? true }
    }

    /// The first records of a kind that are not among others, in the order of their numbers: at least one, and further ones
    /// until their data is as large as given.
    func first(_ kind: Kind, except others: Set<UUID>, atMost limit: Int, bytes: Int) throws -> [Record] {
        var (records, left): ([Record], Int) = ([], bytes)
        try driver.select(
            .rows(
                of: Self.entity, where: Self.isOf(kind), order: [SortKey("number"), SortKey("id")],
                limit: limit + others.count)
        ) { row in
            guard let record = try Self.record(from: &row, kind), !others.contains(record.id) else {
                return true
            }
            left -= record.data.count
            guard records.isEmpty || left >= 0 else { return false }
            records.append(record)
            return left > 0 && records.count < limit
        }
        return records
    }

    /// The number of records of a kind.
    func count(_ kind: Kind) throws -> Int {
        try driver.count(of: Self.entity, where: Self.isOf(kind))
    }

    func remove(_ kind: Kind, _ ids: [UUID]) throws {
        try forEachPart(of: ids) { isOne in
            _ = try driver.delete(from: Self.entity, where: .all([isOne, Self.isOf(kind)]))
        }
    }

    func remove(_ kind: Kind, after number: Int64) throws {
        try remove(kind, .compare(.attribute("number"), .greater, .value(.int(number))))
    }

    func remove(_ kind: Kind, upTo number: Int64) throws {
        try remove(kind, .compare(.attribute("number"), .lessOrEqual, .value(.int(number))))
    }

    private func remove(_ kind: Kind, _ condition: Condition) throws {
        _ = try driver.delete(from: Self.entity, where: .all([Self.isOf(kind), condition]))
    }

    /// The device's place in the server's history; nil before the first exchange.
    func cursor() throws -> HistoryPosition? {
        try all(.place, order: .descending, limit: 1).first?.position()
    }

    /// Removes all records but those of some kinds.
    func removeAll(except kinds: [Kind] = []) throws {
        _ = try driver.delete(
            from: Self.entity, where: .not(.isIn(.attribute("kind"), kinds.map { .int($0.rawValue) })))
    }

    private static func isOf(_ kind: Kind) -> Condition {
        .compare(.attribute("kind"), .equal, .value(.int(kind.rawValue)))
    }

    private static func record(from row: inout RowReader, _ kind: Kind) throws -> Record? {
        let id = try UUID(from: &row)
        guard try Int64(from: &row) == kind.rawValue else { return nil }
        return Record(id: id, number: try Int64(from: &row), data: [UInt8](try Data(from: &row)))
    }
}

extension RowKey {
    /// The id of the record that belongs to the row.
    var recordID: UUID { DerivedID(namespace: id).uuid([entity]) }

    /// The id of the record of what the row was merged into.
    var aliasID: UUID { DerivedID(namespace: id).uuid([entity, "alias"]) }

    /// The id of the record of how the row was offered.
    var offerID: UUID { DerivedID(namespace: id).uuid([entity, "offer"]) }
}
