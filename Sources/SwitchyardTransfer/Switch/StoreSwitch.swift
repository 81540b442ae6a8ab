internal import Dispatch
internal import Foundation
public import SwitchyardCore

/// Moves all rows of a store to a new one, of any backend, while apps go on writing to the old one.
///
/// Rows are copied in parts, each together with the changes since the previous one, read from the old store's
/// history. When the new store has all rows, both are compared; then the old store is fenced, the last
/// changes are copied and compared, and the new store takes over. The old one keeps its rows, and says where
/// the data went.
///
/// ```swift
/// let report = try await StoreSwitch(from: file, to: server).run { progress in
///     print(progress.phase, progress.rows)
/// }
/// ```
///
/// A store with scopes is moved with all of them.
///
/// An interrupted switch continues where it was when `run` is called again. Until it is committed, `abort`
/// gives it up.
public struct StoreSwitch: Sendable {
    let source: StorePlace
    let target: StorePlace
    let registry: PlaceRegistry?
    private let replacesBackup: Bool
    private let discardsChanges: Bool

    /// Prepares a switch.
    ///
    /// - Parameters:
    ///   - source: The place of the store.
    ///   - target: A place without a store.
    ///   - replacesBackup: Whether to replace the backup that an earlier switch of the same store has left
    ///     there.
    ///   - discardsChanges: Whether to replace it even if rows were written to it since, bypassing the store,
    ///     or if that is unknown. Those rows are deleted.
    ///   - registry: Records the new place, so that apps configured with the old one find it; nil to rely on
    ///     the old store.
    public init(
        from source: StorePlace, to target: StorePlace, replacingBackup replacesBackup: Bool = false,
        discardingItsChanges discardsChanges: Bool = false, registry: PlaceRegistry? = nil
    ) {
        self.source = source
        self.target = target
        self.registry = registry
        self.replacesBackup = replacesBackup
        self.discardsChanges = discardsChanges
    }

    /// Moves the rows, or resumes an interrupted switch.
    ///
    /// - Parameter progress: Receives the progress.
    /// - Returns: The comparison of both stores, which are equal; nil if an earlier call had committed the
    ///   switch, and this one has only cleaned up.
    /// - Throws: `outOfService` if the old store is not active; `placeTaken` if there is a store in the new place;
    ///   `carriedOutElsewhere` if another process is carrying out the switch; `identityConflict` if the new
    ///   store has taken over before; `corrupted` for rows that another backend would refuse;
    ///   `schemaMismatch` for places of different schemas; `notFound` if there is no store, or a fenced one
    ///   lacks its copy; `verification` if the stores differ; `invalidArgument` if a switch to another place
    ///   is under way; `unsupported` for a store with models that its history leaves out, or with scopes if
    ///   the new backend does not support them; `historyPruned`; `cancelled`; the errors of reading and
    ///   writing. Nothing is lost then, and the switch can be resumed or aborted. Only after a `verification`
    ///   or an error of the registry that is thrown once the new store has taken over is there nothing to
    ///   resume: the message says so.
    @discardableResult
    public func run(
        _ progress: @escaping @Sendable (SwitchProgress) -> Void = { _ in }
    ) async throws -> VerificationReport? {
        try await carryOut(isRehearsal: false, progress) { work, isFenced in
            let passes = try await work.addConstraints(after: work.catchUp())
            // Before the fence, unless it exists: no writer should wait for a comparison of all rows.
            let verified = try await work.verify(passes)
            try await work.carryHistory()
            let hasFenced = isFenced ? false : try await work.fence(successor: target.location)
            let settled = try await work.settle(verified)
            try await work.carryMirror()
            try await work.commit(settled)
            try await complete(work.old.marker()) {
                // If only the fence was committed, there is nothing in the old store that was not compared.
                if hasFenced, await work.hasOnlyFence(since: settled) { return }
                try await work.audit(settled.compared(in: work.old.schema))
            }
            return settled.report
        }
    }

