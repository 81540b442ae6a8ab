package import Foundation
package import SwitchyardCore

/// What has come of applying the staged pages.
package enum ApplyResult: Sendable, Hashable {
    case applied
    /// A row does not fit beside a pending one; it may once that has a verdict.
    case doesNotFit
    /// Another process has exchanged meanwhile.
    case outdated
    /// The server tells of a part of a row that this device should have and has lost: only all rows bring it back.
    case incomplete
}

extension DeviceStorage {
    /// Applies the staged pages and the last one in one transaction: verdicts, rows and the cursor.
    ///
    /// Pending changes stay on top.
    ///
    /// - Parameters:
    ///   - stage: What is staged; nil if nothing is.
    ///   - page: The last page.
    ///   - cursor: The cursor that the exchange began with.
    /// - Returns: Whether they were applied; otherwise nothing was changed but what is pending.
    /// - Throws: As the storage; what was done is then rolled back with its transaction.
    package func apply(
        _ stage: Stage?, _ page: ExchangePage, from cursor: HistoryPosition?
    ) throws -> ApplyResult {
        guard try self.cursor() == cursor, try stage == nil || self.stage() == stage else { return .outdated }
        try seal()
        let pending = try pending()
        let arrival = Arrival(stage, page, pending: pending)
        // What the pending edits have seen may be what a restored server has lost: nobody can tell once it is pruned. An offer
        // begins where the server has been found to be the same.
        if arrival.isWhole { try setCursors { $0.isOffer ? $0.cursor : 0 } }
        // Row by row as they came, which takes no memory; a row can have the key of one that comes with a later page.
        do {
            let fits =
                try attempt { try writeInOrder(arrival) }
                || (stage != nil && attempt { try writeTogether(arrival) })
            guard fits else { return .doesNotFit }
        } catch is MissingRow { return .incomplete }
        // An offer, which the server does not take from a reader, is no write that anybody could decide on.
        for mutation in pending where !mutation.isOffer {
            if let reason = arrival.verdicts[mutation.id]?.reason { try quarantine(mutation.id, reason) }
        }
        if !arrival.verdicts.isEmpty {
            try remove(Array(arrival.verdicts.keys))
            try removeBases(except: Set(arrival.overlays.keys))
        }
        try forEachPage(of: arrival) { page, _ in
            try note(page.conflicts)
            try noteInserters(of: page.rows)
        }
        if stage != nil { try clearStages() }
        // Places of a time line that the server has lost can have greater numbers.
        if arrival.isWhole { try cutTrail(after: page.upTo.sequence) }
        try extendTrail((stage?.places ?? []) + page.places)
        try setCursor(page.upTo)
        return .applied
    }

    private func forEachPage(
        of arrival: Arrival, _ body: (StagedPage, _ isLast: Bool) throws -> Void
    ) throws {
        if arrival.isStaged { try forEachStagedPage { try body($0, false) } }
        try body(StagedPage(arrival.page), true)
    }

    private func writeInOrder(_ arrival: Arrival) throws {
        let others = try others(than: arrival)
        if let others, !others.rows.isEmpty { try write(others.rows, arrival) }
        try forEachPage(of: arrival) { page, isLast in
            try write(
                page.rows, arrival, areNew: page.isOfAllRows && others?.areAll ?? false, areLast: isLast)
        }
        try noteReceived(others?.rows, arrival)
    }

    /// Notes the rows that the server has told of, those that are gone, too.
    private func noteReceived(_ others: [RowPatch]?, _ arrival: Arrival) throws {
        let sequence = arrival.page.upTo.sequence
        if let others {
            try noteReceived(nil, upTo: sequence)
            try noteReceived(others.map(\.key), upTo: sequence)
        }
        try forEachPage(of: arrival) { page, _ in
            if !page.isOfAllRows { try noteReceived(page.rows.map(\.key), upTo: sequence) }
        }
    }

    private func writeTogether(_ arrival: Arrival) throws {
        let others = try others(than: arrival)
        var rows = Dictionary(uniqueKeysWithValues: (others?.rows ?? []).map { ($0.key, $0) })
        try forEachPage(of: arrival) { page, _ in
            for row in page.rows { rows[row.key] = row.over(rows[row.key]) }
        }
        try write(rows.values.sorted { $0.key < $1.key }, arrival)
        try noteReceived(others?.rows, arrival)
    }

