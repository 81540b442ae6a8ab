extension Store {
    /// Records from now on what each write changes, in the store itself and in the same transaction, whichever process
    /// writes.
    ///
    /// A history that was stopped before begins anew: what was kept of it is deleted, because the changes in between are
    /// missing. Where one is kept already, nothing changes.
    ///
    /// - Throws: As `write(_:_:)`.
    public func keepHistory() async throws {
        try await write(.ofMarker) { transaction in
            var marker = try transaction.driver.marker()
            guard marker.history?.isKept != true else { return }
            for entity in [Entity.historyTransaction, .historyBlock] {
                _ = try transaction.driver.delete(from: entity, where: .constant(true))
            }
            let era = (marker.history?.era ?? 0) + 1
            guard era <= HistorySettings.greatest.era else {
                throw StoreError(.unsupported, "The store's history was begun too often.")
            }
            marker.history = HistorySettings(isKept: true, era: era)
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
