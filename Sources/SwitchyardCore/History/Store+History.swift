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
        try retention?.requireValid()
        try await write(.ofMarker) { transaction in
            var marker = try transaction.driver.marker()
            var history =
                marker.history ?? HistorySettings(isKept: false, era: 0, retention: .unlimited)
            if let retention { history.retention = retention }
            if !history.isKept {
                for entity in [Entity.historyTransaction, .historyBlock] {
                    _ = try transaction.driver.delete(from: entity, where: .constant(true))
                }
                history.era += 1
                guard history.era <= HistorySettings.greatest.era else {
                    throw StoreError(.unsupported, "The store's history was begun too often.")
                }
                history.isKept = true
            }
            guard history != marker.history else { return }
            marker.history = history
            try transaction.driver.setMarker(marker)
        }
    }

    /// Records no more changes; what was recorded stays and can be read.
    ///
    /// - Throws: As `write(_:_:)`.
    public func stopHistory() async throws {
        try await write(.ofMarker) { transaction in
            var marker = try transaction.driver.marker()
            guard marker.history?.isKept == true else { return }
            marker.history?.isKept = false
            try transaction.driver.setMarker(marker)
        }
    }
}
