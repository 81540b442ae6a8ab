internal import Foundation
internal import SwitchyardCore

/// The end of a switch, after the new store has taken over.
extension StoreSwitch {
    /// Ends a committed switch, whatever the old store says of it.
    ///
    /// - Parameters:
    ///   - old: The old store's marker.
    ///   - current: The switch that it records as under way, or committed; nil if there is none.
    ///   - new: The new store's marker.
    /// - Throws: `identityConflict` if the old store does not know of the switch, or was written to after an
    ///   abort there; nothing was changed then. As `complete(_:after:)`.
    func complete(_ old: StoreMarker, _ current: SwitchRecord?, as new: StoreMarker) async throws {
        var old = old
        if current == nil {
            // The switch was aborted while the new store was unreachable. Both may have been written to
            // since, and only their user knows which one to keep.
            guard let record = old.switching, record.state == .aborted, record.id == new.switching?.id,
                record.peer == target.location
            else { throw takenOverBefore }
            do {
                try await audit(old, as: new)
            } catch let error as StoreError where error.code == .verification {
                throw takenOverBefore
            }
        }
        if old.role == .active { old = try await fenceAgain(old) }
        try await complete(old) { [old] in
            // The rest after an interrupted commit.
            guard old.isFenced else { return }
            try await audit(old, as: new)
        }
    }

    /// Fences an old store that has lost its fence, because it was restored, or its server has failed over,
    /// after the new store took over.
    ///
    /// - Returns: The old store's marker.
    private func fenceAgain(_ marker: StoreMarker) async throws -> StoreMarker {
        try await change(marker) { [target] old in
            old.role = .superseded
            old.successor = target.location
            old.switching?.state = .fenced
            old.switching?.hasLostFence = true
        }
        return try await sourceMarker()
    }

    /// The error of a store that takes writes although another one has taken over from it.
    var takenOverBefore: StoreError {
        StoreError(
            .identityConflict,
            "The store at \(target.location) has taken over from \(source.location) before. Run the switch "
                + "to end it. If both are in use, find out which one has the data to keep, and move the "
                + "other away; nothing was changed.")
    }

    /// Records the new place, and ends the switch in the old store.
    ///
    /// - Parameters:
    ///   - old: The old store's marker.
    ///   - audit: Checks the old store once more, before its marker records the end: an interrupted run
    ///     repeats it.
    /// - Throws: `verification` from the audit, and the errors of the registry, both at the end; as `run`.
    func complete(_ old: StoreMarker, after audit: () async throws -> Void) async throws {
        let new = try await target.marker()
        // Findings do not prevent the end of the switch, or each attempt would stop at them.
        var findings: [StoreError] = []
        do { try await note(old, new) } catch let error as StoreError { findings.append(afterCommit(error)) }
        do { try await audit() } catch let error as StoreError where error.code == .verification {
            findings.append(error)
        } catch let error as StoreError where error.isOfVersion {
            // Only an earlier version of the app can read it.
            let hasLostFence = old.switching?.hasLostFence == true
            findings.append(
                afterCommit(
                    error,
                    hasLostFence
                        ? "Rows may be in the old store and nowhere else, for it took writes again. " : ""))
        }
        let compared = new?.switching?.id == old.switching?.id ? new?.switching?.compared : nil
        try await finish(as: .committed, role: .superseded, old, compared: compared)
        // The new store may itself have been superseded since.
        if old.scopeColumn != nil, new?.role == .active {
            do {
                try await target.withStore(OpenOptions(createsIfMissing: false, scope: old.anyScope)) {
                    try await SwitchWork.tidyUp($0)
                }
            } catch {
                // The next call tidies up, but would not find the other again.
                if findings.isEmpty { throw error }
            }
        }
        if let finding = findings.last { throw finding }
    }

    /// An error that does not undo the switch.
    private func afterCommit(_ error: StoreError, _ warning: String = "") -> StoreError {
        StoreError(
            error.code,
            "The switch is committed, and \(target.location) is the store to use. \(warning)\(error.message)",
            underlying: error)
    }

    /// Notes in the registry where the store is.
    private func note(_ old: StoreMarker, _ new: StoreMarker?) async throws {
        guard let registry, new?.hasTakenOver(from: old) == true else { return }
        let record = PlaceRecord(
            storeID: old.storeID, generation: old.generation + 1, location: target.location,
            formerly: [source.location], switchID: old.switching?.id)
        try await BlockingWork.run { try registry.note(record) }
    }

    /// Ends the switch in the old store.
    ///
    /// - Parameters:
    ///   - state: The final state.
    ///   - role: The role that the store must have.
    ///   - marker: Its marker.
    ///   - compared: The digests of the rows that it is left with; nil if it is not left, or if they are
    ///     unknown.
    /// - Throws: `carriedOutElsewhere` if another attempt has ended it; what writing throws.
    func finish(
        as state: SwitchRecord.State, role: StoreRole, _ marker: StoreMarker,
        compared: [String: String]? = nil
    ) async throws {
        let id = marker.switching?.id
        try await source.withMarker(.readWrite, scope: marker.anyScope) { old in
            try await old.write(.ofMarker) { tx in
                try tx.removeHistoryConsumer(SwitchWork.consumer)
                try tx.updateMarker { marker in
                    // Another one may have been begun since, or this one fenced.
                    guard marker.role == role, marker.switching?.id == id,
                        marker.switching?.isUnderWay == true || marker.switching?.state == state
                    else { throw StoreError.carriedOutElsewhere }
                    if marker.switching?.startedHistory == true { marker.stopHistory() }
                    marker.switching?.state = state
                    if let compared { marker.switching?.compared = compared }
                    guard state == .aborted else { return }
                    marker.role = .active
                    marker.successor = nil
                }
            }
        }
    }

    /// Compares a fenced store with what the new one has noted of it at the commit.
    ///
    /// - Parameters:
    ///   - marker: The old store's marker.
    ///   - new: The new store's.
    /// - Throws: `verification` if something was written to it, or if that cannot be told and may be; what reading throws.
    private func audit(_ marker: StoreMarker, as new: StoreMarker) async throws {
        guard let record = marker.switching, new.switching?.id == record.id,
            let compared = new.switching?.compared
        else {
            guard marker.role == .active || marker.switching?.hasLostFence == true else { return }
            throw StoreError(
                .verification,
                "The switch is committed, but the old store took writes again, and the new one has been switched since. Rows "
                    + "may be in the old store and nowhere else: compare it with the store that has the data."
            )
        }
        let options = OpenOptions(createsIfMissing: false, role: marker.role, scope: marker.anyScope)
        try await source.withStore(options) { old in
            let isScoped = marker.scopeColumn != nil
            try await SwitchWork(id: record.id, old: old, new: old, isScoped: isScoped) { _ in }
                .audit(compared)
        }
    }
}
