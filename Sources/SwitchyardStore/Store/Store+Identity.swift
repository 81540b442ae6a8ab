public import Foundation

extension Store {
    /// Gives the store an identity of its own, as the copy of a store's file or database needs that is to be used beside it.
    ///
    /// A copy has the identity of the store that it was copied from, so that neither can be told from the other where a
    /// store is looked for by its identity. Afterwards the store is one that was never switched: records of where the other
    /// one went are not about it. Its rows and its history stay; a token of the history that was taken before is refused with
    /// `historyForeign`. Close the store wherever else it is open before.
    ///
    /// ```swift
    /// let copy = try await registry.open(url: "sqlite:/data/trial.sqlite", schema: DairySchema.self)
    /// try await copy.takeNewIdentity()
    /// ```
    ///
    /// - Returns: The new identity.
    /// - Throws: `outOfService` if the store is not the one to use, for example because it was superseded; `invalidArgument`
    ///   while it is being switched; as `write(_:_:)`. Nothing is changed then.
    @discardableResult
    public func takeNewIdentity() async throws -> UUID {
        try await write(.ofMarker) { tx in
            var marker = try tx.driver.maintenance.marker()
            guard marker.switching?.isUnderWay != true else {
                throw StoreError(
                    .invalidArgument,
                    "The store is being switched to another place. End the switch or give it up first; nothing was changed."
                )
            }
            marker.storeID = UUIDv7.next()
            marker.generation = 1
            marker.switching = nil
            try tx.driver.maintenance.setMarker(marker)
            return marker.storeID
        }
    }
}
