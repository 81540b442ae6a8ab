import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What the merge policies promise.
extension Oracle {
    /// Checks a transaction's writes of rows with policies.
    func requirePolicies(
        _ transaction: SimulatedServer.Transaction, before: SimulatedRows, conflicts: [Conflict]
    ) throws {
        var merged: [RowKey: RowKey] = [:]
        let taken = conflicts.filter { conflict in
            conflict.reason == .unique && transaction.rows[conflict.key] == nil
                && conflict.key.entity != "Desk"
        }
        // Tags first: the tag of a link can be merged after the link, and so be another one in the end.
        for conflict in taken.filter({ $0.key.entity == "Tag" }) + taken.filter({ $0.key.entity != "Tag" }) {
            merged[conflict.key] =
                transaction.rows.rows.first { key, row in
                    key.entity == conflict.key.entity
                        && SimulatedSchema.unique[key.entity, default: []].allSatisfy { position in
                            conflict.values.contains { value in
                                guard value.attribute == position else { return false }
                                let tag = value.losing.id.flatMap { merged[RowKey("Tag", $0)] }
                                return value.losing == row[position]
                                    || tag.map { .uuid($0.id) } == row[position]
                            }
                        }
                }?.key
        }
        for (key, holder) in merged where key.entity == "Tag" {
            for child in before.referrers(of: key.id)
            where transaction.rows[child].map({ $0[1] != .uuid(holder.id) }) ?? false {
                let row = transaction.rows[child] ?? []
                guard edits(of: child, 1, transaction.mutation).contains(where: { $0.after == row[1] }) else {
                    throw Simulation.Failure("a reference was not moved", "\(child)")
                }
            }
        }
        guard !transaction.mutation.isOffer else { return }
        for write in transaction.writes where SimulatedSchema.policyNames.contains(write.key.entity) {
            guard let old = write.before, let new = write.after else { continue }
            let joined = merged.filter { $0.value == write.key }.map(\.key)
            for position in old.indices.dropFirst() {
                let edits = edits(of: write.key, position, transaction.mutation)
                if joined.isEmpty, edits.isEmpty, old[position] != new[position] {
                    let isMoved =
                        write.key.entity == "Link" && position == 1
                        && merged.values.contains { $0.id == new[1].id }
                    guard isMoved else {
                        throw Simulation.Failure("wrote what nobody edited", "\(write.key)")
                    }
                }
                let isInsert = transaction.mutation.changes.contains {
                    if case .insert(let key, _) = $0 {
                        resolve(key) == write.key || joined.contains(key)
                    } else {
                        false
                    }
                }
                let name = SimulatedSchema.attributes(write.key)[position].name
                if joined.isEmpty, !isInsert, !edits.isEmpty {
                    try requirePolicy(name, write.key, old[position], edits, new[position])
                }
                if name == "uses", !joined.isEmpty, edits.isEmpty {
                    // What the rows that it has taken in had counted.
                    let added = joined.reduce(Int64(0)) { sum, key in
                        let logged = conflicts.last { $0.key == key && $0.reason == .unique }?.values
                            .first { $0.attribute == position }
                        return sum + (logged?.losing.number ?? 0)
                    }
                    guard new[position].number == (old[position].number ?? 0) + added else {
                        throw Simulation.Failure("a count was lost", "\(write.key)")
                    }
                }
            }
        }
    }

    /// Checks that edits of rows that were merged into others, and references to them, reach those.
    func requireFollowed(_ mutation: Mutation, _ server: SimulatedServer.Disk) throws {
        for change in mutation.changes {
            var (named, values): ([RowKey], [AttributeEdit]) = ([], [])
            switch change {
            case .update(let key, let edits): (named, values) = ([key], edits)
            case .insert(_, let row):
                values = row.indices.map { AttributeEdit($0, before: nil, after: row[$0]) }
            case .delete, .offer: break
            }
            if change.key.entity == "Link", let id = values.first(where: { $0.attribute == 1 })?.after.id {
                named.append(RowKey("Tag", id))
            }
            for key in named {
                let other = resolve(key)
                guard other != key, server.rows[key] == nil, server.rows[other] != nil else { continue }
                // A link can be lost with another tag than the one that it names: that of a newer edit, which was deleted.
                let parents: [StoredValue] = [.uuid(key.id), .uuid(other.id)]
                let lost = server.log.contains { conflict in
                    guard conflict.mutation == mutation.id, conflict.key == change.key else { return false }
                    if key == change.key { return conflict.reason == .deleted }
                    return conflict.reason == .parentDeleted
                        && conflict.values.contains { $0.attribute == 1 && parents.contains($0.losing) }
                }
                if lost {
                    throw Simulation.Failure(
                        "an edit has missed the row that took in its own", "\(change.key)")
                }
            }
        }
    }