    /// Opens both stores for the steps of a switch.
    ///
    /// - Parameters:
    ///   - isRehearsal: Whether the switch stops before the fence.
    ///   - progress: Receives the progress.
    ///   - steps: Carries out the steps; its argument is whether the old store is fenced.
    /// - Returns: The result of the steps; nil if they were done, and the switch has only been cleaned up.
    /// - Throws: As `run`.
    func carryOut<Result>(
        isRehearsal: Bool, _ progress: @escaping @Sendable (SwitchProgress) -> Void,
        _ steps: (SwitchWork, _ isFenced: Bool) async throws -> Result
    ) async throws -> Result? {
        // A switch takes over from any process, but a rehearsal only from its own.
        let predecessor: SwitchWork.Predecessor = isRehearsal ? .only(try await runner()) : .any
        let marker = try await sourceMarker()
        // A committed switch is only cleaned up: whatever else remained has failed.
        let isCommitted = marker.isSwitched(to: target)
        guard marker.role == .active || marker.isFenced || isCommitted else {
            throw StoreError.notToBeSwitched(source.location, marker)
        }
        let current = marker.isBeingSwitched || isCommitted ? marker.switching : nil
        if let current, current.peer != target.location {
            throw StoreError(
                .invalidArgument,
                "A switch of the store to \(current.peer) is under way. Let it go on, or abort it first.")
        }
        if let current, isRehearsal, !current.isRehearsal {
            throw StoreError(
                .invalidArgument,
                "The switch of the store to \(current.peer) is under way already. Let it go on, or abort it first."
            )
        }
        let found = try await target.marker()
        if let found, found.hasTakenOver(from: marker) {
            guard !isRehearsal else { throw takenOverBefore }
            try await complete(marker, current, as: found)
            return nil
        }
        guard !isCommitted else { throw StoreError.notToBeSwitched(source.location, marker) }
        try marker.requireCopy(found, at: target.location, of: source.location)
        let leftover = found?.leftover(of: marker)
        try requireRoom(found, for: [current?.id, leftover], of: marker)
        let inOld = OpenOptions(createsIfMissing: false, role: marker.role, scope: marker.anyScope)
        return try await source.withStore(inOld) { old in
            if current == nil {
                // Each writer's models decide what is left out: those of the last migration, and of this app.
                try marker.schema.requireSwitchable()
                try old.schema.requireSwitchable()
                try await Preflight.check(old)
            }
            if let found, found.role != .copying { try await reclaim(found, of: marker, for: old.schema) }
            let options = OpenOptions(
                createsIfMissing: found == nil, role: .copying, scope: marker.anyScope)
            return try await target.withStore(options) { new in
                try old.schema.requireSame(as: new.schema)
                let id = try await begin(marker, isRehearsal: isRehearsal, in: old)
                // Now that this switch is under way, no other one can be.
                if let leftover { try await SwitchWork.giveUp(leftover, in: new) }
                let work = SwitchWork(
                    id: id, old: old, new: new, isScoped: marker.scopeColumn != nil, progress: progress)
                try await work.prepare(peer: source.location, from: predecessor)
                return try await steps(work, marker.isFenced)
            }
        }
    }

    /// Declares that the backup is no longer needed.
    ///
    /// Its rows stay until somebody deletes them.
    ///
    /// - Throws: `notFound` if there is no store; `invalidArgument` unless the switch to this place is
    ///   committed, and the new store is active.
    public func retire() async throws {
        let marker = try await sourceMarker()
        guard marker.role == .superseded, marker.switching?.state == .committed,
            let found = try await target.marker(), found.role == .active, found.hasTakenOver(from: marker)
        else {
            throw StoreError(
                .invalidArgument,
                "The store \(source.location) is not the backup of one at \(target.location). Nothing was changed."
            )
        }
        try await change(marker) { $0.role = .retired }
    }

