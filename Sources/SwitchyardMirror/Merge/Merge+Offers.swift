internal import SwitchyardCore

/// Rows that a restored server is offered.
extension Merge {
    /// Fills in what a restored server has lost, where nothing newer has touched it.
    mutating func offer(_ key: RowKey, _ row: [StoredValue]?, received sequence: Int64) throws {
        // The device compares with what the server has now, whatever becomes of the offer.
        isExact = false
        let newer = newerOffer(of: key, received: sequence)
        let edits = try target.edits(of: key, after: mutation.cursor)
        let isPruned = try target.isPruned(after: mutation.cursor)
        func isUntouched(_ attribute: Int?) -> Bool {
            !isPruned && newer?.covers(attribute) != true
                && edits.allSatisfy { edit in
                    let concerns = attribute.map { edit.concerns($0) } ?? true
                    return !concerns || edit.offered.map { $0 < sequence } ?? false
                }
        }
        switch (try current(key), row) {
        case (nil, nil): break
        case (nil, let row?): if isUntouched(nil) { after[key] = row }
        case (_?, nil): if isUntouched(nil) { after[key] = .some(nil) }
        case (var current?, let row?):
            for attribute in row.indices where current[attribute] != row[attribute] {
                let isShown = view?.shows(current[attribute], at: attribute, of: key.entity) != false
                if isShown, isUntouched(attribute) { current[attribute] = row[attribute] }
            }
            after[key] = current
        }
    }

    /// Reads how the rows of an offer were offered before.
    mutating func readOffers() throws {
        guard mutation.isOffer else { return }
        offers = try target.offers(of: mutation.changes.map(\.key))
    }

    /// How a row was offered as it was at a later time than another offer, since that has begun.
    private func newerOffer(of key: RowKey, received sequence: Int64) -> RowOffer? {
        offers[key].flatMap { $0.sequence > mutation.cursor && $0.received >= sequence ? $0 : nil }
    }

    /// Notes what of the offered rows the server has now, since what it had before is in no transaction.
    func noteOffers() throws {
        // The values of an earlier version can be others than those that its device has received.
        guard mutation.isOffer, view == nil else { return }
        var notes: [RowKey: RowOffer] = [:]
        let number = try target.nextSequence()
        for case .offer(let key, let row, let received) in mutation.changes
        where newerOffer(of: key, received: received) == nil {
            let current = after[key] ?? nil
            let kept = row.map { row in row.indices.filter { row[$0] == current?[$0] } }
            if kept?.isEmpty ?? (current != nil) { continue }
            notes[key] = RowOffer(received: received, sequence: number, attributes: kept)
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