    /// Checks that nothing is rejected that a policy finds a place for.
    func requireRoom(_ verdict: Verdict) throws {
        guard let reason = verdict.reason, [.unique, .reference].contains(reason.code),
            SimulatedSchema.policyNames.contains(reason.entity)
        else { return }
        throw Simulation.Failure("rejected in spite of a policy", "\(reason.entity) \(reason.code)")
    }

    /// The row that a row was merged into, or itself.
    func resolve(_ key: RowKey) -> RowKey { chain(of: key).last ?? key }

    /// A row, the row that it was merged into, and so on.
    func chain(of key: RowKey) -> [RowKey] {
        var chain = [key]
        while let other = chain.last.flatMap({ aliases[$0] }), !chain.contains(other) { chain.append(other) }
        return chain
    }

    /// Whether a row is another one, or refers to a row that the one it referred to was merged into.
    func isKept(_ key: RowKey, _ row: [StoredValue]?, as other: [StoredValue]?) -> Bool {
        guard var row, let other, row != other, let position = SimulatedSchema.reference[key.entity],
            let parent = SimulatedRows.parent(key, row), let new = SimulatedRows.parent(key, other)
        else { return row == other }
        var (reached, open): (Set<RowKey>, [RowKey]) = ([parent], [parent])
        while let next = open.popLast() {
            open += mergedInto[next, default: []].filter { reached.insert($0).inserted }
        }
        guard reached.contains(new) else { return false }
        row[position] = other[position]
        return row == other
    }

    private func edits(of key: RowKey, _ position: Int, _ mutation: Mutation) -> [AttributeEdit] {
        mutation.changes.flatMap { change -> [AttributeEdit] in
            guard resolve(change.key) == key || change.key == key else { return [] }
            return switch change {
            case .update(_, let edits): edits.filter { $0.attribute == position }
            case .insert(_, let row), .offer(_, let row?, received: _):
                [AttributeEdit(position, before: nil, after: row[position])]
            case .delete, .offer: []
            }
        }
    }

    /// Checks that the edits of an attribute that goes by values have made of the old value what its policy says.
    func requirePolicy(
        _ name: String, _ key: RowKey, _ old: StoredValue, _ edits: [AttributeEdit], _ new: StoredValue
    ) throws {
        guard let expected = Self.merged(name, old, edits), expected != new else { return }
        throw Simulation.Failure(
            "not by the policy", "\(key).\(name) \(old) with \(edits.map(\.after)) is \(new)")
    }

    /// The value that edits make of another one, by the attribute's policy; nil if it goes by time.
    private static func merged(_ name: String, _ old: StoredValue, _ edits: [AttributeEdit]) -> StoredValue? {
        guard !["label", "tag"].contains(name), edits.count == 1, let edit = edits.first else { return nil }
        if edit.before == old || name == "order" { return edit.after }
        switch name {
        case "sum", "uses", "count":
            guard let old = old.number, let after = edit.after.number, let before = edit.before?.number else {
                return nil
            }
            return .int(old + after - before)
        case "most": return (old.number ?? 0) > (edit.after.number ?? 0) ? old : edit.after
        case "least": return (old.number ?? 0) < (edit.after.number ?? 0) ? old : edit.after
        case "bits": return .int((old.number ?? 0) | (edit.after.number ?? 0))
        case "list":
            guard case (.json(let old), .json(let after), .json(let before)?) = (old, edit.after, edit.before)
            else {
                return nil
            }
            let (mine, theirs, base) = (
                Set(SimulatedSchema.elements(old)), Set(SimulatedSchema.elements(after)),
                Set(SimulatedSchema.elements(before))
            )
            let kept = mine.subtracting(base.subtracting(theirs)).union(theirs.subtracting(base))
            return .json("[\(kept.sorted().map(String.init).joined(separator: ","))]")
        default: return nil
        }
    }
}

extension StoredValue {
    fileprivate var number: Int64? { if case .int(let number) = self { number } else { nil } }
    fileprivate var id: UUID? { if case .uuid(let id) = self { id } else { nil } }
}
