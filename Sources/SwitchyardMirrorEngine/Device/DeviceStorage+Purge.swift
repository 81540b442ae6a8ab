internal import SwitchyardCore

extension DeviceStorage {
    /// Removes all rows, and what the mirror has kept of them, since the membership of the household has ended.
    ///
    /// The writes that the server has not decided on, as far as the device knows, are kept as rejected ones.
    ///
    /// - Throws: As the storage; what was done is then rolled back with its transaction.
    package func purge() throws {
        try seal()
        for mutation in try pending() where !mutation.isOffer {
            try quarantine(mutation.id, Rejection(.membership, mutation.changes.first?.key.entity ?? ""))
        }
        try removeAll()
    }
}
