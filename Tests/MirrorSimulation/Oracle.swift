import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What the mirror promises, checked by what it can be seen to do, without its code.
final class Oracle {
    /// The rows after each transaction that a server has ever had, by the place in its history.
    private var states: [HistoryPosition: SimulatedRows] = [.start: SimulatedRows()]
    /// The rows that were merged into others.
    var aliases: [RowKey: RowKey] = [:]
    /// The last edit of each attribute.
    private var stamps: [RowKey: [Int: (stamp: EditStamp, position: HistoryPosition, isOffer: Bool)]] = [:]
    /// Every value that a server has ever had, by row and attribute.
    private var known: [RowKey: [Int: Set<StoredValue>]] = [:]
    /// The places that a restored server has lost; some come back when the same mutations are sent again.
    private var lost: Set<HistoryPosition> = []
    /// The last transaction that it had kept.
    private var restoredTo: Int64 = 0
    /// The mutations that a server has rejected.
    private var rejected: [UUID] = []
    private var kept: (rows: SimulatedRows, from: Int, diskRestores: Int)?

    /// Checks a transaction of the server's.
    func observe(
        _ transaction: SimulatedServer.Transaction, before: SimulatedRows, conflicts: [Conflict]
    ) throws {
        states[transaction.position] = transaction.rows
        let mutation = transaction.mutation
        if mutation.isOffer { try requireRestoring(transaction) }
        try requirePolicies(transaction, before: before, conflicts: conflicts)
        for write in transaction.writes {
            let change = mutation.changes.first { $0.key == write.key }
            guard let old = write.before, let new = write.after else {
                if write.after == nil { try requireLogged(write, mutation, conflicts) }
                continue
            }
            if SimulatedSchema.policyNames.contains(write.key.entity) { continue }
            for position in old.indices where old[position] != new[position] {
                guard let edit = Self.edit(of: position, in: change),
                    !new[position].isNull || edit.after.isNull
                else {
                    // A delete rule has made it nil.
                    guard mutation.isOffer || new[position].isNull else {
                        throw Simulation.Failure("wrote what nobody edited: \(write.key)")
                    }
                    continue
                }
                // A reference to a row that the mutation deletes becomes nil, whoever has set it.
                if case .uuid(let id) = old[position], new[position].isNull,
                    transaction.rows[RowKey("Baby", id)] == nil
                {
                    continue
                }
                let name = SimulatedSchema.attributes(write.key)[position].name
                guard edit.before != old[position], name != "count", name != "most",
                    let last = stamps[write.key]?[position], last.position.sequence > mutation.cursor
                else { continue }
                guard transaction.stamp > last.stamp else {
                    throw Simulation.Failure(
                        "an older edit has won: \(write.key).\(name) \(old[position]) at \(last.stamp.time) number "
                            + "\(last.position.sequence), \(new[position]) at \(transaction.stamp.time) number "
                            + "\(transaction.position.sequence), cursor \(mutation.cursor)")
                }
                guard
                    conflicts.contains(where: { conflict in
                        conflict.key == write.key && conflict.values.contains { $0.losing == old[position] }
                    })
                else { throw Simulation.Failure("a value was lost in silence: \(write.key)") }
            }
        }
        note(transaction)
    }

    /// Checks that an offer brings only what a server has had, and leaves what was edited since.
    private func requireRestoring(_ transaction: SimulatedServer.Transaction) throws {
        for write in transaction.writes where !SimulatedSchema.policyNames.contains(write.key.entity) {
            for (position, value) in (write.after ?? []).enumerated().dropFirst()
            where write.before?[position] != value {
                // A delete rule can make a reference nil.
                guard value.isNull || known[write.key]?[position]?.contains(value) == true else {
                    throw Simulation.Failure("an offer has brought what no server had: \(write.key)")
                }
                if value.isNull, SimulatedSchema.reference[write.key.entity] == position { continue }
                if write.before != nil, let last = stamps[write.key]?[position], !last.isOffer,
                    last.position.sequence > restoredTo, !lost.contains(last.position)
                {
                    throw Simulation.Failure("an offer has overwritten an edit: \(write.key)")
                }
            }
        }
    }

    private func note(_ transaction: SimulatedServer.Transaction) {
        for write in transaction.writes {
            for (position, value) in (write.after ?? []).enumerated() where write.before?[position] != value {
                stamps[write.key, default: [:]][position] = (
                    transaction.stamp, transaction.position, transaction.mutation.isOffer
                )
                known[write.key, default: [:]][position, default: []].insert(value)
            }
        }
    }

