import Foundation
import SwitchyardCore
import SwitchyardMirror

/// A server of one household, which can be restored from a backup and pruned.
final class SimulatedServer: ServerStorage {
    /// A transaction of the history.
    struct Transaction {
        let position: HistoryPosition
        let mutation: Mutation
        let stamp: EditStamp
        var writes: [RowWrite] = []
        /// The rows afterwards.
        var rows = SimulatedRows()
    }

    /// What a backup holds.
    struct Disk {
        var rows = SimulatedRows()
        var history: [Transaction] = []
        /// The number of transactions that have been pruned.
        var pruned = 0
        var verdicts: [UUID: Verdict] = [:]
        /// Those on mutations with a time to come.
        var keptVerdicts: Set<UUID> = []
        var log: [Conflict] = []
        var aliases: [RowKey: RowKey] = [:]
        /// How rows were offered last.
        var offers: [RowKey: RowOffer] = [:]
        /// Who belongs to the household; nil if nobody asks.
        var household: SimulatedHousehold?
        /// The time of each device's last mutation, by a planted bug.
        var counters: [Int: Int64] = [:]
    }

    /// A device, as its token names it.
    struct Requester: Hashable {
        let identity: Int
        let token: Int?
    }

    var disk = Disk()
    var clock: Int64 = 0
    let schema: Schema
    let functions = SimulatedSchema.functions
    let bug: PlantedBug?
    private let oracle: Oracle
    private let transactionsPerPage: Int
    private var writes: [RowWrite] = []
    /// The mutations of the request that is being answered, as they have come, their device's disk, and who has sent them.
    private var request: (mutations: [Mutation], disk: SimulatedDisk, by: Requester)?
    /// The mutation that a verdict was asked for last.
    private var asked: UUID?
    /// Who belonged to the household before the last change, and when that was, by a planted bug.
    private var earlier: (household: SimulatedHousehold, until: Int64)?
    private var isMerging = false
    /// What it held before each of the last requests with mutations.
    private var recent: [Disk] = []

    init(bug: PlantedBug?, transactionsPerPage: Int, oracle: Oracle) {
        (self.bug, self.transactionsPerPage, self.oracle) = (bug, transactionsPerPage, oracle)
        schema = SimulatedSchema.schema(with: bug)
    }

    var now: Int64 { bug == .futureUncapped ? .max : clock }

    /// Answers a request.
    ///
    /// - Returns: Nil if a planted bug gives no answer.
    func answer(
        _ request: ExchangeRequest, from disk: SimulatedDisk, by requester: Requester
    ) throws -> ExchangeAnswer? {
        self.request = (request.mutations, disk, requester)
        defer { self.request = nil }
        if !request.mutations.isEmpty { recent = recent.suffix(3) + [self.disk] }
        guard bug != nil else { return try exchange(request) }
        if bug == .staleBatchesDropped, request.mutations.contains(where: { $0.cursor < head().sequence }) {
            return nil
        }
        let rows = self.disk.rows
        let repeated = request.mutations.filter { verdict(on: $0.id) != nil }
        let answer = try exchange(faulty(request))
        guard case .page(let page) = answer else { return answer }
        return .page(faulty(page, to: request, earlier: rows, repeated: repeated))
    }

    /// What a standby holds that lacks the last requests.
    func standby(behind count: Int) -> Disk { recent.dropLast(count).last ?? recent.first ?? disk }

    // MARK: The household

    /// What a token is worth; nil if nobody asks.
    func standing(of requester: Requester) -> SimulatedHousehold.Standing? {
        guard var household = disk.household else { return nil }
        switch bug {
        case .roleOfEarlierRead:
            if let earlier, clock - earlier.until < 40 { household = earlier.household }
        case .revokedDevicesStay: household.devices[requester.identity]?.isRevoked = false
        case .endsIgnored:
            for index in household.members.indices { household.members[index].ends = nil }
        default: break
        }
        let standing = household.standing(of: requester.token, identity: requester.identity, at: clock)
        return bug == .revokedForgotten && standing == .revoked ? .unknown : standing
    }

