internal import Foundation

extension PlannedStage {
    /// How much of a backfill is one transaction: it ends with the first limit that is reached.
    private static var chunk: (rows: Int, duration: Duration) { (10_000, .seconds(1)) }

    /// Fills the rows that the stage has left to be filled, in one transaction after the other.
    ///
    /// Several processes can be at it, and take turns.
    ///
    /// - Parameters:
    ///   - record: How far the work had come when the store was found.
    ///   - options: How the store is opened.
    ///   - attempts: How often to try while another process is at work.
    ///   - open: Opens the store with a schema.
    ///   - report: Gets how many rows this process has filled.
    ///   - progress: Is told the share of the rows that are filled, from 0 to 1.
    /// - Throws: What a calculation throws; `schemaMismatch` if the stage knows nothing of an attribute; as any write.
    func fillRows(
        from record: BackfillRecord?, _ options: OpenOptions, attempts: Int,
        _ open: @Sendable (Schema, OpenOptions) async throws -> any Store, _ report: inout MigrationReport,
        progress: (Double) -> Void
    ) async throws {
        guard var record else { throw Self.unknown("its marker does not say where to go on") }
        var options = options
        (options.role, options.createsIfMissing) = (.migrating, false)
        for attempt in 1... {
            do {
                return try await open(newer, options).closing { store in
                    while true {
                        var options = WriteOptions.ofMarker
                        (options.author, options.scope) = (WriteOptions.migration, record.scope)
                        let scope = record.scope
                        let (next, name, count, share) = try await store.write(options) { tx in
                            try tx.perform { try fillRows(by: tx.driver, in: scope) }
                        }
                        if count > 0 { report.filled[name, default: 0] += count }
                        guard let next else { return }
                        record = next
                        progress(next.fraction(with: share))
                    }
                }
            } catch let error as StoreError where error.code == .busy && attempt < attempts {
                continue
            } catch let error as StoreError where error.code.refusesService && error.successor == nil {
                // Another process has filled the last rows.
                return
            }
        }
    }

    /// Fills the next rows.
    ///
    /// - Returns: How far the work has come, nil if nothing is left; the number of rows filled, and their attribute; and the
    ///   share of the part's rows that are filled now.
    private func fillRows(
        by driver: any TransactionDriver, in scope: StoreScope?
    ) throws -> (BackfillRecord?, attribute: String, count: Int, share: Double) {
        var marker = try driver.maintenance.marker()
        guard var record = marker.backfill else {
            throw Self.unknown("its marker does not say where to go on")
        }
        let name = record.attributes.first ?? ""
        // Another process has gone on to another scope, to which this transaction does not write.
        guard record.scope == scope else { return (record, name, 0, 0) }
        guard let backfill = steps.backfills.first(where: { $0.attribute.description == name }),
            let entity = newer.entity(backfill.attribute.entity)
        else { throw Self.unknown("the plan does not say how \(name) is calculated") }
        let (count, isEnd) = try driver.fill(
            backfill, of: entity, after: &record.last, limit: Self.chunk.rows,
            until: .now + Self.chunk.duration)
        record.filled &+= count
        var share = 0.0
        if isEnd {
            let next = try scope.flatMap { try driver.maintenance.scopes(after: $0, limit: 1).first?.scope }
            record.advance(to: next, orTo: try firstScope(driver))
        } else {
            share =
                try Double(record.filled)
                / Double(max(driver.count(of: entity, where: .constant(true)), record.filled, 1))
        }
        let isDone = record.attributes.isEmpty
        marker.backfill = isDone ? nil : record
        if isDone { marker.role = .active }
        try driver.maintenance.setMarker(marker)
        return (marker.backfill, name, count, share)
    }

    private func firstScope(_ driver: any TransactionDriver) throws -> StoreScope? {
        try driver.maintenance.scopes(after: nil, limit: 1).first?.scope
    }

    /// What is to be filled after the stage has changed the tables; nil if there is nothing.
    func backfillRecord(_ driver: any TransactionDriver, _ marker: StoreMarker) throws -> BackfillRecord? {
        guard !steps.backfills.isEmpty else { return nil }
        var (scopes, last): (Int, StoreScope?) = (marker.scopeColumn == nil ? 1 : 0, nil)
        while marker.scopeColumn != nil {
            let page = try driver.maintenance.scopes(after: last, limit: 1_000)
            guard let end = page.last else { break }
            scopes += page.count
            last = end.scope
        }
        guard scopes > 0 else { return nil }
        return BackfillRecord(
            attributes: steps.backfills.map(\.attribute.description), scope: try firstScope(driver),
            parts: scopes * steps.backfills.count)
    }

    private static func unknown(_ reason: String) -> StoreError {
        StoreError(
            .schemaMismatch,
            "The store's migration was interrupted, and \(reason). Open the store by the plan that began it; nothing was "
                + "changed.")
    }
}

extension TransactionDriver {
    /// Fills the next rows of the transaction's scope.
    ///
    /// - Parameters:
    ///   - backfill: What they get.
    ///   - entity: The entity, in the newer version.
    ///   - last: The id of the last row that was filled.
    ///   - limit: How many rows to fill at most, about.
    ///   - end: When to stop, after some rows.
    /// - Returns: How many were filled, and whether none is left.
    /// - Throws: What the calculation throws; as `insert`.
    fileprivate func fill(
        _ backfill: Backfill, of entity: Entity, after last: inout UUID?, limit: Int,
        until end: ContinuousClock.Instant
    ) throws -> (count: Int, isEnd: Bool) {
        guard let name = backfill.attribute.attribute,
            let place = entity.attributes.firstIndex(where: { $0.name == name })
        else { return (0, true) }
        let check = RowCheck(entity)
        var count = 0
        repeat {
            let rows = try rows(of: entity, after: last, limit: 256)
            guard let lastRow = rows.last else { return (count, true) }
            var iterator = rows.makeIterator()
            var draft = RowWriter(context: entity.errorContext)
            _ = try insert(into: entity, onConflict: .update(key: ["id"], set: [name])) { row in
                guard var values = iterator.next() else { return false }
                draft.reset()
                for value in values { try draft.write(value) }
                values[place] = try backfill.value(&draft)
                row.reset()
                for value in values { try row.write(value) }
                try check.complete(&row)
                return true
            }
            count += rows.count
            last = try entity.id(of: lastRow)
        } while count < limit && .now < end
        return (count, false)
    }
}