    /// Aborts a switch that is not committed: the old store is the active one, as before.
    ///
    /// The copied rows stay in the new place, marked as an incomplete copy, and a later switch to it replaces
    /// them. As long as the old store is not fenced, the new place may be unreachable.
    ///
    /// - Parameter copyIsLost: Whether the copy is known to be lost, and no other store has the data.
    ///   Otherwise a fenced store's switch is not aborted while its copy is missing or unreachable.
    /// - Throws: `invalidArgument` if no switch to this place is under way; `carriedOutElsewhere` if it is
    ///   committed; `notFound` if there is no store, or if it is fenced, and its copy is missing; the errors
    ///   of writing.
    public func abort(copyIsLost: Bool = false) async throws {
        let marker = try await sourceMarker()
        guard let current = marker.switching, marker.isBeingSwitched, current.peer == target.location else {
            throw StoreError(
                .invalidArgument,
                "No switch of the store \(source.location) to \(target.location) is under way.")
        }
        guard marker.role == .active || marker.isFenced else {
            throw StoreError.notToBeSwitched(source.location, marker)
        }
        try await giveUpCopy(of: marker, current, copyIsLost: copyIsLost)
        do {
            try await finish(as: .aborted, role: marker.role, marker)
        } catch let error as StoreError where error.code.refusesService {
            // Another process may have fenced the store in between, and so have a copy to abort as well.
            let now = try await sourceMarker()
            guard now.isFenced, now.role != marker.role, now.switching?.id == current.id else { throw error }
            try await abort(copyIsLost: copyIsLost)
        }
    }

    /// Records the abort in the copy, unless that is unreachable and dispensable.
    ///
    /// - Throws: `carriedOutElsewhere` if the switch is committed; `notFound` if the store is fenced, and its copy
    ///   is missing; the errors of reading and writing.
    private func giveUpCopy(of marker: StoreMarker, _ current: SwitchRecord, copyIsLost: Bool) async throws {
        var found: StoreMarker?
        do {
            found = try await target.marker()
        } catch let error as StoreError
            where (marker.role == .active || copyIsLost) && error.code != .cancelled
        {
            // It does not exist.
        }
        if let found, found.hasTakenOver(from: marker) {
            throw StoreError(
                .carriedOutElsewhere,
                "The switch is committed already, and \(target.location) is the store to use. Run it again "
                    + "to clean up.")
        }
        if !copyIsLost { try marker.requireCopy(found, at: target.location, of: source.location) }
        guard found?.switching?.id == current.id else { return }
        do {
            try await target.withMarker(.readWrite, scope: marker.anyScope) {
                try await SwitchWork.giveUp(current.id, in: $0)
            }
        } catch let error as StoreError
            where marker.role == .active && !error.code.refusesService && error.code != .cancelled
        {
            // It can be committed only while the old store is fenced, which ends now.
        }
    }

    /// Changes the old store's marker, unless another process has.
    func change(
        _ marker: StoreMarker, _ body: @escaping @Sendable (inout StoreMarker) -> Void
    ) async throws {
        try await source.withMarker(.readWrite, scope: marker.anyScope) { old in
            try await old.write(.ofMarker) { tx in
                try tx.updateMarker { now in
                    guard now == marker else { throw StoreError.carriedOutElsewhere }
                    body(&now)
                }
            }
        }
    }

    func sourceMarker() async throws -> StoreMarker {
        guard let marker = try await source.marker() else {
            throw StoreError(.notFound, "There is no store at \(source.location).")
        }
        return marker
    }

    /// Notes the switch in the old store, unless it is under way.
    ///
    /// - Returns: The identity of the switch.
    private func begin(_ marker: StoreMarker, isRehearsal: Bool, in old: any Store) async throws -> UUID {
        let current = marker.isBeingSwitched ? marker.switching : nil
        var record = current ?? SwitchRecord(id: UUID(), state: .copying, peer: target.location)
        record.isRehearsal = isRehearsal
        // What was rehearsed is a switch like any other from now on.
        if record.state == .rehearsing { record.state = .copying }
        if record != current {
            try await old.write(.ofMarker) { [record] tx in
                try tx.updateMarker { marker in
                    // Another process may have begun one since, or gone on with it.
                    guard marker.isBeingSwitched ? marker.switching == current : current == nil else {
                        throw StoreError.carriedOutElsewhere
                    }
                    marker.switching = record
                    if current == nil { marker.switching?.startedHistory = marker.history?.isKept != true }
                }
            }
        }
        try await old.keepHistory(forSwitch: record.id)
        return record.id
    }