    /// Changes who belongs to the household, in one order with every upload.
    func setHousehold(_ household: SimulatedHousehold) {
        if let known = disk.household { earlier = (known, clock) }
        disk.household = household
    }

    var mayWrite: Bool {
        guard let request, case .member(let role)? = standing(of: request.by) else { return true }
        switch bug {
        case .readersWrite: return true
        case .readersOffersAccepted:
            return role.mayWrite || request.mutations.contains { $0.id == asked && $0.isOffer }
        default: return role.mayWrite
        }
    }

    // MARK: MergeTarget

    func row(_ key: RowKey) -> [StoredValue]? {
        if bug == .parentsUnchecked, isMerging, key.entity == "Baby", disk.rows[key] == nil {
            return [.uuid(key.id), .int(0), .int(0)]
        }
        return disk.rows[key]
    }

    func write(_ rows: [RowWrite]) throws {
        do {
            try disk.rows.write(rows)
            writes += rows
        } catch let error as StoreError {
            throw Rejection(error.code == .unique ? .unique : .reference, error.entity ?? "")
        }
    }

    func keys(of entity: Entity, holding values: [Int: StoredValue]) -> [RowKey] {
        let isReference =
            values.count == 1 && SimulatedSchema.reference[entity.name].map { values[$0] != nil } ?? false
        switch bug {
        case .keysUnseen where !isReference, .referencesStay where isReference,
            .deleteRulesUnrun where isReference:
            return []
        default: break
        }
        return disk.rows.rows.filter { key, row in
            key.entity == entity.name && values.allSatisfy { row[$0] == $1 }
        }.keys.sorted()
    }

    func alias(of key: RowKey) -> RowKey? { bug == .noAliases ? nil : disk.aliases[key] }
    func setAlias(of key: RowKey, to other: RowKey?) { disk.aliases[key] = other }

    func offers(of keys: some Collection<RowKey>) -> [RowKey: RowOffer] {
        if bug == .offersUnversioned { return [:] }
        let keys = Set(keys)
        return disk.offers.filter { keys.contains($0.key) }
    }

    func noteOffers(_ offers: [RowKey: RowOffer]) { disk.offers.merge(offers) { $1 } }
    func nextSequence() -> Int64 { head().sequence + 1 }

    func isPruned(after sequence: Int64) -> Bool { sequence < disk.pruned }

    func horizon() -> Int64 {
        bug == .horizonIgnored ? .min : disk.history.prefix(disk.pruned).map(\.stamp.time).max() ?? .min
    }

    func edits(of key: RowKey, after sequence: Int64) -> [RowEdit] {
        disk.history.dropFirst(max(Int(min(sequence, 1_000_000)), disk.pruned)).flatMap { transaction in
            transaction.writes.filter { $0.key == key }.map { write in
                RowEdit(
                    sequence: transaction.position.sequence, stamp: stamp(of: transaction),
                    attributes: write.changed, before: before(write), isDeletion: write.after == nil,
                    offered: offered(key, in: transaction.mutation))
            }
        }
    }

    /// The values before a write, of those that it has changed.
    private func before(_ write: RowWrite) -> [StoredValue?] {
        guard let before = write.before else { return [] }
        guard let changed = write.changed else { return deleted(write.key, before) }
        return before.indices.map { changed.contains($0) ? before[$0] : nil }
    }

    private func stamp(of transaction: Transaction) -> EditStamp {
        guard bug == .tiesByArrival else { return transaction.stamp }
        return EditStamp(time: transaction.stamp.time, id: Self.leastID)
    }

    private static let leastID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private func offered(_ key: RowKey, in mutation: Mutation) -> Int64? {
        for case .offer(key, _, let sequence) in mutation.changes {
            return bug == .offersUnversioned ? .min : sequence
        }
        return nil
    }

