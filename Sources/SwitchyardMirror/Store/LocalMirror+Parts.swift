internal import Foundation
internal import SwitchyardCore

/// What a comparison with the server has found in a part of an entity's rows.
struct ComparedPart: Sendable {
    /// The number of rows on the device.
    let rows: Int
    /// The rows that differ, or that only one of both has.
    let different: [UUID]
    /// The last id of the part; nil at the end of the entity.
    let end: UUID?
}

/// Comparing the device's rows with the server's, part by part.
///
/// Rows are compared only while nothing is pending, so that they are those of the server at the cursor.
extension LocalMirror {
    private static let rowsPerPart = 4_000
    private static let bytesPerPart = 1 << 20

    /// The part of an entity that begins after an id, as it is here.
    ///
    /// - Returns: Nil while there is something to exchange first.
    func part(of entity: String, after: UUID?) throws -> PartRequest? {
        guard let cursor = try restingCursor() else { return nil }
        let entity = try schema.require(entity)
        var (rows, bytes, end): ([[StoredValue]], Int, UUID?) = ([], 0, nil)
        try transaction.forEachRow(of: entity, after: after, upTo: nil, limit: Self.rowsPerPart) { id, row in
            rows.append(entity.shared(row))
            bytes += row.reduce(0) { $0 + $1.approximateBytes }
            if rows.count == Self.rowsPerPart || bytes >= Self.bytesPerPart { end = id }
            return end == nil
        }
        return PartRequest(
            entity: entity.name, after: after, upTo: end, digest: RowsSum(of: rows), cursor: cursor)
    }

    /// Finds out what differs from the server's rows, and takes those on request.
    ///
    /// Every value that is replaced, and every row that is removed, is put into the log of conflicts: it may be the server's row
    /// that was damaged.
    ///
    /// - Returns: Nil if something was written or exchanged meanwhile, or if the server's rows do not fit beside the others.
    func compare(_ request: PartRequest, _ answer: PartAnswer, repairing: Bool) throws -> ComparedPart? {
        guard let cursor = try restingCursor(), cursor == request.cursor else { return nil }
        let entity = try schema.require(request.entity)
        let server: [RowPatch], end: UUID?
        switch answer {
        case .elsewhere: return nil
        case .equal: (server, end) = ([], request.upTo)
        case .rows(let rows, let last): (server, end) = (rows, last)
        }
        var local: [UUID: [StoredValue]] = [:]
        try transaction.forEachRow(of: entity, after: request.after, upTo: end, limit: nil) { id, row in
            local[id] = row
            return true
        }
        if answer == .equal { return ComparedPart(rows: local.count, different: [], end: end) }
        let others = Set(local.keys).subtracting(server.map(\.key.id)).sorted()
        let different =
            try server.filter { patch in
                let row = local[patch.key.id]
                return try row == nil || entity.shared(patch).applied(to: row) != row
            }
            + others.map { RowPatch(RowKey(entity.name, $0), nil) }
        let part = ComparedPart(rows: local.count, different: different.map(\.key.id), end: end)
        guard repairing, !different.isEmpty else { return part }
        let page = ExchangePage(
            verdicts: [], from: cursor, upTo: cursor, steps: [], rows: different,
            conflicts: different.compactMap { repaired(entity.shared($0), local[$0.key.id]) }, head: cursor)
        return try apply(nil, page, from: cursor) == .applied ? part : nil
    }

    /// The entry of the log of conflicts for a row that is replaced; nil if there is none here.
    private func repaired(_ patch: RowPatch, _ row: [StoredValue]?) -> LoggedConflict? {
        guard let row else { return nil }
        let values = row.indices.dropFirst().compactMap { position -> Conflict.Value? in
            guard let values = patch.values else {
                return Conflict.Value(position, losing: row[position], winning: nil)
            }
            guard let winning = values[position], winning != row[position] else { return nil }
            return Conflict.Value(position, losing: row[position], winning: winning)
        }
        return LoggedConflict(
            id: UUIDv7.next(), time: Date().microseconds, device: nil,
            Conflict(patch.key, .damaged, mutation: server, values: values))
    }

    /// The cursor, if nothing waits for a verdict.
    private func restingCursor() throws -> HistoryPosition? {
        try seal()
        return try records.count(.pending) == 0 ? cursor() : nil
    }

    // MARK: One part after the other

    private static let comparedID = UUID.numbered(-4)

    /// The part that comes after the one that was compared last, over and over.
    ///
    /// - Returns: Nil while there is something to exchange first.
    func nextPart() throws -> PartRequest? {
        var place: (entity: String, after: UUID?)?
        if let record = try records.record(.compared, Self.comparedID) {
            var bytes = ByteReader(record.data)
            place = (try bytes.text(), bytes.isAtEnd ? nil : try bytes.uuid())
        }
        let names = schema.sharedEntities.map(\.name)
        guard let first = names.first else { return nil }
        // A migration can have dropped the entity.
        if place.map({ !names.contains($0.entity) }) ?? true { place = (first, nil) }
        guard let place, let part = try part(of: place.entity, after: place.after) else { return nil }
        var bytes = ByteWriter()
        if let end = part.upTo {
            bytes.write(text: place.entity)
            bytes.write(end)
        } else {
            bytes.write(text: names[((names.firstIndex(of: place.entity) ?? 0) + 1) % names.count])
        }
        try records.put(.compared, id: Self.comparedID, number: Date().microseconds, bytes.bytes)
        return part
    }
}
