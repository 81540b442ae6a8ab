import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What a device keeps when it is killed.
///
/// Two processes can share one.
final class SimulatedDisk {
    struct Content {
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
        var stages: [UUID: (stage: Stage, pages: [StagedPage])] = [:]
        /// The time of the last edit, which no later one falls behind.
        var clock: Int64 = 0
    }

    var content = Content()
}

/// A process with a device's disk: its engine, and what it loses when it is killed.
final class SimulatedDevice: DeviceStorage {
    let disk: SimulatedDisk
    let bug: PlantedBug?
    var engine: MirrorEngine
    /// What the device's clock is ahead of the true time.
    var skew: Int64
    /// Tells its stage from those of other processes.
    private var stageID: UUID
    /// When the engine wants to be woken.
    var wakesAt: Int64?
    let schema = SimulatedSchema.schema
    private var makesOffer = false
    private var applies = false

    init(disk: SimulatedDisk, skew: Int64, bug: PlantedBug?, stageID: UUID) {
        self.stageID = stageID
        self.disk = disk
        self.skew = skew
        self.bug = bug
        engine = MirrorEngine(patience: Self.patience)
    }

    static let patience: MirrorEngine.Patience = {
        var patience = MirrorEngine.Patience()
        patience.answer = 300
        patience.retry = 50
        patience.longestRetry = 1_000
        patience.poll = 200
        return patience
    }()

    /// Counts the processes that have run on the device.
    private(set) var process = 0

    /// Forgets what is not on the disk.
    func kill(_ generator: inout SeededGenerator) {
        process += 1
        stageID = generator.uuid()
        engine = MirrorEngine(patience: Self.patience)
        wakesAt = nil
    }

    /// Takes over what a process before has staged.
    func opened() -> MirrorEngine.Event {
        let stages = disk.content.stages.filter { $0.value.stage.cursor == disk.content.cursor }
        guard
            let (id, best) = stages.max(by: {
                ($0.value.stage.pages, $0.key) < ($1.value.stage.pages, $1.key)
            })
        else { return .opened(cursor: disk.content.cursor) }
        disk.content.stages[id] = nil
        disk.content.stages[stageID] = best
        return .opened(cursor: disk.content.cursor, best.stage)
    }

    // MARK: DeviceStorage

    func cursor() -> HistoryPosition? { disk.content.cursor }
    func setCursor(_ cursor: HistoryPosition) {
        disk.content.cursor = cursor
        if disk.content.trail.last != cursor { disk.content.trail.append(cursor) }
    }
    func keys() -> [RowKey] { Array(disk.content.rows.rows.keys) }
    func row(_ key: RowKey) -> [StoredValue]? { disk.content.rows[key] }
    func rows(_ keys: some Collection<RowKey>) -> [RowKey: [StoredValue]] {
        Dictionary(uniqueKeysWithValues: keys.compactMap { key in row(key).map { (key, $0) } })
    }
    func write(_ rows: [RowWrite]) throws { try disk.content.rows.write(rows) }

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

    func unsealed() -> [LocalTransaction] { disk.content.unsealed }

    func seal(_ mutations: [Mutation]) {
        switch bug {
        case .wholeRows: disk.content.outbox += mutations.map(withWholeRows)
        case .noValuesBefore: disk.content.outbox += mutations.map(Self.withoutValuesBefore)
        default: disk.content.outbox += mutations
        }
        disk.content.unsealed = []
    }

    private static func withoutValuesBefore(_ mutation: Mutation) -> Mutation {
        var mutation = mutation
        mutation.changes = mutation.changes.map { change in
            guard case .update(let key, let edits) = change else { return change }
            return .update(key, edits.map { AttributeEdit($0.attribute, before: nil, after: $0.after) })
        }
        return mutation
    }

    private func withWholeRows(_ mutation: Mutation) -> Mutation {
        var mutation = mutation
        mutation.changes = mutation.changes.map { change in
            guard case .update(let key, let edits) = change, let row = row(key) else { return change }
            let others = row.indices.dropFirst().filter { position in
                !edits.contains { $0.attribute == position }
            }
            return .update(key, edits + others.map { AttributeEdit($0, before: nil, after: row[$0]) })
        }
        return mutation
    }