    /// The values of a deleted row.
    private func deleted(_ key: RowKey, _ row: [StoredValue]) -> [StoredValue] {
        guard bug == .resurrectedFromAnother else { return row }
        let other = disk.history.last { transaction in
            transaction.writes.contains { $0.key.entity == key.entity && $0.key != key && $0.before != nil }
        }?.writes.first { $0.key.entity == key.entity && $0.key != key && $0.before != nil }
        guard let values = other?.before else { return row }
        return [.uuid(key.id)] + values.dropFirst()
    }

    func log(_ conflict: Conflict) {
        let isOffer = request?.mutations.contains { $0.id == conflict.mutation && $0.isOffer } ?? false
        switch bug {
        case .noConflictLog: return
        case .offersUnlogged where isOffer: return
        case .losersSwapped:
            var swapped = conflict
            swapped.values = conflict.values.map { value in
                guard let winning = value.winning else { return value }
                return Conflict.Value(value.attribute, losing: winning, winning: value.losing)
            }
            disk.log.append(swapped)
        default: disk.log.append(conflict)
        }
    }

    // MARK: ServerStorage

    func head() -> HistoryPosition { disk.history.last?.position ?? .start }

    func position(_ sequence: Int64) -> HistoryPosition {
        sequence == 0 ? .start : disk.history[Int(sequence) - 1].position
    }

    /// Whether its history has a place, pruned or not.
    func has(_ place: HistoryPosition) -> Bool {
        place.sequence <= disk.history.count && position(place.sequence) == place
    }

    func presence(of position: HistoryPosition) -> PlacePresence {
        if bug == .bareCursor { return .present }
        guard position.sequence <= disk.history.count else { return .absent }
        if position.sequence < disk.pruned { return bug == .pruningUnseen ? .present : .pruned }
        return bug == .noDigest || has(position) ? .present : .absent
    }

    func verdict(on mutation: UUID) -> Verdict? {
        asked = mutation
        if bug == .noDeduplication { return nil }
        if bug == .countersForIDs { return countedVerdict(mutation) }
        if let verdict = disk.verdicts[mutation] { return verdict }
        let isCarriedOut = disk.history.dropFirst(disk.pruned).contains { $0.mutation.id == mutation }
        return isCarriedOut ? Verdict(id: mutation, kind: .merged) : nil
    }

    private func countedVerdict(_ id: UUID) -> Verdict? {
        guard let request, let mutation = request.mutations.first(where: { $0.id == id }), !mutation.isOffer,
            let last = disk.counters[request.disk.content.identity], mutation.time <= last
        else { return nil }
        return Verdict(id: id, kind: .merged)
    }

    func keep(_ verdict: Verdict, on mutation: Mutation) throws {
        disk.verdicts[mutation.id] = verdict
        if mutation.time > clock { disk.keptVerdicts.insert(mutation.id) }
        guard let request, let sent = request.mutations.first(where: { $0.id == mutation.id }) else { return }
        if bug == .countersForIDs { disk.counters[request.disk.content.identity] = mutation.time }
        try oracle.observe(verdict, on: sent, by: request.by, self)
    }

    /// Only what was rejected is forgotten; the others tell later merges when the edit was made.
    func forgetVerdicts(on mutations: [UUID]) {
        for id in mutations where disk.verdicts[id]?.kind == .rejected && !disk.keptVerdicts.contains(id) {
            disk.verdicts[id] = nil
        }
    }

    func transaction<Result>(
        _ mutation: Mutation, time: Int64, _ body: () throws -> Result
    ) throws -> Result {
        let backup = disk
        writes = []
        isMerging = true
        defer { isMerging = false }
        do {
            let result = try body()
            guard !writes.isEmpty else { return result }
            let sent = request?.mutations.first { $0.id == mutation.id } ?? mutation
            let transaction = Transaction(
                position: head().next(mutation.id), mutation: sent,
                stamp: EditStamp(time: time, id: mutation.id), writes: writes, rows: disk.rows)
            disk.history.append(transaction)
            if let request { try oracle.requireRight(request.by, at: clock) }
            try oracle.observe(
                transaction, before: backup.rows, conflicts: Array(disk.log.dropFirst(backup.log.count)), self
            )
            return result
        } catch let rejection as Rejection {
            disk = backup
            throw rejection
        }
    }

