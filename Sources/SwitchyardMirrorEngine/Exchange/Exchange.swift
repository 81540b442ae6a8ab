package import Foundation
package import SwitchyardCore

/// What a device asks of the server: it uploads mutations, and gets their verdicts and the rows that have changed.
package struct ExchangeRequest: Sendable, Hashable {
    /// The place in the server's history from which the device wants the changes.
    package var cursor: HistoryPosition
    /// The head of the server when it sent the pages before this one; nil for the first.
    package var seen: HistoryPosition?
    /// Some of the places that the device has been at, ascending, in which a server that has lost commits finds a common one.
    package var trail: [HistoryPosition]
    /// The oldest mutations without a verdict, in order.
    package var mutations: [Mutation]
    /// The mutations whose verdicts the device has stored, so that the server need not keep them.
    package var stored: [UUID]
    /// The schema that the device had when it was at the cursor, if it has another one now: it may have received only a part.
    package var earlier: SchemaIdentity?

    /// Creates a request.
    package init(
        cursor: HistoryPosition, seen: HistoryPosition? = nil, trail: [HistoryPosition] = [],
        mutations: [Mutation] = [], stored: [UUID] = [], earlier: SchemaIdentity? = nil
    ) {
        self.earlier = earlier
        self.cursor = cursor
        self.seen = seen
        self.trail = trail
        self.mutations = mutations
        self.stored = stored
    }
}

/// What a device that cannot go on from its cursor asks for: all rows, in the order of their keys.
package struct RowsRequest: Sendable, Hashable {
    /// The last row of the page before; nil for the first page.
    package var after: RowKey?
    /// The head of the server when it sent the page before; nil for the first.
    package var seen: HistoryPosition?

    package init(after: RowKey?, seen: HistoryPosition?) {
        self.after = after
        self.seen = seen
    }
}

/// A page of all rows.
package struct RowsPage: Sendable, Hashable {
    package var rows: [RowPatch]
    /// The row after which the next page begins; nil after the last.
    package var next: RowKey?
    /// The end of the server's history when the page was read.
    package var head: HistoryPosition
    /// With the first page, places in the history that the rows have all of, ascending, the more of them the later they are.
    package var places: [HistoryPosition]

    package init(rows: [RowPatch], next: RowKey?, head: HistoryPosition, places: [HistoryPosition] = []) {
        (self.rows, self.next, self.head, self.places) = (rows, next, head, places)
    }
}

/// What the server answers.
package enum ExchangeAnswer: Sendable, Hashable {
    case page(ExchangePage)
    case rows(RowsPage)
    /// The server does not have the head of earlier pages any more: they are dropped, and asked for again.
    case restart
    /// The server has lost commits that the device has; the last of the places that it was told and has, nil if it has none.
    case ahead(common: HistoryPosition?)
    /// The changes since the cursor are not kept any more, or are more than all rows: the device takes those.
    case beginAgain
}

/// One page of an exchange.
package struct ExchangePage: Sendable, Hashable {
    package var verdicts: [Verdict]
    /// The cursor of the request.
    package var from: HistoryPosition
    /// The place up to which the page has the changes.
    package var upTo: HistoryPosition
    /// The ids of the transactions in between, by which a device knows each place on its way.
    package var steps: [UUID]
    /// The current state of the rows that have changed in between, or that a verdict concerns.
    package var rows: [RowPatch]
    /// What was logged in between.
    package var conflicts: [LoggedConflict]
    /// The end of the server's history when the page was read.
    package var head: HistoryPosition
    /// How many changed rows one page tells of, and how many bytes they take; a transaction that has changed more is told with
    /// all rows.
    package static let mostRows = 50_000
    package static let mostBytes = MutationParts.most * MutationParts.bytesPerPart
    /// Whether there are changes after `upTo`.
    package var hasMore: Bool { upTo != head }

    package init(
        verdicts: [Verdict], from: HistoryPosition, upTo: HistoryPosition, steps: [UUID], rows: [RowPatch],
        conflicts: [LoggedConflict], head: HistoryPosition
    ) {
        (self.verdicts, self.from, self.upTo, self.steps) = (verdicts, from, upTo, steps)
        (self.rows, self.conflicts, self.head) = (rows, conflicts, head)
    }
}

