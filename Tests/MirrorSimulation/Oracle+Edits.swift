import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What becomes of the edits that were made on devices.
extension Oracle {
    /// An edit as its device has committed it.
    struct Edit {
        let time: Int64
        /// The place in the server's history that the device had applied everything up to.
        let place: HistoryPosition
        /// The changed rows, before and after.
        let rows: [RowKey: RowWrite]
        var isDecided = false
    }

    /// Notes an edit that a device has committed.
    func noteEdit(_ id: UUID, time: Int64, _ rows: [RowWrite], on disk: SimulatedDisk) {
        edits[id] = Edit(
            time: time, place: disk.content.cursor ?? .start,
            rows: Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0) }))
        undecided[ObjectIdentifier(disk), default: []].append(id)
    }

    /// Notes that a disk has other contents than before: a backup's, or another disk's.
    func noteContents(of disk: SimulatedDisk) {
        undecided[ObjectIdentifier(disk)] = disk.content.undecided.filter { edits[$0]?.isDecided == false }
    }

    /// What a mutation had seen of the server's history when it was made, as far as a restored server has it still or again:
    /// one that gets the same mutations in the same order is where it was.
    func seen(by mutation: Mutation, _ server: SimulatedServer) -> Int64 {
        guard var place = edits[mutation.id]?.place else { return mutation.cursor }
        while !server.has(place), let earlier = previous[place] { place = earlier }
        return place.sequence
    }

    /// Checks that a mutation says what was edited, and comes after the earlier ones of its device.
    func requireFaithful(_ mutation: Mutation, from disk: SimulatedDisk) throws {
        guard !mutation.isOffer else { return }
        guard let edit = edits[mutation.id] else {
            throw Simulation.Failure("a mutation that nobody has made")
        }
        let isFaithful =
            mutation.time == edit.time && mutation.changes.count == edit.rows.count
            && mutation.changes.allSatisfy { change in
                edit.rows[change.key].map { Self.says(change, $0) } ?? false
            }
        guard isFaithful else { throw Simulation.Failure("a mutation does not say what was edited") }
    }

    private static func says(_ change: MutationChange, _ write: RowWrite) -> Bool {
        switch (change, write.before, write.after) {
        case (.insert(_, let values), nil, let after?): return values == after
        case (.delete(_, let values), let before?, nil): return values == before.map { $0 }
        case (.update(_, let edits), let before?, let after?):
            return edits.count == write.changed?.count
                && edits.allSatisfy { edit in
                    edit.before == before[edit.attribute] && edit.after == after[edit.attribute]
                }
        default: return false
        }
    }

    /// Notes a verdict, and checks that it is the first and comes in order.
    func noteDecision(_ verdict: Verdict, from disk: SimulatedDisk) throws {
        guard let edit = edits[verdict.id] else { return }
        if !edit.isDecided, let open = undecided[ObjectIdentifier(disk)], open.contains(verdict.id),
            open.first != verdict.id
        {
            throw Simulation.Failure("a mutation came before an earlier one of its device")
        }
        edits[verdict.id]?.isDecided = true
        for disk in undecided.keys { undecided[disk]?.removeAll { $0 == verdict.id } }
    }

    /// Checks that each edit that was rejected is in quarantine, and no offer, of which nobody knows.
    func requireQuarantine(_ verdicts: [Verdict], _ content: SimulatedDisk.Content) throws {
        for verdict in verdicts where verdict.kind == .rejected {
            guard (content.quarantine[verdict.id] != nil) == (edits[verdict.id] != nil) else {
                throw Simulation.Failure("rejected and gone")
            }
        }
    }

    /// Checks that a verdict has come on each edit that its device still had.
    func requireDecisions(on disks: [SimulatedDisk]) throws {
        guard disks.allSatisfy({ undecided[ObjectIdentifier($0), default: []].isEmpty }) else {
            throw Simulation.Failure("an edit has never reached the server")
        }
    }
}