    /// The devices' copies of the log decide nothing, so that only the server's is kept here.
    func conflicts(after sequence: Int64, upTo end: Int64) -> [LoggedConflict] { [] }

    func rows(after key: RowKey?) -> (rows: [[StoredValue]], keys: [RowKey], hasMore: Bool) {
        let keys = disk.rows.rows.keys.filter { candidate in key.map { $0 < candidate } ?? true }.sorted()
        let page = Array(keys.prefix(3))
        return (page.compactMap { disk.rows[$0] }, page, keys.count > page.count)
    }

    func prefetch(_ keys: some Collection<RowKey>) {}

    func places() -> [HistoryPosition] {
        bug == .noPlaces ? [] : (disk.pruned...disk.history.count).map { position(Int64($0)) }
    }

    func isFarBehind(_ position: HistoryPosition) -> Bool {
        disk.history.count - Int(position.sequence) > 3 * disk.rows.rows.count
    }

    func changes(after position: HistoryPosition) -> ServerChanges {
        var changes = ServerChanges(after: position)
        let first = max(Int(position.sequence), disk.pruned)
        for transaction in disk.history.dropFirst(first).prefix(transactionsPerPage) {
            changes.add(transaction.mutation.id, at: transaction.position)
            for write in transaction.writes {
                if bug == .deletionsUntold, disk.rows[write.key] == nil { continue }
                changes.add(write.key, write.changed)
            }
        }
        return changes
    }

    // MARK: Mistakes of the exchange

    private func faulty(_ request: ExchangeRequest) -> ExchangeRequest {
        var request = request
        switch bug {
        case .seenIsIgnored: request.seen = nil
        case .valuesBeforeIgnored:
            request.mutations = request.mutations.map { mutation in
                var mutation = mutation
                mutation.changes = mutation.changes.map { change in
                    guard case .update(let key, let edits) = change else { return change }
                    return .update(
                        key, edits.map { AttributeEdit($0.attribute, before: nil, after: $0.after) })
                }
                return mutation
            }
        case .insertsOfConflictsDropped:
            request.mutations = request.mutations.map { mutation in
                guard mutation.changes.contains(where: meetsConflict) else { return mutation }
                var mutation = mutation
                mutation.changes.removeAll { if case .insert = $0 { true } else { false } }
                return mutation
            }
        default: break
        }
        return request
    }

    private func meetsConflict(_ change: MutationChange) -> Bool {
        guard case .update(let key, let edits) = change, let row = disk.rows[key] else { return false }
        return edits.contains { $0.before != row[$0.attribute] }
    }

    private func faulty(
        _ page: ExchangePage, to request: ExchangeRequest, earlier: SimulatedRows, repeated: [Mutation]
    ) -> ExchangePage {
        var page = page
        switch bug {
        case .verdictsWithoutRows, .repeatsWithoutRows:
            let changed = changes(after: request.cursor).rows
            let hidden = bug == .verdictsWithoutRows ? request.mutations : repeated
            let keys = Set(hidden.flatMap { $0.changes.map(\.key) })
            page.rows.removeAll { keys.contains($0.key) && changed[$0.key] == nil }
        case .rowsOfEarlierRead: page.rows = page.rows.map { RowPatch($0.key, earlier[$0.key]) }
        case .verdictsOnce: page.verdicts.removeAll { verdict in repeated.contains { $0.id == verdict.id } }
        case .rejectionBlocks: page.verdicts = Array(page.verdicts.prefix { $0.kind != .rejected })
        default: break
        }
        return page
    }
}

extension RowWrite {
    /// The positions of the attributes that differ; nil for an insert or a delete.
    var changed: [Int]? {
        guard let before, let after else { return nil }
        return before.indices.filter { before[$0] != after[$0] }
    }
}
