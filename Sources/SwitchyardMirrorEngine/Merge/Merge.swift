package import SwitchyardCore

internal import struct Foundation.UUID

/// Carries out one mutation on the server: a three-way merge of each attribute by its values.
///
/// A patch is (attribute, before, after). The attribute is written if its current value is the one that the edit saw;
/// otherwise the attribute's policy decides, and the value that is not kept goes into the conflict log.
package struct Merge<Target: MergeTarget> {
    var mutation: Mutation
    let schema: Schema
    private let functions: MergeFunctions
    let target: Target
    /// What the device sees of the rows; nil if it has their version.
    let view: VersionProjection?
    private let stamp: EditStamp
    /// The rows that the mutation has read: as they were, and as it leaves them.
    private(set) var before: [RowKey: [StoredValue]?] = [:]
    var after: [RowKey: [StoredValue]?] = [:]
    /// The rows in the order in which they were changed first.
    private(set) var order: [RowKey] = []
    /// The rows that have been merged into others.
    var aliases: [RowKey: RowKey] = [:]
    /// The attributes that edits of merged rows have written in the rows that took those in.
    var redirected: [RowKey: Set<Int>] = [:]
    /// How the rows of an offer were offered before.
    var offers: [RowKey: RowOffer] = [:]
    private var conflicts: [Conflict] = []
    /// What was offered, and does not fit.
    private var withdrawn: [Conflict] = []
    var isExact = true

    /// Prepares to carry out a mutation.
    ///
    /// - Parameters:
    ///   - mutation: The mutation, in the words of the schema.
    ///   - schema: The server's schema.
    ///   - functions: The functions that policies name.
    ///   - target: The server's rows.
    ///   - now: The server's time; a later edit counts as made now.
    ///   - view: What the device sees of the rows; nil if it has their version.
    package init(
        _ mutation: Mutation, schema: Schema, functions: MergeFunctions, target: Target, now: Int64,
        view: VersionProjection? = nil
    ) {
        self.mutation = mutation
        self.schema = schema
        self.functions = functions
        self.target = target
        self.view = view
        stamp = EditStamp(time: min(mutation.time, now), id: mutation.id)
    }

    /// The time that the mutation counts as.
    package var time: Int64 { stamp.time }

    /// Merges the mutation into the target.
    ///
    /// - Returns: Whether everything was carried out as it was sent.
    /// - Throws: `Rejection`, after which the caller rolls back to its savepoint.
    package mutating func carryOut() throws -> Verdict.Kind {
        try followAliases()
        try readOffers()
        while true {
            do {
                try mergeChanges()
                break
            } catch let misfit as OfferMisfit {
                withdraw(misfit)
            }
        }
        let writes = order.compactMap { key -> RowWrite? in
            let (old, new) = (before[key] ?? nil, after[key] ?? nil)
            return old == new ? nil : RowWrite(key, before: old, after: new)
        }
        try noteOffers()
        try target.write(writes)
        try forgetAliases(ofNew: writes)
        for (key, other) in aliases { try target.setAlias(of: key, to: other) }
        for conflict in withdrawn + conflicts { try target.log(conflict) }
        return isExact ? .accepted : .merged
    }

    private mutating func mergeChanges() throws {
        // Rows to delete go first, since one can hold a unique key that another is about to get. The rules for the rows that
        // refer to them come last: an update of the mutation can have led such a row elsewhere.
        for change in mutation.changes {
            if case .delete(let key, let values) = change { try delete(key, before: values) }
        }
        for change in mutation.changes {
            switch change {
            case .insert(let key, let values): try insert(key, values)
            case .update(let key, let edits): try update(key, edits)
            case .offer(let key, let row, let sequence): try offer(key, row, received: sequence)
            case .delete: break
            }
        }
        try applyDeleteRules()
        try resolveKeys()
    }

    /// Begins again without an offered row that the server's rows leave no room for.
    private mutating func withdraw(_ misfit: OfferMisfit) {
        if let lost = misfit.conflict(in: mutation, before[misfit.key] ?? nil) { withdrawn.append(lost) }
        mutation.changes.removeAll { $0.key == misfit.key }
        (before, after, order, aliases, conflicts) = ([:], [:], [], [:], [])
        redirected = redirected.mapValues { _ in [] }
        isExact = false
    }

    // MARK: Rows

    mutating func current(_ key: RowKey) throws -> [StoredValue]? {
        if let row = after[key] { return row }
        let row = try target.row(key)
        before[key] = .some(row)
        after[key] = .some(row)
        order.append(key)
        return row
    }

    func entity(_ key: RowKey) throws -> Entity {
        guard let entity = schema.entity(key.entity) else { throw Rejection(.value, key.entity) }
        return entity
    }

    private mutating func delete(_ key: RowKey, before values: [StoredValue?]) throws {
        guard let row = try current(key) else { return }
        // What somebody else has changed meanwhile vanishes with the row.
        let unseen = row.indices.dropFirst().filter { values[$0] != nil && values[$0] != row[$0] }
        if !unseen.isEmpty { lose(key, .deleted, unseen.map { ($0, row[$0], nil) }) }
        after[key] = .some(nil)
    }

    private mutating func insert(_ key: RowKey, _ values: [StoredValue]) throws {
        guard try current(key) != nil else {
            after[key] = values
            // An edit of a row that has become this one meets these values.
            redirected[key]?.formUnion(values.indices)
            return
        }
        for attribute in values.indices.dropFirst() {
            try set(key, AttributeEdit(attribute, before: nil, after: values[attribute]), isInsert: true)
        }
    }

    private mutating func update(_ key: RowKey, _ edits: [AttributeEdit]) throws {
        if try current(key) == nil {
            guard try entity(key).deletedRows == .resurrect, let row = try deletedRow(key) else {
                lose(key, .deleted, edits.map { ($0.attribute, $0.after, nil) })
                return
            }
            isExact = false
            after[key] = row
        }
        for edit in edits { try set(key, edit) }
    }

    /// The row as it was when it was deleted, if all of it is still known.
    private func deletedRow(_ key: RowKey) throws -> [StoredValue]? {
        let edits = try target.edits(of: key, after: mutation.cursor)
        guard let values = edits.last(where: \.isDeletion)?.before else { return nil }
        let known = values.compactMap { $0 }
        return known.count == values.count ? known : nil
    }

    /// Writes an edit of one attribute, unless another one wins.
    ///
    /// - Parameters:
    ///   - key: The row; nothing is done if there is none.
    ///   - edit: The edit.
    ///   - isInsert: Whether the value is that of a whole row, which has seen no other.
    /// - Throws: `Rejection` for an unknown attribute; as the target.
    mutating func set(_ key: RowKey, _ edit: AttributeEdit, isInsert: Bool = false) throws {
        guard var row = try current(key) else { return }
        let entity = try entity(key)
        guard entity.attributes.indices.contains(edit.attribute) else {
            throw Rejection(.value, key.entity)
        }
        // A whole row of an older version says nothing of what that lacks.
        guard view?.knows(edit.attribute, of: key.entity) != false else { return }
        let attribute = entity.attributes[edit.attribute]
        let (current, policy) = (row[edit.attribute], attribute.merge)
        // Of two rows that have become one, the mutation can edit both.
        let isTwice = redirected[key]?.insert(edit.attribute).inserted == false
        // Two counts that have become the same are two counts.
        if current == edit.after, policy != .counter || edit.before == nil { return }
        if isInsert || isTwice || edit.before != current {
            if let value = policy.value(current: current, edit: edit, of: attribute, functions) {
                if value != edit.after { isExact = false }
                if case .custom = policy {
                    let lost = [current, edit.after].filter { $0 != value && !$0.isNull }
                    log(key, .edited, lost.map { (edit.attribute, $0, value) })
                }
                row[edit.attribute] = value
                after[key] = row
                return
            }
            // A row that the mutation itself has inserted is no earlier one's, whatever became of that.
            let isOwn = isTwice && before[key] == .some(nil)
            let other =
                try isOwn
                ? nil
                : target.edits(of: key, after: mutation.cursor).last { $0.concerns(edit.attribute) }
            // An edit that is not kept any more is older: else the mutation would have been uncertain.
            if policy != .serverOrder, let other, other.stamp > stamp {
                lose(key, .edited, [(edit.attribute, edit.after, current)])
                return
            }
            // An edit that has seen everything has nobody to lose to. Where it names another value all the same, its device
            // has shown that of an earlier mutation, which was not carried out as sent.
            let isUnseen = isInsert || view?.shows(current, at: edit.attribute, of: key.entity) == false
            if try edit.before != nil || isUnseen || other != nil || target.isPruned(after: mutation.cursor) {
                log(key, .edited, [(edit.attribute, current, edit.after)])
            }
        }
        row[edit.attribute] = edit.after
        after[key] = row
    }

    // MARK: References

    /// Applies the delete rules to every row that refers to a row that is gone: rows of the mutation, and rows that its
    /// device did not know.
    private mutating func applyDeleteRules() throws {
        var gone = order.filter { isGone($0) }
        var arrived = order.filter { !isGone($0) }
        while true {
            while let key = gone.popLast() {
                for referrer in schema.referrers(of: try entity(key)) {
                    let position = try position(referrer.attribute.name, of: referrer.source)
                    let stored = try target.keys(
                        of: referrer.source, holding: [position: .uuid(key.id)])
                    let mine = order.filter { $0.entity == referrer.source.name && !stored.contains($0) }
                    for child in stored + mine {
                        guard let row = try current(child), row[position] == .uuid(key.id) else { continue }
                        if try part(child, row, position, from: referrer.rule) { gone.append(child) }
                    }
                }
            }
            guard let key = arrived.popLast() else { return }
            guard let row = after[key] ?? nil else { continue }
            let entity = try entity(key)
            for (position, attribute) in entity.attributes.enumerated() {
                guard let target = attribute.reference, case .uuid(let id) = row[position],
                    try current(RowKey(target, id)) == nil
                else { continue }
                // Its own rule is found when the row that it refers to counts as gone.
                gone.append(RowKey(target, id))
            }
        }
    }

    private func isGone(_ key: RowKey) -> Bool { (after[key] ?? nil) == nil && (before[key] ?? nil) != nil }

    /// Parts a row from one that is gone.
    ///
    /// - Returns: Whether the row is gone itself.
    private mutating func part(
        _ key: RowKey, _ row: [StoredValue], _ position: Int, from rule: DeleteRule
    ) throws -> Bool {
        let entity = try entity(key)
        switch rule {
        case .cascade:
            if !isSent(asDeleted: key) {
                lose(key, .parentDeleted, row.indices.dropFirst().map { ($0, row[$0], nil) })
            }
            after[key] = .some(nil)
            return true
        case .nullify where entity.attributes[position].isOptional:
            var parted = row
            parted[position] = .null
            after[key] = parted
            if !isSent(key, position, .null) {
                lose(key, .parentDeleted, [(position, row[position], .null)])
            }
            return false
        case .nullify, .deny, .noAction:
            if let misfit = misfit(key, row[position], entity.attributes[position].reference) { throw misfit }
            throw Rejection(.reference, key.entity, entity.attributes[position].name)
        }
    }

    private func isSent(asDeleted key: RowKey) -> Bool {
        mutation.changes.contains { if case .delete(key, _) = $0 { true } else { false } }
    }

    private func isSent(_ key: RowKey, _ position: Int, _ value: StoredValue) -> Bool {
        mutation.changes.contains { change in
            guard case .update(key, let edits) = change else { return false }
            return edits.contains { $0.attribute == position && $0.after == value }
        }
    }

    func position(_ attribute: String, of entity: Entity) throws -> Int {
        guard let position = entity.attributes.firstIndex(where: { $0.name == attribute }) else {
            throw Rejection(.value, entity.name, attribute)
        }
        return position
    }

    // MARK: The log

    /// Logs values of the mutation, or of a row that it takes along, that are not kept.
    mutating func lose(
        _ key: RowKey, _ reason: Conflict.Reason, _ values: [(Int, StoredValue, StoredValue?)]
    ) {
        isExact = false
        log(key, reason, values)
    }

    private mutating func log(
        _ key: RowKey, _ reason: Conflict.Reason, _ values: [(Int, StoredValue, StoredValue?)]
    ) {
        guard !values.isEmpty else { return }
        conflicts.append(
            Conflict(
                key, reason, mutation: mutation.id,
                values: values.map { Conflict.Value($0, losing: $1, winning: $2) }))
    }
}
