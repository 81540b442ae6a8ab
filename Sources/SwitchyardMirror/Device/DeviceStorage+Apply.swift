package import Foundation
package import SwitchyardCore

/// What has come of applying the staged pages.
package enum ApplyResult: Sendable, Hashable {
    case applied
    /// A row does not fit beside a pending one; it may once that has a verdict.
    case doesNotFit
    /// Another process has exchanged meanwhile.
    case outdated
}

extension DeviceStorage {
    /// Applies the staged pages in one transaction: verdicts, rows and the cursor.
    ///
    /// Pending changes stay on top.
    ///
    /// - Parameters:
    ///   - cursor: The cursor that the exchange began with.
    ///   - upTo: The new one.
    /// - Returns: Whether they were applied; otherwise nothing was changed but that local writes were sealed.
    /// - Throws: As the storage; what was done is then rolled back with its transaction.
    package func apply(from cursor: HistoryPosition?, upTo: HistoryPosition) throws -> ApplyResult {
        guard try self.cursor() == cursor else { return .outdated }
        try seal()
        var staged = try staged()
        if staged.isWhole {
            let known = try Set(keys() + pending().flatMap { $0.changes.map(\.key) })
            for key in known where staged.rows[key] == nil { staged.rows[key] = RowPatch(key, nil) }
        }
        let rest = try pending().filter { staged.verdicts[$0.id] == nil }
        var overlays: [RowKey: [Mutation]] = [:]
        for mutation in rest where !mutation.isOffer {
            for change in mutation.changes { overlays[change.key, default: []].append(mutation) }
        }
        let fits = try attempt {
            var writes: [RowWrite] = []
            for patch in staged.rows.values.sorted(by: { $0.key < $1.key }) {
                let key = patch.key
                let local = try row(key)
                let server = try patch.applied(to: try base(key) ?? local)
                let pending = overlays[key, default: []]
                if !pending.isEmpty { try setBase(key, server) }
                let row = pending.reduce(server) { $1.overlay(on: $0, key) }
                if row != local { writes.append(RowWrite(key, before: local, after: row)) }
            }
            try write(writes)
        }
        guard fits else { return .doesNotFit }
        for verdict in staged.verdicts.values where verdict.kind == .rejected {
            if let reason = verdict.reason { try quarantine(verdict.id, reason) }
        }
        try remove(Array(staged.verdicts.keys))
        try removeBases(except: Set(overlays.keys))
        try note(staged.conflicts)
        try extendTrail(staged.steps)
        try setCursor(upTo)
        if !staged.rows.isEmpty { try noteReceived(staged.rows.keys.sorted(), upTo: upTo.sequence) }
        return .applied
    }

    /// Goes back to the last place that the server still has, and offers it the rows that came after.
    ///
    /// - Parameters:
    ///   - common: The place.
    ///   - id: The id of the offer.
    /// - Throws: As the storage.
    package func offer(after common: HistoryPosition, id: UUID) throws {
        try seal()
        let received = try received(after: common.sequence)
        var changes: [MutationChange] = []
        for (key, sequence) in received.sorted(by: { $0.key < $1.key }) {
            // What the server told, without what is pending.
            changes.append(.offer(key, try base(key) ?? row(key), received: sequence))
        }
        // What they have seen after that place, the server has lost.
        try setCursors { min($0, common.sequence) }
        if !changes.isEmpty {
            try putFirst(Mutation(id: id, time: 0, cursor: common.sequence, changes: changes))
        }
        try cutTrail(after: common.sequence)
        try setCursor(common)
    }
}
