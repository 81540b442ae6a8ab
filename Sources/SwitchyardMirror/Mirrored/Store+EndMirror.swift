package import SwitchyardCore

extension Store {
    /// Ends the store's part as a device of a mirror, or as one that has joined a household and not exchanged yet; a store that
    /// has none stays as it is.
    package func endMirror(discardingUnsent discardsUnsent: Bool) async throws {
        try await write(.ofMarker) { tx in
            var marker = try tx.driver.maintenance.marker()
            guard let server = marker.mirror?.server else {
                if marker.mirror == nil { try Credential.end(tx) }
                return
            }
            guard try LocalMirror(tx, server: server).end(discardingUnsent: discardsUnsent) else {
                throw StoreError.unsentWrites
            }
            marker.mirror = nil
            try tx.driver.maintenance.setMarker(marker)
        }
    }
}

extension StoreError {
    static var unsentWrites: StoreError {
        StoreError(
            .invalidArgument,
            "Some writes were not sent to the server yet, or were rejected by it. Exchange first, and decide on the "
                + "rejected ones, or say that they are to be forgotten; nothing was changed.")
    }
}