/// The server's side of an exchange, in one transaction of one scope.
package protocol ServerStorage: MergeTarget {
    var schema: Schema { get }
    /// The functions that policies name.
    var functions: MergeFunctions { get }
    /// What the device had seen of the rows when it made a mutation; nil if it had their version.
    func view(of mutation: Mutation) -> VersionProjection?
    /// The server's time in microseconds since 1970.
    var now: Int64 { get }
    /// Whether the device's mutations are carried out; those of a reader are not.
    var mayWrite: Bool { get }

    /// The end of the history.
    func head() throws -> HistoryPosition
    /// Whether the history has, or had, the transaction of a place.
    func presence(of position: HistoryPosition) throws -> PlacePresence
    /// The verdict on a mutation; nil before it has one.
    func verdict(on mutation: UUID) throws -> Verdict?
    /// Keeps a verdict until the device has stored it; one on a mutation with a time to come, for good: its time cannot tell
    /// whether it was made before the history that is kept.
    func keep(_ verdict: Verdict, on mutation: Mutation) throws
    func forgetVerdicts(on mutations: [UUID]) throws
    /// Runs the body as a transaction of the history; if it throws, nothing of it is kept.
    func transaction<Result>(
        _ mutation: Mutation, time: Int64, _ body: () throws -> Result
    ) throws -> Result
    /// The rows that the transactions after a place have changed: whole transactions, at most as many as fit into a page.
    func changes(after position: HistoryPosition) throws -> ServerChanges
    /// Some places in the history that is kept, ascending, the more of them the later they are.
    func places() throws -> [HistoryPosition]
    /// Whether so much has changed since a place that all rows are less.
    func isFarBehind(_ position: HistoryPosition) throws -> Bool
    /// Reads rows that are about to be asked for.
    func prefetch(_ keys: some Collection<RowKey>) throws
    /// What was logged with the transactions after a place up to another, and since this transaction began.
    func conflicts(after sequence: Int64, upTo end: Int64) throws -> [LoggedConflict]
    /// The rows after a key, in the order of their keys, as many as fit into a page; and whether there are more.
    func rows(after key: RowKey?) throws -> (rows: [[StoredValue]], keys: [RowKey], hasMore: Bool)
}

/// Whether a place is in a history.
package enum PlacePresence: Sendable, Hashable {
    case present
    /// Transactions after it are not kept any more.
    case pruned
    /// It is from a time line that the server has lost.
    case absent
}

/// Rows that some transactions have changed.
package struct ServerChanges: Sendable, Hashable {
    /// The changed attributes of each row; nil for all of them.
    package private(set) var rows: [RowKey: Set<Int>?] = [:]
    /// The ids of the transactions, in order.
    package private(set) var steps: [UUID] = []
    /// The place of the last of them.
    package private(set) var upTo: HistoryPosition
    /// The devices that have inserted rows.
    package var inserters: [RowKey: UUID] = [:]
    /// Whether the next transaction alone has changed more than a page may be.
    package var isTooLarge = false

    package init(after position: HistoryPosition) { upTo = position }

    /// Adds the next transaction, whose changes follow.
    package mutating func add(_ transaction: UUID, at place: HistoryPosition) {
        steps.append(transaction)
        upTo = place
    }

    /// Adds a change of a row: the positions of its attributes, or nil for all of them.
    package mutating func add(_ key: RowKey, _ attributes: [Int]?) {
        switch (rows[key], attributes) {
        case (.some(nil), _): break
        case (_, nil): rows[key] = .some(nil)
        case (nil, let attributes?): rows[key] = .some(Set(attributes))
        case (.some(let known?), let attributes?): rows[key] = .some(known.union(attributes))
        }
    }
}

extension ServerStorage {
    package func view(of mutation: Mutation) -> VersionProjection? { nil }
    package var mayWrite: Bool { true }

