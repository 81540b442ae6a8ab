package import Foundation

extension Store {
    /// Records from now on what each write changes, in the store itself and in the same transaction, whichever process
    /// writes.
    ///
    /// A history that was stopped before begins anew: what was kept of it is deleted, because the changes in between are
    /// missing. Where one is kept already, it goes on, and only its retention changes.
    ///
    /// - Parameter retention: How much of it `pruneHistory()` leaves; nil for what the store has been told before, which is
    ///   everything at first.
    /// - Throws: `invalidArgument` for a negative retention; as `write(_:_:)`.
    public func keepHistory(retention: HistoryRetention? = nil) async throws {
        try await keepHistory(retention: retention, forSwitch: nil)
    }

    /// Records from now on what each write changes.
    ///
    /// - Parameters:
    ///   - retention: As `keepHistory(retention:)`.
    ///   - change: The switch for which that is, which ends it again if it has begun it and nobody else asks for it.
    /// - Throws: As `keepHistory(retention:)`; `carriedOutElsewhere` if that switch is not under way any more.
    package func keepHistory(
        retention: HistoryRetention? = nil, forSwitch change: UUID?
    ) async throws {
        try retention?.requireValid()
        try await write(.ofMarker) { transaction in
            var marker = try transaction.driver.maintenance.marker()
            if let change, marker.switching?.id != change || marker.switching?.isUnderWay != true {
                throw StoreError(
                    .carriedOutElsewhere,
                    "The switch was given up, or another one was begun; nothing was changed.")
            }
            var history =
                marker.history ?? HistorySettings(isKept: false, era: 0, retention: .unlimited)
            if let retention { history.retention = retention }
            if !history.isKept { try transaction.beginHistory(&history) }
            let isAskedFor = change == nil && marker.switching?.startedHistory == true
            guard history != marker.history || isAskedFor else { return }
            marker.history = history
            if isAskedFor { marker.switching?.startedHistory = false }
            try transaction.driver.maintenance.setMarker(marker)
        }
    }

    /// Records no more changes; what was recorded stays and can be read.
    ///
    /// - Throws: `invalidArgument` while the store is switched to another place, or mirrored, which both follow its history;
    ///   as `write(_:_:)`.
    public func stopHistory() async throws {
        try await write(.ofMarker) { transaction in
            var marker = try transaction.driver.maintenance.marker()
            guard marker.history?.isKept == true else { return }
            guard marker.mirror == nil else {
                throw StoreError(
                    .invalidArgument,
                    "The store is mirrored, and the mirror follows its history. End the mirror first; nothing was changed."
                )
            }
            if let record = marker.switching, record.isUnderWay {
                throw StoreError(
                    .invalidArgument,
                    "A switch of the store to \(record.peer) is under way, and follows its history. End it or give it up "
                        + "first; nothing was changed.")
            }
            marker.history?.isKept = false
            try transaction.driver.maintenance.setMarker(marker)
        }
    }

    /// Sets the store's part in a mirror, which alone may do so.
    ///
    /// - Parameter role: The part; nil if the store is mirrored no longer.
    /// - Throws: `unsupported` if the store keeps no history; as `write(_:_:)`.
    package func setMirrorRole(_ role: MirrorRole?) async throws {
        try await write(.ofMarker) { try $0.setMirrorRole(role) }
    }
}

extension WriteTransaction {
    /// Notes the store's part in a mirror, in a write of the marker.
    ///
    /// - Throws: As `Store.setMirrorRole(_:)`.
    package func setMirrorRole(_ role: MirrorRole?) throws {
        var marker = try driver.maintenance.marker()
        guard marker.mirror != role else { return }
        guard role == nil || marker.history?.isKept == true else {
            throw StoreError.changesNotRecorded("mirrored")
        }
        marker.mirror = role
        // A program without the app merges by the policies in the marker, which an earlier release may have written.
        if role != nil, marker.schema.fingerprint == schema.fingerprint { marker.schema = schema }
        // A switch that has begun the history does not end it.
        if role != nil { marker.switching?.startedHistory = false }
        try driver.maintenance.setMarker(marker)
    }

    /// Deletes the history, and begins another one.
    package func beginHistory(_ history: inout HistorySettings) throws {
        for entity in [Entity.historyTransaction, .historyBlock] {
            _ = try unrecordedDriver.delete(from: entity, where: .constant(true))
        }
        history.era += 1
        guard history.era <= HistorySettings.greatest.era else {
            throw StoreError(.unsupported, "The store's history was begun too often.")
        }
        history.isKept = true
    }
}