    /// Checks that each value of a mutation is there, or in the log.
    func observe(_ verdict: Verdict, on mutation: Mutation, _ server: SimulatedServer.Disk) throws {
        aliases = server.aliases
        try requireFollowed(mutation, server)
        if verdict.kind == .rejected {
            try requireRoom(verdict)
            rejected.append(mutation.id)
            return
        }
        for change in mutation.changes {
            let key = change.key
            let values: [(Int, StoredValue)] =
                switch change {
                case .insert(_, let row): row.indices.dropFirst().map { ($0, row[$0]) }
                case .update(_, let edits): edits.map { ($0.attribute, $0.after) }
                case .delete, .offer: []
                }
            for (position, value) in values {
                let name = SimulatedSchema.attributes(key)[position].name
                guard !SimulatedSchema.combined.contains(name), server.rows[key]?[position] != value else {
                    continue
                }
                let other = resolve(key)
                if other != key, server.rows[other]?[position] == value { continue }
                if name == "tag", case .uuid(let id) = value,
                    server.rows[other]?[position] == .uuid(resolve(RowKey("Tag", id)).id)
                {
                    continue
                }
                guard
                    server.log.contains(where: { conflict in
                        (conflict.key == key || conflict.key == other) && conflict.mutation == mutation.id
                            && conflict.values.contains {
                                $0.attribute == position && ($0.losing == value || name == "tag")
                            }
                    })
                else { throw Simulation.Failure("an edit was lost in silence: \(key)") }
            }
        }
    }

    private static func edit(of position: Int, in change: MutationChange?) -> AttributeEdit? {
        switch change {
        case .update(_, let edits): edits.first { $0.attribute == position }
        case .insert(_, let values): AttributeEdit(position, before: nil, after: values[position])
        case .delete, .offer, nil: nil
        }
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
            else { throw Simulation.Failure("a deleted value was lost in silence: \(write.key)") }
        }
    }

    /// Checks that a device shows the server's state with its pending changes on top.
    func checkApplied(_ device: SimulatedDevice, upTo: HistoryPosition) throws {
        guard let server = states[upTo] else { throw Simulation.Failure("a place that no server had") }
        for key in SimulatedSchema.keys {
            var row = server[key]
            for mutation in device.disk.content.outbox {
                for change in mutation.changes where change.key == key {
                    switch change {
                    case .insert(_, let values): row = values
                    case .update(_, let edits): for edit in edits { row?[edit.attribute] = edit.after }
                    case .delete: row = nil
                    case .offer: break
                    }
                }
            }
            guard device.row(key) == row else {
                throw Simulation.Failure(
                    "not the server's state with what is pending: \(key) shows \(Self.show(device.row(key))), should "
                        + "show \(Self.show(row)), the server has \(Self.show(server[key]))")
            }
        }
    }

    private static func show(_ row: [StoredValue]?) -> String {
        row.map { $0.dropFirst().map { "\($0)" }.joined(separator: " ") } ?? "nothing"
    }

    /// What a restored server had lost is not promised back, once it has forgotten what it did since.
    func notePruning() { kept = nil }

    func noteRestore(
        of server: SimulatedServer, to backup: SimulatedServer.Disk, _ devices: [SimulatedDevice],
        diskRestores: Int
    ) {
        restoredTo = Int64(backup.history.count)
        lost = Set(server.disk.history.dropFirst(backup.history.count).map(\.position))
        let someoneKnowsAll = devices.contains {
            $0.disk.content.cursor == server.head() && $0.disk.content.outbox.isEmpty
                && $0.disk.content.unsealed.isEmpty
        }
        (stamps, aliases) = ([:], backup.aliases)
        backup.history.forEach(note)
        if someoneKnowsAll { kept = (server.disk.rows, backup.history.count, diskRestores) }
    }

    /// Checks what holds at rest.
    func check(
        _ server: SimulatedServer, _ devices: [SimulatedDevice], serverRestores: Int, diskRestores: Int
    ) throws {
        for device in devices where device.disk.content.rows != server.disk.rows {
            throw Simulation.Failure("diverged")
        }
        if serverRestores == 0, diskRestores == 0 {
            let quarantined = Set(devices.flatMap { $0.disk.content.quarantine.keys })
            guard quarantined.isSuperset(of: rejected) else { throw Simulation.Failure("rejected and gone") }
        }
        let ids = server.disk.history.map(\.mutation.id)
        guard Set(ids).count == ids.count else {
            let twice = Dictionary(grouping: server.disk.history, by: \.mutation.id).values.first {
                $0.count > 1
            }
            throw Simulation.Failure(
                "carried out twice: \(twice.map { $0.map { "\($0.position.sequence) at \($0.stamp.time), cursor \($0.mutation.cursor)" } } ?? [])"
                    + ", pruned \(server.disk.pruned), offer \(twice?.first?.mutation.isOffer ?? false)")
        }
        if let kept, diskRestores == kept.diskRestores {
            let edited = Set(
                server.disk.history.dropFirst(kept.from).filter { !$0.mutation.isOffer }
                    .flatMap { $0.writes.map(\.key) })
            for key in SimulatedSchema.keys
            where !edited.contains(key) && server.disk.rows[key] != kept.rows[key] {
                throw Simulation.Failure("the restored server has forgotten what a device knew: \(key)")
            }
        }
    }
}
