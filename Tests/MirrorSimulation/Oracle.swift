import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What the mirror promises, checked by what it can be seen to do, without its code.
final class Oracle {
    /// The rows after each transaction that a server has ever had, by the place in its history.
    private var states: [HistoryPosition: SimulatedRows] = [.start: SimulatedRows()]
    /// The place before each place that a server has ever had.
    private(set) var previous: [HistoryPosition: HistoryPosition] = [:]
    /// The rows that were merged into others.
    var aliases: [RowKey: RowKey] = [:] {
        didSet { for (key, other) in aliases { mergedInto[key, default: []].insert(other) } }
    }
    /// The rows that each row has been merged into since the server was restored: one that came back can go into another.
    var mergedInto: [RowKey: Set<RowKey>] = [:]
    /// The edits of all devices.
    var edits: [UUID: Edit] = [:]
    /// The edits that a disk has, and that have no verdict, the oldest first.
    var undecided: [ObjectIdentifier: [UUID]] = [:]
    /// The rows of the edits that a restored server has decided on, each of which was looked at then.
    var named: Set<RowKey> = []
    /// The offers that a restored server has decided on.
    var offers: Set<UUID> = []
    /// The number that each row was offered with, the last that a restored server has decided on.
    var offered: [RowKey: Int64] = [:]
    /// The last transaction that a restored server had kept.
    private(set) var restoredTo: Int64 = .max
    /// The last edit of each attribute.
    private var stamps: [RowKey: [Int: Stamp]] = [:]
    /// Each row that is gone, as it was when it was deleted.
    private var deleted: [RowKey: [StoredValue]] = [:]
    /// Every value that a server has ever had, by row and attribute.
    private var known: [RowKey: [Int: Set<StoredValue>]] = [:]
    /// The places that a restored server has lost; some come back when the same mutations are sent again.
    private var lost: Set<HistoryPosition> = []
    private var kept: Kept?
    /// Who belongs to the household; nil if nobody asks.
    var household: SimulatedHousehold?
    /// Whom a server has told that the membership has ended.
    var revoked: Set<SimulatedServer.Requester> = []

    /// What a restored server gets back.
    private struct Kept {
        /// The states that it had, from the newest one on that a device had received.
        let states: [SimulatedRows]
        /// The rows of the backup whose deletion the device that knows most has not seen, since it has received all rows later.
        let untold: [RowKey: [StoredValue]]
        let diskRestores: Int
    }

    private struct Stamp {
        let stamp: EditStamp
        let position: HistoryPosition
        /// The number of the lost transaction, if it was offered.
        let offered: Int64?
    }

    /// Checks a transaction of the server's.
    func observe(
        _ transaction: SimulatedServer.Transaction, before: SimulatedRows, conflicts: [Conflict],
        _ server: SimulatedServer
    ) throws {
        states[transaction.position] = transaction.rows
        previous[transaction.position] = server.position(transaction.position.sequence - 1)
        let mutation = transaction.mutation
        guard transaction.stamp.time <= server.clock else {
            throw Simulation.Failure("an edit counts as made in time to come")
        }
        if mutation.isOffer { try requireRestoring(transaction) }
        try requirePolicies(transaction, before: before, conflicts: conflicts)
        for write in transaction.writes {
            guard let old = write.before, let new = write.after else {
                if let old = write.before {
                    try requireGone(write.key, old, transaction)
                    try requireLogged(write, mutation, conflicts)
                } else if let new = write.after {
                    try requireRestored(write.key, new, transaction)
                }
                continue
            }
            if SimulatedSchema.policyNames.contains(write.key.entity) { continue }
            try requireMerged(write.key, old, new, transaction, conflicts, server)
        }
        if !mutation.isOffer { named.formUnion(transaction.writes.map(\.key)) }
        note(transaction)
    }