    /// Refuses a place that holds anything but the copy of this switch, the copy of an aborted one, or a
    /// backup that may be replaced.
    private func requireRoom(
        _ found: StoreMarker?, for ids: [UUID?], of marker: StoreMarker
    ) throws {
        guard let found else { return }
        if found.role == .copying,
            found.switching.map({ ids.contains($0.id) || $0.state == .aborted }) ?? true
        {
            return
        }
        let isBackup = found.storeID == marker.storeID && found.generation < marker.generation
        if isBackup, found.isLeftByCopy(of: marker) {
            throw StoreError(
                .placeTaken,
                "At \(target.location) is the backup of a copy of this store, which was switched from there to another place. "
                    + "Give another place; nothing was changed.")
        }
        if isBackup && [.superseded, .retired].contains(found.role) {
            if replacesBackup { return }
            throw StoreError(
                .placeTaken,
                "At \(target.location) is the backup that an earlier switch of this store has left. Have it replaced, or give "
                    + "another place; nothing was changed.")
        }
        throw StoreError(
            .placeTaken,
            "There is a store at \(target.location) already. Give a place without one; nothing was changed."
        )
    }

    /// Turns the backup of an earlier switch into a copy to fill again.
    ///
    /// - Parameters:
    ///   - backup: The marker of the backup.
    ///   - marker: That of the store to be switched.
    ///   - schema: The schema of both.
    /// - Throws: `verification` if the backup was written to; `schemaMismatch`; the errors of reading and
    ///   writing.
    private func reclaim(_ backup: StoreMarker, of marker: StoreMarker, for schema: Schema) async throws {
        let options = OpenOptions(createsIfMissing: false, role: backup.role, scope: backup.anyScope)
        try await target.withStore(options) { store in
            try schema.requireSame(as: store.schema)
            if !discardsChanges { try await requireUnchanged(store, backup, of: marker) }
            try await store.write(.ofMarker) { [source] tx in
                var record = SwitchRecord(id: UUID(), state: .aborted, peer: source.location)
                record.copied = SwitchRecord.Copied(token: try tx.historyToken())
                record.copied?.hasConstraints = true
                try tx.updateMarker { marker in
                    guard marker == backup else { throw StoreError.carriedOutElsewhere }
                    // It keeps saying where the data is.
                    marker.role = .copying
                    marker.stopHistory()
                    marker.switching = record
                }
            }
        }
    }
}

extension StoreSwitch {
    /// Checks that a backup still has the rows that it was left with.
    ///
    /// - Parameters:
    ///   - store: The backup.
    ///   - backup: Its marker.
    ///   - marker: That of the store to be switched.
    /// - Throws: `verification` if it does not, or if that is unknown; the errors of reading.
    private func requireUnchanged(
        _ store: any Store, _ backup: StoreMarker, of marker: StoreMarker
    ) async throws {
        let way =
            "Bring over what is missing, and then replace the backup together with such rows; nothing was changed."
        guard let compared = backup.rowsWhenLeft(for: marker) else {
            throw StoreError(
                .verification,
                "The backup at \(target.location) does not record which rows it was left with, so later "
                    + "writes to it cannot be ruled out. Compare it with the store by `verify`. \(way)")
        }
        let work = SwitchWork(id: UUID(), old: store, new: store, isScoped: backup.scopeColumn != nil) { _ in
        }
        let names = try await work.entities(changedSince: compared)
        guard names.isEmpty else {
            throw StoreError(
                .verification,
                "Somebody has written to the backup at \(target.location) after it was left, past the store, in "
                    + "\(names.joined(separator: ", ")). Those rows are nowhere else. \(way)")
        }
    }
}

