import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What a device keeps when it is killed.
///
/// Two processes can share one.
final class SimulatedDisk {
    struct Content {
        /// The identity of the file, which a copy has as well.
        var identity: Int
        /// The number of the token by which the file belongs to the household; nil outside.
        var token: Int?
        var rows = SimulatedRows()
        var cursor: HistoryPosition?
        var unsealed: [LocalTransaction] = []
        var outbox: [Mutation] = []
        var quarantine: [UUID: Rejection] = [:]
        var bases: [RowKey: [StoredValue]?] = [:]
        var trail: [HistoryPosition] = []
        /// The rows that came with each exchange; nil for all that there were.
        var received: [(keys: [RowKey]?, sequence: Int64)] = []
        /// The stages of the processes, with their pages.
        var stages: [Int: (stage: Stage, pages: [StagedPage])] = [:]
        /// The time of the last edit, which no later one falls behind.
        var clock: Int64 = .min
        /// The process that alone can apply pages, by a planted bug.
        var gate: [Int]?

        /// The ids of the edits without a verdict, the oldest first.
        var undecided: [UUID] { outbox.filter { !$0.isOffer }.map(\.id) + unsealed.map(\.id) }
    }

    var content: Content

    init(identity: Int) { content = Content(identity: identity, token: identity) }
    init(copying content: Content) { self.content = content }
}

extension MirrorEngine.Effect {
    /// Whether it is carried out in the file of a member alone.
    fileprivate var needsMembership: Bool {
        switch self {
        case .prepare, .stage, .apply, .offer: true
        case .clearStage, .send, .sendRows, .wake, .endMembership: false
        }
    }
}

/// A process with a device's disk: its engine, and what it loses when it is killed.
final class SimulatedDevice: DeviceStorage {
    let disk: SimulatedDisk
    let bug: PlantedBug?
    let index: Int
    let schema = SimulatedSchema.schema
    var engine: MirrorEngine
    private let patience: MirrorEngine.Patience
    /// What the device's clock is ahead of the true time.
    var skew: Int64
    /// The distance between two times that its clock can tell apart.
    let resolution: Int64
    var link = Link.open
    /// When the engine wants to be woken; nil for never.
    var wakesAt: Int64?
    /// The token that the process has found in the file when it began; nil if there was none, and so there is nothing to do.
    private(set) var token: Int?
    /// Counts the processes that have run as this one.
    private(set) var process = 0
    /// The mutations of the last request.
    private(set) var lastSent: [UUID] = []
    /// The number of mutations that were sent and have no verdict, by a planted bug.
    private var sentCount = 0
    private var makesOffer = false
    private var applies = false

    /// What a network lets through.
    enum Link { case open, halfOpen, closed }

    init(
        disk: SimulatedDisk, index: Int, skew: Int64, resolution: Int64, patience: MirrorEngine.Patience,
        bug: PlantedBug?
    ) {
        (self.disk, self.index, self.skew, self.resolution) = (disk, index, skew, resolution)
        (self.patience, self.bug) = (patience, bug)
        engine = MirrorEngine(patience: patience)
    }

    /// Forgets what is not on the disk.
    func kill() {
        process += 1
        engine = MirrorEngine(patience: patience)
        (wakesAt, sentCount) = (nil, 0)
    }

    /// Tells the stage of this process from those of others.
    private var stageID: Int { bug == .stagesShared ? 0 : index * 10_000 + process }

    /// Takes over what a process before has staged.
    func opened() -> MirrorEngine.Event {
        token = disk.content.token
        let stages = disk.content.stages.filter { $0.value.stage.cursor == disk.content.cursor }
        let best = stages.max { ($0.value.stage.pages, $0.key) < ($1.value.stage.pages, $1.key) }
        guard let (id, staged) = best else { return .opened(cursor: disk.content.cursor) }
        disk.content.stages[id] = nil
        disk.content.stages[stageID] = (staged.stage, bug == .resumedWithoutPages ? [] : staged.pages)
        return .opened(cursor: disk.content.cursor, staged.stage)
    }

    /// The time of an edit that is made now, by the device's clock.
    func timeOfEdit(_ now: Int64) -> Int64 {
        let time = now + skew
        disk.content.clock = max(time - time % resolution, disk.content.clock + 1)
        return disk.content.clock
    }

    // MARK: DeviceStorage

    func cursor() -> HistoryPosition? { disk.content.cursor }
    func setCursor(_ cursor: HistoryPosition) {
        disk.content.cursor = cursor
        if disk.content.trail.last != cursor { disk.content.trail.append(cursor) }
    }
    func extendTrail(_ places: [HistoryPosition]) {
        let numbers = Set(places.map(\.sequence))
        disk.content.trail.removeAll { numbers.contains($0.sequence) }
        disk.content.trail = (disk.content.trail + places).sorted { $0.sequence < $1.sequence }
    }
    func forgetCursor() {
        if bug == .deletedRowsUnseen { return }
        (disk.content.cursor, disk.content.trail) = (nil, [])
    }
    func keys() -> [RowKey] {
        bug == .expiredTokenHidesDeletions ? [] : Array(disk.content.rows.rows.keys)
    }
    func rows(_ keys: some Collection<RowKey>) -> [RowKey: [StoredValue]] {
        Dictionary(uniqueKeysWithValues: keys.compactMap { key in disk.content.rows[key].map { (key, $0) } })
    }