    /// Checks that a row of the family has changed by an edit that may change it.
    private func requireMerged(
        _ key: RowKey, _ old: [StoredValue], _ new: [StoredValue],
        _ transaction: SimulatedServer.Transaction, _ conflicts: [Conflict], _ server: SimulatedServer
    ) throws {
        let mutation = transaction.mutation
        let change = mutation.changes.first { $0.key == key }
        for position in old.indices.dropFirst() {
            let name = SimulatedSchema.attributes(key)[position].name
            if case .update? = change, name == "count" || name == "most",
                let edit = Self.edit(of: position, in: change)
            {
                try requirePolicy(name, key, old[position], [edit], new[position])
            }
            guard old[position] != new[position] else { continue }
            guard let edit = Self.edit(of: position, in: change), !new[position].isNull || edit.after.isNull
            else {
                // A delete rule has made it nil.
                guard mutation.isOffer || new[position].isNull else {
                    throw Simulation.Failure("wrote what nobody edited", "\(key)")
                }
                continue
            }
            // A reference to a row that the mutation deletes becomes nil, whoever has set it.
            if case .uuid(let id) = old[position], new[position].isNull,
                transaction.rows[RowKey("Baby", id)] == nil
            {
                continue
            }
            // The edit has shown another value: one of its own that the server has not kept, or one from before.
            guard edit.before != old[position], name != "count", name != "most" else { continue }
            if let last = stamps[key]?[position], last.position.sequence > seen(by: mutation, server),
                transaction.stamp < last.stamp
            {
                throw Simulation.Failure(
                    "an older edit has won",
                    "\(key).\(name) \(old[position]) at \(last.stamp.time) number \(last.position.sequence), "
                        + "\(new[position]) at \(transaction.stamp.time) number \(transaction.position.sequence), "
                        + "has seen \(seen(by: mutation, server))")
            }
            guard
                conflicts.contains(where: { conflict in
                    conflict.key == key && conflict.values.contains { $0.losing == old[position] }
                })
            else { throw Simulation.Failure("a value was lost in silence", "\(key)") }
        }
    }

    /// Checks that an offer brings only what a server has had, and leaves what was edited since.
    private func requireRestoring(_ transaction: SimulatedServer.Transaction) throws {
        for write in transaction.writes where !SimulatedSchema.policyNames.contains(write.key.entity) {
            for (position, value) in (write.after ?? []).enumerated().dropFirst()
            where write.before?[position] != value {
                // A delete rule can make a reference nil.
                guard value.isNull || known[write.key]?[position]?.contains(value) == true else {
                    throw Simulation.Failure("an offer has brought what no server had", "\(write.key)")
                }
                if value.isNull, SimulatedSchema.reference[write.key.entity] == position { continue }
                guard write.before != nil, let last = stamps[write.key]?[position],
                    last.position.sequence > restoredTo, !lost.contains(last.position)
                else { continue }
                guard let earlier = last.offered else {
                    throw Simulation.Failure("an offer has overwritten an edit", "\(write.key)")
                }
                guard Self.offered(write.key, in: transaction.mutation).map({ earlier < $0 }) ?? true else {
                    throw Simulation.Failure("an offer has overwritten a newer one", "\(write.key)")
                }
            }
        }
    }

    private func note(_ transaction: SimulatedServer.Transaction) {
        for write in transaction.writes {
            deleted[write.key] = write.after == nil ? write.before : nil
            for (position, value) in (write.after ?? []).enumerated() where write.before?[position] != value {
                stamps[write.key, default: [:]][position] = Stamp(
                    stamp: transaction.stamp, position: transaction.position,
                    offered: transaction.mutation.isOffer
                        ? Self.offered(write.key, in: transaction.mutation) ?? .min : nil)
                known[write.key, default: [:]][position, default: []].insert(value)
            }
        }
    }

    private static func offered(_ key: RowKey, in mutation: Mutation) -> Int64? {
        for case .offer(key, _, let sequence) in mutation.changes { return sequence }
        return nil
    }

    static func edit(of position: Int, in change: MutationChange?) -> AttributeEdit? {
        switch change {
        case .update(_, let edits): edits.first { $0.attribute == position }
        case .insert(_, let values): AttributeEdit(position, before: nil, after: values[position])
        case .delete, .offer, nil: nil
        }
    }

    // MARK: Deleted rows

