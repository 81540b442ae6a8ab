internal import Foundation
internal import SwitchyardCore

/// The status of a switch.
extension StoreSwitch {
    /// The status of the store's switch.
    ///
    /// - Throws: `notFound` if there is no such store; what reading throws.
    public func status() async throws -> SwitchStatus {
        let marker = try await sourceMarker()
        guard let record = marker.switching, marker.role != .active || record.state != .committed else {
            // A store that was switched to here has a record of that.
            return SwitchStatus(phase: nil, origin: marker.switching?.peer)
        }
        guard marker.isBeingSwitched else {
            let ended: SwitchPhase = marker.role == .retired ? .retired : .committed
            return SwitchStatus(phase: record.state == .aborted ? .aborted : ended, target: record.peer)
        }
        var status = SwitchStatus(phase: marker.isFenced ? .fenced : .planned, target: record.peer, rows: 0)
        status.isRehearsal = record.isRehearsal
        let found = record.peer == target.location ? try await target.marker() : nil
        if found?.hasTakenOver(from: marker) == true {
            var committed = SwitchStatus(phase: .committed, target: record.peer)
            committed.isToBeTidiedUp = true
            return committed
        }
        guard let new = found?.switching, new.id == record.id, let copied = new.copied else { return status }
        status.phase = marker.isFenced ? .fenced : copied.phase(of: marker.schema)
        if record.state == .rehearsing { status.phase = .rehearsing }
        status.rows = copied.rows
        status.findings = new.findings
        do {
            status.lag = try await lag(marker, record, copied)
        } catch let error as StoreError where error.isOfVersion {
            // A newer version of the app can give the switch up, and read neither of the stores.
        }
        return status
    }

    /// The number of committed writes that the new store does not have yet.
    private func lag(
        _ marker: StoreMarker, _ record: SwitchRecord, _ copied: SwitchRecord.Copied
    ) async throws -> Int64 {
        var options = OpenOptions(
            access: .readOnly, createsIfMissing: false, role: marker.role, scope: marker.anyScope)
        return try await source.withStore(options) { old in
            guard marker.scopeColumn != nil else {
                return try await old.read { try $0.historyToken().sequence } - copied.token.sequence
            }
            options.role = .copying
            return try await target.withStore(options) { new in
                try await SwitchWork(id: record.id, old: old, new: new, isScoped: true) { _ in }.lag()
            }
        }
    }
}

extension SwitchRecord.Copied {
    /// The next step of a switch with this record.
    fileprivate func phase(of schema: Schema) -> SwitchPhase {
        if hasConstraints { return .verifying }
        return isComplete(for: schema) && hasAllScopes != false ? .indexing : .copying
    }
}