    func write(_ rows: [RowWrite]) throws {
        guard bug == .misfitsSkipped else { return try disk.content.rows.write(rows) }
        do {
            try disk.content.rows.write(rows)
        } catch {
            for row in rows { try? disk.content.rows.write([row]) }
        }
    }

    func attempt(_ body: () throws -> Void) throws -> Bool {
        let content = disk.content
        do {
            try body()
            return true
        } catch let error as StoreError where [.unique, .foreignKey].contains(error.code) {
            disk.content = content
            return false
        }
    }

    func unsealed() -> [LocalTransaction] {
        bug == .unsealedOverwritten && applies ? [] : disk.content.unsealed
    }

    func seal(_ mutations: [Mutation]) {
        if bug == .unsealedOverwritten, applies { return }
        disk.content.outbox += mutations.compactMap(faulty)
        disk.content.unsealed = []
    }

    func pending() -> [Mutation] { bug == .noOverlay && applies ? [] : disk.content.outbox }

    func remove(_ mutations: [UUID]) {
        let count = disk.content.outbox.count
        disk.content.outbox.removeAll { mutations.contains($0.id) }
        sentCount = max(0, sentCount - (count - disk.content.outbox.count))
        if disk.content.outbox.isEmpty { disk.content.gate = nil }
    }

    func quarantine(_ mutation: UUID, _ reason: Rejection) {
        if bug == .revokedWritesDropped, reason.code == .membership { return }
        guard bug != .rejectedIsForgotten, disk.content.outbox.contains(where: { $0.id == mutation }) else {
            return
        }
        disk.content.quarantine[mutation] = reason
    }

    func setCursors(_ cursor: (Mutation) -> Int64) {
        if bug == .cursorsNotRewound { return }
        for index in disk.content.outbox.indices {
            disk.content.outbox[index].cursor = cursor(disk.content.outbox[index])
        }
    }

    func putFirst(_ offer: Mutation) {
        var offer = offer
        switch bug {
        case .noOffers: return
        case .offersOverwrite: offer.cursor = .max
        case .deletionsNotOffered:
            offer.changes.removeAll { if case .offer(_, nil, _) = $0 { true } else { false } }
        default: break
        }
        disk.content.outbox.insert(offer, at: 0)
    }

    func bases(_ keys: some Collection<RowKey>) -> [RowKey: [StoredValue]?] {
        if bug == .noBase || bug == .offersPending && makesOffer { return [:] }
        let keys = Set(keys)
        return disk.content.bases.filter { keys.contains($0.key) }
    }
    func setBases(_ rows: [RowKey: [StoredValue]?]) { disk.content.bases.merge(rows) { $1 } }
    func removeBases(except keys: Set<RowKey>) {
        for key in disk.content.bases.keys where !keys.contains(key) { disk.content.bases[key] = nil }
    }

    func trail() -> [HistoryPosition] {
        bug == .sparseTrail ? disk.content.trail.suffix(1) : disk.content.trail
    }

    func cutTrail(after sequence: Int64) {
        disk.content.trail.removeAll { $0.sequence > sequence }
        disk.content.received.removeAll { $0.sequence > sequence }
    }

    func received(after sequence: Int64) -> [RowKey: Int64] {
        var received: [RowKey: Int64] = [:]
        for page in disk.content.received where page.sequence > sequence {
            let shown = Set(disk.content.rows.rows.keys).union(disk.content.bases.keys).filter {
                disk.content.bases[$0].map { $0 != nil } ?? true
            }
            for key in page.keys ?? Array(shown) { received[key] = page.sequence }
        }
        return received
    }

    func hasReceivedAll(after sequence: Int64) -> Bool {
        disk.content.received.contains { $0.sequence > sequence && $0.keys == nil }
    }

    func noteReceived(_ keys: [RowKey]?, upTo sequence: Int64) {
        disk.content.received.append((keys, sequence))
    }

    func note(_ conflicts: [LoggedConflict]) {}

    func stage() -> Stage? { disk.content.stages[stageID]?.stage }

    func forEachStagedPage(_ body: (StagedPage) throws -> Void) throws {
        try disk.content.stages[stageID]?.pages.forEach(body)
    }

    func clearStages() { disk.content.stages = [:] }

    func removeAll() {
        var content = SimulatedDisk.Content(identity: disk.content.identity)
        (content.quarantine, content.clock) = (disk.content.quarantine, disk.content.clock)
        if bug == .cursorSurvivesPurge { content.cursor = disk.content.cursor }
        if bug == .stagesSurvivePurge { content.stages = disk.content.stages }
        disk.content = content
    }

    // MARK: Effects