    func pending() -> [Mutation] {
        bug == .noOverlay && applies ? [] : disk.content.outbox
    }

    func remove(_ mutations: [UUID]) { disk.content.outbox.removeAll { mutations.contains($0.id) } }

    func quarantine(_ mutation: UUID, _ reason: Rejection) {
        guard bug != .rejectedIsForgotten, disk.content.outbox.contains(where: { $0.id == mutation }) else {
            return
        }
        disk.content.quarantine[mutation] = reason
    }

    func setCursors(_ cursor: (Int64) -> Int64) {
        for index in disk.content.outbox.indices {
            disk.content.outbox[index].cursor = cursor(disk.content.outbox[index].cursor)
        }
    }

    func putFirst(_ offer: Mutation) {
        guard bug != .noOffers else { return }
        var offer = offer
        if bug == .offersOverwrite { offer.cursor = .max }
        disk.content.outbox.insert(offer, at: 0)
    }

    func bases(_ keys: some Collection<RowKey>) -> [RowKey: [StoredValue]?] {
        if makesOffer, bug == .offersPending { return [:] }
        let keys = Set(keys)
        return disk.content.bases.filter { keys.contains($0.key) }
    }
    func setBases(_ rows: [RowKey: [StoredValue]?]) { disk.content.bases.merge(rows) { $1 } }
    func removeBases(except keys: Set<RowKey>) {
        for key in disk.content.bases.keys where !keys.contains(key) { disk.content.bases[key] = nil }
    }

    func trail() -> [HistoryPosition] { disk.content.trail }

    func cutTrail(after sequence: Int64) {
        disk.content.trail.removeAll { $0.sequence > sequence }
        disk.content.received.removeAll { $0.sequence > sequence }
    }

    func received(after sequence: Int64) -> [RowKey: Int64] {
        var received: [RowKey: Int64] = [:]
        for page in disk.content.received where page.sequence > sequence {
            let shown = disk.content.rows.rows.keys.filter {
                disk.content.bases[$0].map { $0 != nil } ?? true
            }
            for key in page.keys ?? shown { received[key] = page.sequence }
        }
        return received
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

    // MARK: Effects

    /// Carries out an effect on the disk.
    ///
    /// - Returns: Its result; nil for one that has none.
    func carryOut(_ effect: MirrorEngine.Effect, _ generator: inout SeededGenerator) throws -> MirrorEngine
        .Event?
    {
        switch effect {
        case .clearStage:
            disk.content.stages[stageID] = nil
            return nil
        case .prepare(let settled):
            try seal()
            if bug == .newIDOnRetry, generator.chance(5) {
                disk.content.outbox = disk.content.outbox.map {
                    Mutation(
                        id: generator.uuid(), time: $0.time, author: $0.author, cursor: $0.cursor,
                        changes: $0.changes)
                }
            }
            let mutations = disk.content.outbox.filter { !settled.contains($0.id) }
            return .prepared(
                MirrorEngine.Prepared(
                    mutations: Array(mutations.prefix(4)), trail: disk.content.trail,
                    cursor: disk.content.cursor))
        case .stage(let page, let stage):
            let own = disk.content.stages[stageID]
            guard (own?.stage.pages ?? 0) + 1 == stage.pages else { return .stageLost }
            disk.content.stages[stageID] = (stage, (own?.pages ?? []) + [page])
            if bug == .verdictBeforePages {
                remove(stage.verdicts.map(\.id))
                removeBases(except: Set(disk.content.outbox.flatMap { $0.changes.map(\.key) }))
            }
            if bug == .cursorPerPage { disk.content.cursor = stage.upTo }
            return .staged
        case .apply(let stage, let page, let from):
            applies = true
            defer { applies = false }
            let result = try apply(stage, page, from: bug == .cursorPerPage ? disk.content.cursor : from)
            return .applied(result, cursor: disk.content.cursor)
        case .offer(let common):
            makesOffer = true
            defer { makesOffer = false }
            try offer(after: common, id: generator.uuid())
            return .offered(cursor: disk.content.cursor)
        case .send, .sendRows, .wake: return nil
        }
    }
}
