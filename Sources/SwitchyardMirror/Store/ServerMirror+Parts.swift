internal import SwitchyardCore

internal import struct Foundation.UUID

extension ServerMirror {
    /// Compares a part of the rows with those of a device.
    ///
    /// - Throws: As a read; `schemaTooNew` for a device of an earlier version: it keeps what this one has dropped, and takes all
    ///   rows again when it is updated.
    package func answer(_ request: PartRequest) throws -> PartAnswer {
        guard view == nil else {
            throw StoreError(
                .schemaTooNew,
                "The server has a newer version of the schema, so that rows cannot be compared. Update the app, which then takes "
                    + "all rows again; nothing was changed.")
        }
        guard try request.cursor == head() else { return .elsewhere }
        let entity = try schema.require(request.entity)
        let page = try rows(of: entity, after: request.after, upTo: request.upTo)
        let end = page.hasMore ? page.rows.last?.key.id : request.upTo
        let sum = RowsSum(of: page.rows.map { entity.shared(($0.values ?? []).compactMap(\.self)) })
        return end == request.upTo && sum == request.digest ? .equal : .rows(page.rows, upTo: end)
    }

    private func rows(
        of entity: Entity, after: UUID?, upTo: UUID?
    ) throws -> (rows: [RowPatch], hasMore: Bool) {
        var (rows, bytes, isFull): ([RowPatch], Int, Bool) = ([], 0, false)
        try transaction.forEachRow(of: entity, after: after, upTo: upTo, limit: Self.rowsPerPage) { id, row in
            rows.append(RowPatch(RowKey(entity.name, id), row))
            bytes += row.reduce(0) { $0 + $1.approximateBytes }
            isFull = rows.count >= Self.rowsPerPage || bytes >= Self.bytesPerPage
            return !isFull
        }
        return (rows, isFull)
    }
}

extension ReadTransaction {
    /// Calls the body with the rows of an entity between two ids, in the order of their ids, until it returns false.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - after: The id after which they begin; nil for the first row.
    ///   - upTo: The last id; nil for the last row.
    ///   - limit: The maximum number of rows; nil for all.
    ///   - body: Receives each id and its row.
    /// - Throws: As the driver; what the body throws.
    func forEachRow(
        of entity: Entity, after: UUID?, upTo: UUID?, limit: Int?,
        _ body: (UUID, [StoredValue]) throws -> Bool
    ) throws {
        let terms = [
            after.map { Condition.compare(.attribute("id"), .greater, .value(.uuid($0))) },
            upTo.map { Condition.compare(.attribute("id"), .lessOrEqual, .value(.uuid($0))) },
        ].compactMap(\.self)
        let types = entity.attributes.map(\.type)
        try driver.select(
            .rows(
                of: entity, where: terms.isEmpty ? .constant(true) : .all(terms), order: [SortKey("id")],
                limit: limit)
        ) { reader in
            let row = try types.map { try reader.read($0) }
            guard case .uuid(let id) = row[0] else { return true }
            return try body(id, row)
        }
    }
}