    /// Checks that a row that has gone was deleted, was taken along by a delete rule, or was merged into another.
    private func requireGone(
        _ key: RowKey, _ row: [StoredValue], _ transaction: SimulatedServer.Transaction
    ) throws {
        let isNamed = transaction.mutation.changes.contains { change in
            switch change {
            case .delete(let other, _), .offer(let other, nil, _): other == key || resolve(other) == key
            case .insert, .update, .offer: false
            }
        }
        // Merged rows are checked by their policy.
        if isNamed || ["Tag", "Link"].contains(key.entity) { return }
        let change = transaction.mutation.changes.first { $0.key == key }
        let edited = SimulatedSchema.reference[key.entity].flatMap { Self.edit(of: $0, in: change)?.after }
        let parents = [row[1], edited].compactMap { value -> RowKey? in
            guard case .uuid(let id)? = value else { return nil }
            return RowKey("Baby", id)
        }
        guard key.entity == "Feed",
            parents.contains(where: { transaction.rows[$0] == nil }) || transaction.mutation.isOffer
        else { throw Simulation.Failure("deleted what nobody deleted", "\(key)") }
    }

    /// Checks that what a delete has taken along is either what the mutation saw, or in the log.
    private func requireLogged(_ write: RowWrite, _ mutation: Mutation, _ conflicts: [Conflict]) throws {
        guard !mutation.isOffer, let row = write.before else { return }
        var seen = [Set<StoredValue>](repeating: [], count: row.count)
        for change in mutation.changes where change.key == write.key || resolve(change.key) == write.key {
            if case .delete(_, let before) = change {
                for (position, value) in before.enumerated() { if let value { seen[position].insert(value) } }
            }
            // What it has edited itself before its row went with another.
            if case .update(_, let edits) = change {
                for edit in edits { if let before = edit.before { seen[edit.attribute].insert(before) } }
            }
        }
        let attributes = SimulatedSchema.attributes(write.key)
        for position in row.indices.dropFirst() where !seen[position].contains(row[position]) {
            // The value with the mutation's share is logged instead.
            if SimulatedSchema.combined.contains(attributes[position].name) { continue }
            // A reference can have moved before.
            if attributes[position].name == "tag" { continue }
            guard
                conflicts.contains(where: { conflict in
                    conflict.key == write.key
                        && conflict.values.contains { $0.attribute == position && $0.losing == row[position] }
                })
            else { throw Simulation.Failure("a deleted value was lost in silence", "\(write.key)") }
        }
    }

    /// Checks that a row that an edit has brought back is as it was when it was deleted, but for the edit.
    private func requireRestored(
        _ key: RowKey, _ row: [StoredValue], _ transaction: SimulatedServer.Transaction
    ) throws {
        guard case .update(_, let edits)? = transaction.mutation.changes.first(where: { $0.key == key }),
            let old = deleted[key]
        else { return }
        for position in row.indices.dropFirst() where !edits.contains(where: { $0.attribute == position }) {
            // Its baby can be gone.
            if SimulatedSchema.reference[key.entity] == position, row[position].isNull { continue }
            guard row[position] == old[position] else {
                throw Simulation.Failure("a row came back with other values", "\(key)")
            }
        }
    }

    // MARK: Devices

    /// Checks that a device shows the server's state with its pending changes on top.
    func checkApplied(_ device: SimulatedDevice, upTo: HistoryPosition) throws {
        guard let server = states[upTo] else { throw Simulation.Failure("a place that no server had") }
        let outbox = device.disk.content.outbox
        let (shown, expected) = (device.disk.content.rows.rows, Self.edited(server.rows, by: outbox))
        guard shown != expected else { return }
        // Another process on the file can have received a page while an offer is on its way.
        var offered = server.rows
        for case .offer(let key, let row, _) in outbox.flatMap(\.changes) { offered[key] = row }
        let others = Self.edited(offered, by: outbox)
        let key = Set(shown.keys).union(expected.keys).sorted().first {
            !Self.isMixed(shown[$0], of: expected[$0], and: others[$0])
        }
        guard let key else { return }
        throw Simulation.Failure(
            "not the server's state with what is pending",
            "\(key) shows \(Self.show(shown[key])), should show \(Self.show(expected[key])), the server has "
                + Self.show(server[key]))
    }

    /// Whether each value of a row is that of one of two others.
    private static func isMixed(
        _ row: [StoredValue]?, of one: [StoredValue]?, and other: [StoredValue]?
    ) -> Bool {
        guard let row, let one, let other else { return row == one || row == other }
        return row.indices.allSatisfy { row[$0] == one[$0] || row[$0] == other[$0] }
    }