    /// Carries out the mutations of a request and answers it.
    ///
    /// - Throws: What the storage throws, but no `Rejection`: a rejected mutation does not hold up the next.
    package func exchange(_ request: ExchangeRequest) throws -> ExchangeAnswer {
        switch try presence(of: request.cursor) {
        case .present: break
        case .pruned: return .beginAgain
        case .absent:
            return .ahead(common: try common(of: request.trail))
        }
        if let seen = request.seen {
            if try presence(of: seen) == .absent { return .restart }
        } else if try request.earlier != nil || isFarBehind(request.cursor) {
            return .beginAgain
        }
        try forgetVerdicts(on: request.stored)
        var verdicts: [Verdict] = []
        var settled: Set<RowKey> = []
        for mutation in request.mutations {
            let (verdict, isNew) = try carryOut(mutation)
            verdicts.append(verdict)
            // The device shows its edits until now. Unless they are what the server has, it needs the rows.
            if verdict.kind != .accepted || !isNew { settled.formUnion(mutation.changes.map(\.key)) }
        }
        let changes = try changes(after: request.cursor)
        // One transaction can have changed more than a page may be; all rows come in pages of any size. The verdicts are given
        // again then.
        if changes.isTooLarge || changes.rows.count > ExchangePage.mostRows { return .beginAgain }
        let keys = Set(changes.rows.keys).union(settled)
        try prefetch(keys)
        let rows = try keys.sorted().map { key in
            let row = try row(key)
            guard let attributes = changes.rows[key] ?? nil, !settled.contains(key) else {
                return RowPatch(key, row, inserter: row.flatMap { _ in changes.inserters[key] })
            }
            return RowPatch(key, row?.enumerated().map { $0 == 0 || attributes.contains($0) ? $1 : nil })
        }
        return .page(
            ExchangePage(
                verdicts: verdicts, from: request.cursor, upTo: changes.upTo, steps: changes.steps,
                rows: rows,
                conflicts: try conflicts(after: request.cursor.sequence, upTo: changes.upTo.sequence),
                head: try head()))
    }

    /// Answers with a page of all rows.
    package func answer(_ request: RowsRequest) throws -> ExchangeAnswer {
        if let seen = request.seen, try presence(of: seen) == .absent { return .restart }
        let page = try rows(after: request.after)
        let rows = zip(page.keys, page.rows).map { RowPatch($0, $1) }
        return .rows(
            RowsPage(
                rows: rows, next: page.hasMore ? page.keys.last : nil, head: try head(),
                places: request.after == nil ? try places() : []))
    }

    /// The last place that a device and this server have in common; nil if so much is pruned that none can be told.
    ///
    /// At the least that is the beginning: a server that has lost everything is no reason for a device to drop its rows.
    private func common(of trail: [HistoryPosition]) throws -> HistoryPosition? {
        try (CollectionOfOne(.start) + trail).last { try presence(of: $0) == .present }
    }

    private func carryOut(_ mutation: Mutation) throws -> (Verdict, isNew: Bool) {
        if let verdict = try verdict(on: mutation.id) { return (verdict, false) }
        var merge = Merge(
            mutation, schema: schema, functions: functions, target: self, now: now,
            view: view(of: mutation))
        var verdict: Verdict
        do {
            guard mayWrite else { throw Rejection(.role, mutation.changes.first?.key.entity ?? "") }
            try requireCertain(mutation, time: merge.time)
            let kind = try transaction(mutation, time: merge.time) { try merge.carryOut() }
            verdict = Verdict(id: mutation.id, kind: kind)
        } catch let rejection as Rejection {
            verdict = Verdict(id: mutation.id, kind: .rejected, reason: rejection)
        }
        try keep(verdict, on: mutation)
        return (verdict, true)
    }

    /// Rejects a mutation that a pruned transaction may have carried out before.
    ///
    /// A device that was restored from an old backup sends it again.
    private func requireCertain(_ mutation: Mutation, time: Int64) throws {
        guard try !mutation.isOffer && isPruned(after: mutation.cursor) && time <= horizon() else { return }
        throw Rejection(.uncertain, mutation.changes.first?.key.entity ?? "")
    }
}
