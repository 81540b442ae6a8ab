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
    }

    var disk = Disk()
    var now: Int64 = 0
    let schema: Schema
    let functions = SimulatedSchema.functions
    let bug: PlantedBug?
    private let transactionsPerPage: Int
    private var writes: [RowWrite] = []
    private let observe: (Transaction, SimulatedRows, [Conflict]) throws -> Void
    private let observeVerdict: (Verdict, Mutation, Disk) throws -> Void

    init(
        bug: PlantedBug?, transactionsPerPage: Int,
        observe: @escaping (Transaction, SimulatedRows, [Conflict]) throws -> Void,
        observeVerdict: @escaping (Verdict, Mutation, Disk) throws -> Void
    ) {
        self.observeVerdict = observeVerdict
        self.bug = bug
        self.transactionsPerPage = transactionsPerPage
        self.observe = observe
        schema = SimulatedSchema.schema(with: bug)
    }

    // MARK: MergeTarget

    func row(_ key: RowKey) -> [StoredValue]? { disk.rows[key] }

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
        if bug == .keysUnseen, !isReference { return [] }
        if bug == .referencesStay, isReference { return [] }
        return disk.rows.rows.filter { key, row in
            key.entity == entity.name && values.allSatisfy { row[$0] == $1 }
        }.keys.sorted()
    }

    func alias(of key: RowKey) -> RowKey? { bug == .noAliases ? nil : disk.aliases[key] }
    func setAlias(of key: RowKey, to other: RowKey?) { disk.aliases[key] = other }

    func isPruned(after sequence: Int64) -> Bool { sequence < disk.pruned }

    func horizon() -> Int64 { disk.history.prefix(disk.pruned).map(\.stamp.time).max() ?? .min }

    func edits(of key: RowKey, after sequence: Int64) -> [RowEdit] {
        disk.history.dropFirst(max(Int(min(sequence, 1_000_000)), disk.pruned)).flatMap { transaction in
            transaction.writes.filter { $0.key == key }.map { write in
                let offered = transaction.mutation.changes.compactMap { change -> Int64? in
                    if case .offer(key, _, let sequence) = change { sequence } else { nil }
                }.first
                let attributes: [Int]? =
                    if let before = write.before, let after = write.after {
                        before.indices.filter { before[$0] != after[$0] }
                    } else { nil }
                return RowEdit(
                    sequence: transaction.position.sequence, stamp: transaction.stamp, attributes: attributes,
                    deleted: write.after == nil ? write.before : nil,
                    offered: offered)
            }
        }
    }

    func log(_ conflict: Conflict) { if bug != .noConflictLog { disk.log.append(conflict) } }

    // MARK: ServerStorage

    func head() -> HistoryPosition { disk.history.last?.position ?? .start }

    func position(_ sequence: Int64) -> HistoryPosition {
        sequence == 0 ? .start : disk.history[Int(sequence) - 1].position
    }

    func presence(of position: HistoryPosition) -> PlacePresence {
        if bug == .bareCursor { return .present }
        guard position.sequence <= disk.history.count else { return .absent }
        if position.sequence < disk.pruned { return .pruned }
        return bug == .noDigest || self.position(position.sequence) == position ? .present : .absent
    }

    func verdict(on mutation: UUID) -> Verdict? {
        if bug == .noDeduplication { return nil }
        if let verdict = disk.verdicts[mutation] { return verdict }
        let isCarriedOut = disk.history.dropFirst(disk.pruned).contains { $0.mutation.id == mutation }
        return isCarriedOut ? Verdict(id: mutation, kind: .merged) : nil
    }

    func keep(_ verdict: Verdict, on mutation: Mutation) throws {
        disk.verdicts[mutation.id] = verdict
        if mutation.time > now { disk.keptVerdicts.insert(mutation.id) }
        try observeVerdict(verdict, mutation, disk)
    }

    func forgetVerdicts(on mutations: [UUID]) {
        for id in mutations where !disk.keptVerdicts.contains(id) { disk.verdicts[id] = nil }
    }

    func transaction<Result>(
        _ mutation: Mutation, time: Int64, _ body: () throws -> Result
    ) throws -> Result {
        let backup = disk
        writes = []
        do {
            let result = try body()
            guard !writes.isEmpty else { return result }
            let transaction = Transaction(
                position: head().next(mutation.id), mutation: mutation,
                stamp: EditStamp(time: time, id: mutation.id), writes: writes, rows: disk.rows)
            disk.history.append(transaction)
            try observe(transaction, backup.rows, Array(disk.log.dropFirst(backup.log.count)))
            return result
        } catch let rejection as Rejection {
            disk = backup
            throw rejection
        }
    }

    /// The devices' copies of the log decide nothing, so that only the server's is kept here.
    func conflicts(after sequence: Int64, upTo end: Int64) -> [LoggedConflict] { [] }

    func rows(after key: RowKey?) -> (rows: [[StoredValue]], keys: [RowKey], hasMore: Bool) {
        let keys = SimulatedSchema.keys.sorted().filter { candidate in
            disk.rows[candidate] != nil && key.map { $0 < candidate } ?? true
        }
        let page = Array(keys.prefix(3))
        return (page.compactMap { disk.rows[$0] }, page, keys.count > page.count)
    }

    func prefetch(_ keys: some Collection<RowKey>) {}

    func isFarBehind(_ position: HistoryPosition) -> Bool {
        disk.history.count - Int(position.sequence) > 3 * disk.rows.rows.count
    }

    func changes(after position: HistoryPosition) -> ServerChanges {
        var changes = ServerChanges(after: position)
        for transaction in disk.history.dropFirst(Int(position.sequence)).prefix(transactionsPerPage) {
            changes.upTo = transaction.position
            for write in transaction.writes {
                let attributes = write.before.flatMap { before in
                    write.after.map { after in before.indices.filter { before[$0] != after[$0] } }
                }
                changes.add(write.key, attributes)
            }
        }
        return changes
    }
}