    /// Rows with pending edits on top.
    private static func edited(
        _ rows: [RowKey: [StoredValue]], by outbox: [Mutation]
    ) -> [RowKey: [StoredValue]] {
        var rows = rows
        for change in outbox.flatMap(\.changes) {
            switch change {
            case .insert(let key, let values): rows[key] = values
            case .update(let key, let edits):
                for edit in edits { rows[key]?[edit.attribute] = edit.after }
            case .delete(let key, _): rows[key] = nil
            case .offer: break
            }
        }
        return rows
    }

    private static func show(_ row: [StoredValue]?) -> String {
        row.map { $0.dropFirst().map { "\($0)" }.joined(separator: " ") } ?? "nothing"
    }

    func noteRestore(
        of server: SimulatedServer, to backup: SimulatedServer.Disk, _ devices: [SimulatedDevice],
        diskRestores: Int
    ) {
        restoredTo = Int64(backup.history.count)
        lost = Set(server.disk.history.dropFirst(backup.history.count).map(\.position))
        household = backup.household
        // What readers know, and those whom the backup does not, is not taken from them.
        let tellers = devices.filter { mayTell($0, at: server.clock) }.map(\.disk.content).filter { content in
            content.cursor.map { server.has($0) } ?? false
        }
        let known = tellers.compactMap(\.cursor).max { $0.sequence < $1.sequence }
        (stamps, deleted, mergedInto, named, offered) = ([:], [:], [:], [], [:])
        aliases = backup.aliases
        backup.history.forEach(note)
        kept = known.flatMap { place in
            guard let state = states[place] else { return nil }
            // What was on its way can arrive after all.
            let later = server.disk.history.dropFirst(Int(place.sequence)).map(\.rows)
            let joined = tellers.filter { $0.cursor == place }.map { content in
                content.received.filter { $0.keys == nil && $0.sequence > restoredTo }.map(\.sequence).min()
            }
            let first = joined.contains(nil) ? nil : joined.compactMap { $0 }.min()
            let rows = first.flatMap { states[server.position($0)] }
            return Kept(
                states: [state] + later,
                untold: rows.map { rows in backup.rows.rows.filter { rows[$0.key] == nil } } ?? [:],
                diskRestores: diskRestores)
        }
    }

    /// No longer asks for what a restored server has lost: a device that knew it has gone, or may not tell.
    func forgetKept() { kept = nil }

    /// Checks what holds at rest.
    func check(_ server: SimulatedServer, _ devices: [SimulatedDevice], diskRestores: Int) throws {
        let members = try members(among: devices, at: server.clock)
        for device in members where device.disk.content.rows != server.disk.rows {
            throw Simulation.Failure("diverged")
        }
        try requireDecisions(on: members.map(\.disk))
        let ids = server.disk.history.map(\.mutation.id)
        guard Set(ids).count == ids.count else {
            let twice = Dictionary(grouping: server.disk.history, by: \.mutation.id).values.first {
                $0.count > 1
            }
            throw Simulation.Failure(
                "carried out twice",
                "\(twice.map { $0.map { "\($0.position.sequence) at \($0.stamp.time), cursor \($0.mutation.cursor)" } } ?? [])"
                    + ", pruned \(server.disk.pruned), offer \(twice?.first?.mutation.isOffer ?? false)")
        }
        // Of a server that has forgotten what it did, a device may not find the last place in common, and takes all rows.
        if let kept, diskRestores == kept.diskRestores, server.disk.pruned == 0 {
            // What was offered, and found its key taken or its parent gone, is in the log.
            let logged = Set(
                server.disk.log.filter {
                    offers.contains($0.mutation) && [.unique, .parentDeleted].contains($0.reason)
                }.map(\.key))
            for key in SimulatedSchema.keys
            where !named.contains(key) && !logged.contains(key)
                && (kept.untold[key] == nil || kept.untold[key] != server.disk.rows[key])
                && !kept.states.contains(where: { isKept(key, $0[key], as: server.disk.rows[key]) })
            {
                throw Simulation.Failure("the restored server has forgotten what a device knew", "\(key)")
            }
        }
    }
}