    /// Carries out an effect on the disk.
    ///
    /// - Returns: Its result; nil for one that has none.
    func carryOut(_ effect: MirrorEngine.Effect, _ random: inout SeededGenerator) throws -> MirrorEngine
        .Event?
    {
        if effect.needsMembership, disk.content.token == nil, bug != .goesOnAfterPurge { return .revoked }
        switch effect {
        case .clearStage:
            disk.content.stages[stageID] = nil
            return nil
        case .prepare(let settled): return .prepared(try prepare(settled, &random))
        case .stage(let page, let stage):
            let own = stage.pages == 1 && bug != .stagesShared ? nil : disk.content.stages[stageID]
            guard (own?.stage.pages ?? 0) + 1 == stage.pages || bug == .stagesShared else {
                return .stageLost
            }
            disk.content.stages[stageID] = (stage, (own?.pages ?? []) + [page])
            if bug == .verdictBeforePages {
                remove(stage.verdicts.map(\.id))
                removeBases(except: Set(disk.content.outbox.flatMap { $0.changes.map(\.key) }))
            }
            if bug == .cursorPerPage { disk.content.cursor = stage.upTo }
            return .staged
        case .apply(let stage, let page, let from):
            return .applied(try carryOut(stage, page, from: from), cursor: disk.content.cursor)
        case .offer(let common):
            makesOffer = true
            defer { makesOffer = false }
            if bug == .missingHouseholdDeletes, common == .start {
                disk.content = SimulatedDisk(identity: disk.content.identity).content
            }
            try offer(after: common, id: random.uuid())
            return .offered(cursor: disk.content.cursor)
        case .endMembership:
            // The file can have joined again since this process began.
            guard disk.content.token == token || bug == .newMembershipPurged else { return nil }
            if bug == .unsealedPurged { disk.content.unsealed = [] }
            try purge()
            return nil
        case .send, .sendRows, .wake: return nil
        }
    }

    private func prepare(_ settled: [UUID], _ random: inout SeededGenerator) throws -> MirrorEngine.Prepared {
        try seal()
        if bug == .newIDOnRetry, random.chance(5) {
            disk.content.outbox = disk.content.outbox.map {
                Mutation(
                    id: random.uuid(), time: $0.time, author: $0.author, cursor: $0.cursor,
                    changes: $0.changes)
            }
        }
        var mutations = disk.content.outbox.filter { !settled.contains($0.id) }
        if bug == .mutationsSkipped {
            let count = min(mutations.count, sentCount + 4)
            mutations.removeFirst(min(sentCount, mutations.count))
            sentCount = count
        }
        mutations = Array(mutations.prefix(4))
        lastSent = mutations.map(\.id)
        if bug == .gateStaysShut, !mutations.isEmpty, disk.content.gate == nil {
            disk.content.gate = [index, process]
        }
        return MirrorEngine.Prepared(mutations: mutations, trail: trail(), cursor: disk.content.cursor)
    }

    private func carryOut(_ stage: Stage?, _ page: ExchangePage, from: HistoryPosition?) throws -> ApplyResult
    {
        applies = true
        defer { applies = false }
        if bug == .gateStaysShut, let gate = disk.content.gate, gate != [index, process] {
            return .doesNotFit
        }
        let comparesCursor = bug != .cursorPerPage && bug != .outdatedIsIgnored
        let from = comparesCursor ? from : disk.content.cursor
        let stage = bug == .stagesShared && stage != nil ? self.stage() : stage
        let result = try apply(stage, page, from: from)
        guard result != .incomplete else {
            throw Simulation.Failure("a device lacks a row of which the server sends a part")
        }
        guard bug == .misfitsReplace, result == .doesNotFit else { return result }
        disk.content.outbox = []
        return try apply(stage, page, from: from)
    }

    // MARK: Mistakes of sealing

    /// A mutation as a planted bug seals it; nil if that leaves nothing of it.
    private func faulty(_ mutation: Mutation) -> Mutation? {
        var mutation = mutation
        switch bug {
        case .wholeRows, .noValuesBefore, .laterValuesSealed:
            mutation.changes = mutation.changes.map { change in
                guard case .update(let key, let edits) = change, let row = disk.content.rows[key] else {
                    return change
                }
                return .update(key, faulty(edits, row))
            }
        case .reinsertForgotten:
            mutation.changes.removeAll { change in
                guard case .insert(let key, _) = change else { return false }
                return disk.content.outbox.contains { mutation in
                    mutation.changes.contains { if case .delete(key, _) = $0 { true } else { false } }
                }
            }
        default: break
        }
        return mutation.changes.isEmpty ? nil : mutation
    }

    private func faulty(_ edits: [AttributeEdit], _ row: [StoredValue]) -> [AttributeEdit] {
        switch bug {
        case .wholeRows:
            edits
                + row.indices.dropFirst().filter { position in !edits.contains { $0.attribute == position } }
                .map { AttributeEdit($0, before: row[$0], after: row[$0]) }
        case .noValuesBefore: edits.map { AttributeEdit($0.attribute, before: nil, after: $0.after) }
        default: edits.map { AttributeEdit($0.attribute, before: $0.before, after: row[$0.attribute]) }
        }
    }
}
