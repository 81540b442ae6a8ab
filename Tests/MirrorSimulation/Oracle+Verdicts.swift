import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What a verdict promises.
extension Oracle {
    /// Checks that each value of a mutation is there, or in the log, or was rejected for a reason.
    func observe(
        _ verdict: Verdict, on mutation: Mutation, by sender: SimulatedServer.Requester,
        _ server: SimulatedServer
    ) throws {
        aliases = server.disk.aliases
        if mutation.isOffer {
            offers.insert(mutation.id)
            if verdict.kind != .rejected { try requireTaken(mutation, server.disk) }
        } else if verdict.kind != .rejected {
            named.formUnion(mutation.changes.map(\.key))
        }
        try requireFollowed(mutation, server.disk)
        if verdict.kind == .rejected {
            try requireRoom(verdict)
            if verdict.reason?.code == .role, isReader(sender, at: server.clock) { return }
            try requireCause(verdict, mutation, server.disk)
            return
        }
        let log = server.disk.log.filter { $0.mutation == mutation.id }
        try requireResurrection(mutation, log, server.disk)
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
                if name == "order", case .update = change, let row = server.disk.rows[key],
                    row[position] != value
                {
                    throw Simulation.Failure("the last edit to arrive has lost", "\(key)")
                }
                guard !SimulatedSchema.combined.contains(name), server.disk.rows[key]?[position] != value
                else {
                    continue
                }
                let (other, names) = (resolve(key), chain(of: key))
                if other != key, server.disk.rows[other]?[position] == value { continue }
                if name == "tag", case .uuid(let id) = value,
                    server.disk.rows[other]?[position] == .uuid(resolve(RowKey("Tag", id)).id)
                {
                    continue
                }
                guard
                    log.contains(where: { conflict in
                        // The log names the row that had taken it in by then.
                        names.contains(conflict.key)
                            && conflict.values.contains {
                                $0.attribute == position && ($0.losing == value || name == "tag")
                            }
                    })
                else { throw Simulation.Failure("an edit was lost in silence", "\(key)") }
            }
        }
    }

    /// Checks that each value of an offer is there, or was replaced by an edit that saw it, or is in the log.
    private func requireTaken(_ offer: Mutation, _ server: SimulatedServer.Disk) throws {
        let log = server.log.filter { $0.mutation == offer.id }
        for case .offer(let key, let row, let received) in offer.changes
        where !SimulatedSchema.policyNames.contains(key.entity) {
            if let earlier = offered[key], earlier >= received { continue }
            offered[key] = received
            guard let row else { continue }
            for position in row.indices.dropFirst() where server.rows[key]?[position] != row[position] {
                let isReplaced = server.history.contains { transaction in
                    transaction.writes.contains {
                        $0.key == key && $0.before?[position] == row[position]
                            && $0.after?[position] != row[position]
                    }
                }
                let isLogged = log.contains { conflict in
                    conflict.key == key
                        && conflict.values.contains { $0.attribute == position && $0.losing == row[position] }
                }
                guard isReplaced || isLogged else {
                    throw Simulation.Failure("an offered value was lost in silence", "\(key)")
                }
            }
        }
    }

    /// Checks that a rejection names something that the server, which is as before the mutation, has in its way.
    private func requireCause(_ verdict: Verdict, _ mutation: Mutation, _ server: SimulatedServer.Disk) throws
    {
        guard let reason = verdict.reason else { throw Simulation.Failure("rejected without a reason") }
        let hasCause =
            switch reason.code {
            case .uncertain: mutation.cursor < server.pruned
            case .unique: reason.entity == "Note" && canBeTaken(mutation, server.rows)
            case .reference: reason.entity == "Visit" && canLackParent(mutation, server.rows)
            // What readers write has been looked at before, and who is no member gets no verdict.
            case .value, .role, .membership: false
            }
        // Rows with policies never are in the way: `requireRoom` says so.
        guard hasCause else {
            throw Simulation.Failure("rejected without a cause", "\(reason.entity) \(reason.code)")
        }
    }

    /// Whether two notes can have one code if a mutation is carried out.
    private func canBeTaken(_ mutation: Mutation, _ rows: SimulatedRows) -> Bool {
        let notes = rows.rows.filter { $0.key.entity == "Note" }
        var sent: [(RowKey, StoredValue)] = []
        for change in mutation.changes where change.key.entity == "Note" {
            switch change {
            case .insert(let key, let row), .offer(let key, let row?, _): sent.append((key, row[2]))
            case .update(let key, let edits):
                // A row that comes back brings its code along.
                if rows[key] == nil { return true }
                for edit in edits where edit.attribute == 2 { sent.append((key, edit.after)) }
            case .delete, .offer: break
            }
        }
        return sent.contains { key, code in
            !code.isNull
                && (notes.contains { $0.key != key && $0.value[2] == code }
                    || sent.contains { $0.0 != key && $0.1 == code })
        }
    }

    /// Whether a visit can be without its baby if a mutation is carried out.
    private func canLackParent(_ mutation: Mutation, _ rows: SimulatedRows) -> Bool {
        let touchesVisits = mutation.changes.contains { $0.key.entity == "Visit" }
        let deletesBabies = mutation.changes.contains { change in
            switch change {
            case .delete(let key, _), .offer(let key, nil, _): key.entity == "Baby"
            case .insert, .update, .offer: false
            }
        }
        if touchesVisits, deletesBabies { return true }
        return mutation.changes.contains { change in
            switch change {
            case .delete(let key, _), .offer(let key, nil, _):
                key.entity == "Baby"
                    && rows.rows.contains { $0.key.entity == "Visit" && $0.value[1] == .uuid(key.id) }
            case .insert(let key, let row), .offer(let key, let row?, _):
                key.entity == "Visit" && SimulatedRows.parent(key, row).map { rows[$0] == nil } ?? false
            case .update(let key, let edits):
                key.entity == "Visit"
                    && edits.contains { edit in
                        guard edit.attribute == 1, case .uuid(let id) = edit.after else { return false }
                        return rows[RowKey("Baby", id)] == nil
                    }
            }
        }
    }

    /// Checks that an edit brings a note back that was deleted after what the edit has seen.
    private func requireResurrection(
        _ mutation: Mutation, _ log: [Conflict], _ server: SimulatedServer.Disk
    ) throws {
        for conflict in log where conflict.reason == .deleted && conflict.key.entity == "Note" {
            guard case .update? = mutation.changes.first(where: { $0.key == conflict.key }),
                server.rows[conflict.key] == nil
            else { continue }
            let isKnown = server.history.dropFirst(max(Int(max(mutation.cursor, 0)), server.pruned)).contains
            {
                $0.writes.contains { $0.key == conflict.key && $0.after == nil }
            }
            if isKnown { throw Simulation.Failure("an edit has brought no row back", "\(conflict.key)") }
        }
    }
}