    /// If the pages are all rows that the server has: those that are here and not in the pages, which are to go; and whether
    /// there are no others here.
    private func others(than arrival: Arrival) throws -> (rows: [RowPatch], areAll: Bool)? {
        guard arrival.isWhole else { return nil }
        let known = Set(try keys()).union(arrival.pendingKeys)
        var others = known
        if !known.isEmpty {
            try forEachPage(of: arrival) { page, _ in for row in page.rows { others.remove(row.key) } }
        }
        return (others.sorted().map { RowPatch($0, nil) }, others.count == known.count)
    }

    /// Writes rows of the server with the pending changes on top.
    private func write(
        _ patches: [RowPatch], _ arrival: Arrival, areNew: Bool = false, areLast: Bool = true
    ) throws {
        let local = areNew ? [:] : try rows(patches.map(\.key))
        // Only a row with pending changes has another one beneath it.
        var bases = try bases(patches.map(\.key).filter(arrival.pendingKeys.contains))
        var writes: [RowWrite] = []
        for patch in patches {
            let key = patch.key
            let beneath = bases[key] ?? local[key]
            // A row that was inserted again after an earlier page was read comes whole with a later one.
            if beneath == nil, patch.isPart, !areLast { continue }
            if beneath == nil, patch.isPart, !arrival.isWhole { throw MissingRow() }
            // A row that is here keeps what is the device's own.
            let shared = beneath == nil ? nil : schema.entity(key.entity)?.shared(patch)
            let server = try (shared ?? patch).applied(to: beneath)
            let pending = arrival.overlays[key] ?? []
            // Without pending changes it is of use to a later page at most.
            if !pending.isEmpty || arrival.isStaged && bases[key] != nil {
                bases[key] = .some(server)
            } else {
                bases[key] = nil
            }
            let row = pending.reduce(server) { $1.overlay(on: $0) }
            if row != local[key] { writes.append(RowWrite(key, before: local[key], after: row)) }
        }
        try setBases(bases)
        if !writes.isEmpty { try write(writes) }
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
        let lacksDeletions = try hasReceivedAll(after: common.sequence)
        let (rows, bases) = (try rows(received.keys), try bases(received.keys))
        let changes = received.sorted { $0.key < $1.key }.map { key, sequence in
            // What the server told, without what is pending.
            MutationChange.offer(key, bases[key] ?? rows[key], received: sequence)
        }
        // What they have seen after that place, the server has lost.
        try setCursors { min($0.cursor, common.sequence) }
        if !changes.isEmpty {
            try putFirst(Mutation(id: id, time: 0, cursor: common.sequence, changes: changes))
        }
        try cutTrail(after: common.sequence)
        try setCursor(common)
        // The server may have rows that were deleted before this device received what was left.
        if lacksDeletions { try forgetCursor() }
    }
}

/// A row of which the server sends a part is not there.
private struct MissingRow: Error {}

/// What an exchange has brought, and what is pending beside it.
private struct Arrival {
    let page: ExchangePage
    let isStaged: Bool
    /// Whether the pages are all rows that the server has.
    let isWhole: Bool
    let verdicts: [UUID: Verdict]
    /// The rows that mutations change which had no verdict before.
    let pendingKeys: Set<RowKey>
    /// The changes that still have no verdict, by row.
    let overlays: [RowKey: [MutationChange]]

    init(_ stage: Stage?, _ page: ExchangePage, pending: [Mutation]) {
        self.page = page
        (isStaged, isWhole) = (stage != nil, stage?.isWhole ?? false)
        let verdicts = (stage?.verdicts ?? []) + page.verdicts
        self.verdicts = Dictionary(verdicts.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        pendingKeys = Set(pending.flatMap { $0.changes.map(\.key) })
        var overlays: [RowKey: [MutationChange]] = [:]
        for mutation in pending where self.verdicts[mutation.id] == nil && !mutation.isOffer {
            for change in mutation.changes { overlays[change.key, default: []].append(change) }
        }
        self.overlays = overlays
    }
}

extension RowPatch {
    /// The patch with what an earlier one has of the values that it leaves out.
    fileprivate func over(_ earlier: RowPatch?) -> RowPatch {
        guard let values, let known = earlier?.values else { return self }
        return RowPatch(
            key, values.enumerated().map { $1 ?? known[$0] }, inserter: inserter ?? earlier?.inserter)
    }
}
