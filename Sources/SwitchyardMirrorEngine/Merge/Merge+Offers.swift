internal import SwitchyardCore

/// Rows that a restored server is offered.
extension Merge {
    /// Fills in what a restored server has lost, where nothing newer has touched it.
    ///
    /// What is not filled in goes into the log, unless what is newer has seen it.
    mutating func offer(_ key: RowKey, _ row: [StoredValue]?, received sequence: Int64) throws {
        // The device compares with what the server has now, whatever becomes of the offer.
        isExact = false
        if isOffered(key, since: sequence) { return }
        let edits = try target.edits(of: key, after: mutation.cursor)
        let isPruned = try target.isPruned(after: mutation.cursor)
        func isUntouched(_ attribute: Int?) -> Bool {
            !isPruned
                && edits.allSatisfy { edit in
                    let concerns = attribute.map { edit.concerns($0) } ?? true
                    return !concerns || edit.offered.map { $0 < sequence } ?? false
                }
        }
        switch (try current(key), row) {
        case (nil, nil): break
        case (nil, let row?):
            if isUntouched(nil) {
                after[key] = row
            } else {
                lose(
                    key, .deleted,
                    row.indices.dropFirst().filter { !edits.haveSeen(row[$0], at: $0) }
                        .map { ($0, row[$0], nil) })
            }
        case (_?, nil): if isUntouched(nil) { after[key] = .some(nil) }
        case (var current?, let row?):
            var lost: [(Int, StoredValue, StoredValue?)] = []
            for attribute in row.indices where current[attribute] != row[attribute] {
                guard view?.shows(current[attribute], at: attribute, of: key.entity) != false else {
                    continue
                }
                if isUntouched(attribute) {
                    current[attribute] = row[attribute]
                } else if !edits.haveSeen(row[attribute], at: attribute) {
                    lost.append((attribute, row[attribute], current[attribute]))
                }
            }
            after[key] = current
            lose(key, .edited, lost)
        }
    }

    /// Reads how the rows of an offer were offered before.
    mutating func readOffers() throws {
        guard mutation.isOffer else { return }
        offers = try target.offers(of: mutation.changes.map(\.key))
    }

    /// Whether a row was offered as it was at a later time than another offer, since that has begun.
    private func isOffered(_ key: RowKey, since sequence: Int64) -> Bool {
        offers[key].map { $0.sequence > mutation.cursor && $0.received >= sequence } ?? false
    }

    /// Notes what of the offered rows the server has now, since what it had before is in no transaction.
    func noteOffers() throws {
        // The values of an earlier version can be others than those that its device has received.
        guard mutation.isOffer, view == nil else { return }
        var notes: [RowKey: RowOffer] = [:]
        let number = try target.nextSequence()
        for case .offer(let key, let row, let received) in mutation.changes
        where !isOffered(key, since: received) {
            // A row that stays, though it was offered as gone, can have values of an earlier offer.
            if row == nil, after[key] ?? nil != nil { continue }
            notes[key] = RowOffer(received: received, sequence: number)
        }
        try target.noteOffers(notes)
    }

    func isOffered(_ key: RowKey) -> Bool {
        mutation.changes.contains { if case .offer(key, _, _) = $0 { true } else { false } }
    }

    /// The offered row that is in the way of a row whose reference leads nowhere; nil if none is.
    func misfit(_ child: RowKey, _ reference: StoredValue, _ entity: String?) -> OfferMisfit? {
        let deleted = mutation.changes.compactMap { change -> RowKey? in
            if case .offer(let key, nil, _) = change { key } else { nil }
        }
        let parent = deleted.first { $0.entity == entity && .uuid($0.id) == reference }
        // A delete rule can have come from a row further away.
        return (parent ?? (isOffered(child) ? child : deleted.first)).map {
            OfferMisfit(key: $0, reason: .parentDeleted)
        }
    }
}

extension [RowEdit] {
    /// Whether one of the edits has replaced a value.
    fileprivate func haveSeen(_ value: StoredValue, at attribute: Int) -> Bool {
        contains { attribute < $0.before.count && $0.before[attribute] == value }
    }
}

/// An offered row that does not fit beside what the server has got since.
///
/// The others are carried out without it, since each of them may be all that is left of a row.
struct OfferMisfit: Error {
    let key: RowKey
    let reason: Conflict.Reason

    /// The entry of the log for what the server does not get back.
    func conflict(in offer: Mutation, _ current: [StoredValue]?) -> Conflict? {
        for case .offer(key, let row?, _) in offer.changes {
            let lost = row.indices.dropFirst().filter { row[$0] != current?[$0] }
            return Conflict(
                key, reason, mutation: offer.id,
                values: lost.map { Conflict.Value($0, losing: row[$0], winning: current?[$0]) })
        }
        return nil
    }
}