extension StoreMarker {
    /// The digests of the rows that a backup was left with, by the name of the entity; nil if they are
    /// unknown.
    fileprivate func rowsWhenLeft(for marker: StoreMarker) -> [String: String]? {
        // A store that was relocated has the record of an earlier switch, by which it came.
        guard let record = switching, record.peer == successor else { return nil }
        return record.compared
            ?? (marker.isArrival && marker.switching?.id == record.id ? marker.switching?.compared : nil)
    }

    /// Whether a backup was left by another store of the same identity than the one to be switched there.
    fileprivate func isLeftByCopy(of marker: StoreMarker) -> Bool {
        guard marker.isArrival, marker.generation == generation + 1, let record = switching else {
            return false
        }
        return record.id != marker.switching?.id
    }

    /// Whether the store was switched to a place, and is kept as a backup.
    fileprivate func isSwitched(to target: StorePlace) -> Bool {
        role == .superseded && switching?.state == .committed && switching?.peer == target.location
    }

    /// The aborted switch that has left this incomplete copy; nil if there is none.
    ///
    /// It was aborted while the place was unreachable.
    fileprivate func leftover(of old: StoreMarker) -> UUID? {
        guard role == .copying, let record = switching, record.state == .copying,
            !old.isBeingSwitched || record.id != old.switching?.id,
            record.copied?.token.storeID == old.storeID
        else { return nil }
        return record.id
    }

    /// Whether a switch of the store was begun, and is neither complete nor aborted.
    var isBeingSwitched: Bool { switching?.isUnderWay == true }

    /// Checks that a fenced store has its copy: the fence comes only after the copy was begun.
    ///
    /// - Parameters:
    ///   - found: The marker in the new place.
    ///   - location: The new place.
    ///   - place: The place of the store itself.
    /// - Throws: `notFound` if the copy is missing: the switch may have been committed, and the data moved
    ///   on.
    fileprivate func requireCopy(_ found: StoreMarker?, at location: String, of place: String) throws {
        guard isFenced, found?.switching?.id != switching?.id else { return }
        throw StoreError(
            .notFound,
            "The store \(place) is fenced by a switch to \(location), and the copy there is missing. If the "
                + "place is unreachable, bring it back. If the copy is lost, abort the switch as one whose "
                + "copy is lost, but only if no other store has the data; nothing was changed.")
    }
}

extension Schema {
    /// Checks that the history contains every change of the rows.
    ///
    /// - Throws: `unsupported`.
    fileprivate func requireSwitchable() throws {
        for entity in entities
        where entity.isLeftOutOfHistory || entity.attributes.contains(where: { $0.history == .leftOut }) {
            throw StoreError(
                .unsupported,
                "The history leaves out rows or values of \(entity.name), so a switch could lose concurrent "
                    + "changes.", entity: entity.name)
        }
    }

    /// Checks that rows can be transferred unchanged.
    ///
    /// - Throws: `schemaMismatch`.
    fileprivate func requireSame(as other: Schema) throws {
        guard fingerprint != other.fingerprint else { return }
        throw StoreError(
            .schemaMismatch,
            "The two places of a switch have different schemas: \(differences(from: other).joined(separator: "; ")). Give both "
                + "the same; nothing was changed.")
    }
}

extension StoreError {
    fileprivate static func notToBeSwitched(_ location: String, _ marker: StoreMarker) -> StoreError {
        let place = marker.successor.map { "; its data is in \($0)" } ?? ""
        return StoreError(
            .outOfService,
            "The store \(location) is no longer the one to use: its role is \(marker.role.rawValue)\(place)."
        )
    }

    /// The error of two processes that carry out switches of the same store, or to the same place.
    static var carriedOutElsewhere: StoreError {
        StoreError(
            .carriedOutElsewhere,
            "Another process is carrying out this switch, or one to the same place. Wait for it; nothing was "
                + "changed."
        )
    }
}
