internal import Foundation
internal import SwitchyardCore

/// The steps that move a mirrored store's history and the mirror's records, so that the mirror goes on in the new store.
///
/// The cursors of devices are places in the server's history, and what a device has yet to send is in its own. A store
/// that is not mirrored begins a new history instead.
extension SwitchWork {
    /// The maximum number of rows, and of their bytes, that are written together.
    private static let page = (rows: 500, bytes: 4 << 20)

    /// Copies what the history of a mirrored store has had since the last call.
    ///
    /// Called before the fence, it leaves little for later.
    ///
    /// - Throws: `carriedOutElsewhere` if another attempt has taken over; the errors of reading and writing.
    func carryHistory() async throws {
        guard try await old.marker().mirror != nil else { return }
        try await forEachScopeOrStore { scope in
            // A transaction is never without its blocks, not even between two snapshots.
            try await carryRest(of: .historyTransaction, in: scope)
            try await carryRest(of: .historyBlock, in: scope)
        }
    }

    /// Copies the rest of the history, the mirror's records and the history's consumers, once the old store is fenced.
    ///
    /// - Throws: As `carryHistory()`.
    func carryMirror() async throws {
        guard try await old.marker().mirror != nil else { return }
        try await carryHistory()
        try await forEachScopeOrStore { scope in
            try await carryRest(of: .mirrorRecord, in: scope)
            try await carryConsumers(in: scope)
            try await dropPruned(in: scope)
        }
    }

    private func forEachScopeOrStore(_ body: (StoreScope?) async throws -> Void) async throws {
        guard isScoped else { return try await body(nil) }
        try await old.forEachScope(body)
    }

    /// Copies the rows of a table with greater ids than those that the new store has.
    private func carryRest(of table: Entity, in scope: StoreScope?) async throws {
        var last = try await new.read(ReadOptions(of: scope)) { try $0.lastID(in: table) }
        while true {
            let rows = try await old.read(ReadOptions(of: scope)) { [last] in
                try $0.rows(of: table, after: last, limit: Self.page.rows, bytes: Self.page.bytes)
            }
            guard let end = rows.last?.first else { return }
            try await write(rows, to: table, in: scope)
            last = end
        }
    }

    private func carryConsumers(in scope: StoreScope?) async throws {
        let rows = try await old.read(ReadOptions(of: scope)) { tx in
            try tx.rows(of: .historyConsumer)
        }
        try await write(rows.filter { $0[1] != .text(Self.consumer) }, to: .historyConsumer, in: scope)
    }

    /// Deletes what the old store has pruned since it was copied: a history has no gaps.
    private func dropPruned(in scope: StoreScope?) async throws {
        func first(in store: any Store) async throws -> StoredValue? {
            try await store.read(ReadOptions(of: scope)) { tx in
                try tx.rows(of: .historyTransaction, limit: 1).first?.first
            }
        }
        guard case .int(let id) = try await first(in: old), try await first(in: new) != .int(id) else {
            return
        }
        let firstBlock = StoredValue.uuid(HistoryRowID(rawValue: id).block(0))
        try await new.write(WriteOptions(scope: scope)) { tx in
            for (table, bound) in [(Entity.historyTransaction, .int(id)), (.historyBlock, firstBlock)] {
                _ = try tx.driver.delete(
                    from: table, where: .compare(.attribute("id"), .less, .value(bound)))
            }
        }
    }

    private func write(_ rows: [[StoredValue]], to table: Entity, in scope: StoreScope?) async throws {
        guard !rows.isEmpty else { return }
        try await new.write(WriteOptions(scope: scope)) { [id, runner] tx in
            guard let record = try tx.driver.maintenance.marker().switching, record.id == id,
                record.state == .copying, record.copied?.runner == runner
            else { throw StoreError.carriedOutElsewhere }
            try tx.driver.insert(into: table, rows, onConflict: .ignore(key: ["id"]))
        }
    }
}

extension ReadTransaction {
    /// The greatest id of a table; nil if it has no rows.
    fileprivate func lastID(in table: Entity) throws -> StoredValue? {
        var last: StoredValue?
        try driver.select(
            Selection(
                entity: table, columns: [.attribute("id")], condition: .constant(true),
                order: [SortKey("id", .descending)], limit: 1)
        ) { row in
            last = try row.read(table.attributes[0].type)
            return false
        }
        return last
    }

    /// The rows of a table after an id, in order: as many as fit, but at least one.
    fileprivate func rows(
        of table: Entity, after last: StoredValue? = nil, limit: Int? = nil, bytes most: Int = .max
    ) throws -> [[StoredValue]] {
        let condition = last.map { Condition.compare(.attribute("id"), .greater, .value($0)) }
        var (rows, bytes): ([[StoredValue]], Int) = ([], 0)
        try driver.select(.rows(of: table, where: condition ?? .constant(true), limit: limit)) { row in
            let values = try table.attributes.map { try row.read($0.type) }
            for case .blob(let data) in values { bytes += data.count }
            rows.append(values)
            return bytes < most
        }
        return rows
    }
}
