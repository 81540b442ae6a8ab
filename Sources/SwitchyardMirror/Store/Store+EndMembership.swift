internal import Foundation
internal import SwitchyardCore

extension Store {
    /// Notes that the device wants to leave, whatever happens before it has told the service.
    ///
    /// - Throws: `invalidArgument` if there are writes that were not sent or were rejected, unless they are to be forgotten.
    func prepareToLeave(keepingRows keepsRows: Bool, discardingUnsent discardsUnsent: Bool) async throws {
        guard let server = try await marker().mirror?.server else { return }
        try await write { tx in
            let mirror = LocalMirror(tx, server: server)
            try mirror.seal()
            guard
                try discardsUnsent
                    || (mirror.records.count(.pending) == 0 && mirror.records.count(.quarantined) == 0)
            else { throw StoreError.unsentWrites }
            guard var credential = try Credential.read(tx) else { return }
            credential.keepsRows = keepsRows
            try credential.write(tx)
        }
    }

    /// Ends the store's part in a household that has told it to go: removes its rows and their history, in one transaction.
    ///
    /// The writes that the server has not decided on are kept as rejected ones. A device that wanted to leave with its rows
    /// keeps those.
    func endMembership() async throws {
        try await write(.ofMarker) { tx in
            var marker = try tx.driver.maintenance.marker()
            guard let server = marker.mirror?.server else { return }
            let mirror = LocalMirror(tx, server: server)
            if try Credential.read(tx)?.keepsRows == true {
                _ = try mirror.end(discardingUnsent: true)
            } else {
                try mirror.purge()
                if var history = marker.history, history.isKept {
                    try tx.beginHistory(&history)
                    marker.history = history
                }
            }
            marker.mirror = nil
            try tx.driver.maintenance.setMarker(marker)
        }
    }
}

extension LocalMirror {
    /// Removes all rows, and what the mirror has kept of them.
    fileprivate func purge() throws {
        try seal()
        for mutation in try pending() where !mutation.isOffer {
            try quarantine(mutation.id, Rejection(.membership, mutation.changes.first?.key.entity ?? ""))
        }
        for entity in schema.entities {
            _ = try transaction.unrecordedDriver.delete(from: entity, where: .constant(true))
        }
        try records.removeAll(except: [.quarantined])
        _ = try transaction.removeHistoryConsumer(MirrorRole.consumer)
    }
}
