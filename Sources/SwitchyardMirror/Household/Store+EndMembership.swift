internal import Foundation
internal import SwitchyardCore

extension Store {
    /// Notes that the device wants to leave, whatever happens before it has told the service.
    ///
    /// - Returns: Whether the device was to keep the rows before.
    /// - Throws: `invalidArgument` if there are writes that were not sent or were rejected, unless they are to be forgotten.
    func prepareToLeave(keepingRows keepsRows: Bool, discardingUnsent discardsUnsent: Bool) async throws
        -> Bool
    {
        let server = try await marker().mirror?.server
        return try await write { tx in
            if let server {
                let mirror = LocalMirror(tx, server: server)
                try mirror.seal()
                guard
                    try discardsUnsent
                        || (mirror.records.count(.pending) == 0 && mirror.records.count(.quarantined) == 0)
                else { throw StoreError.unsentWrites }
            }
            // It may be made a mirror while the service is asked.
            return try Credential.keepRows(keepsRows, tx)
        }
    }

    /// Takes back what was noted to leave, since the service has refused it: the membership goes on, or was ended by others.
    func stay(keepingRows keepsRows: Bool) async throws {
        try await write { tx in _ = try Credential.keepRows(keepsRows, tx) }
    }

    /// Ends the store's part in a household that has told it to go: removes its rows and their history, in one transaction.
    ///
    /// The writes that the server has not decided on are kept as rejected ones. A device that wanted to leave with its rows
    /// keeps those, and so does one that has never exchanged with the household.
    ///
    /// - Parameters:
    ///   - token: The token by which the device was a member; nil for whatever token it has. If the store has joined again since,
    ///     nothing is removed: it was another process's membership that has ended.
    ///   - role: The part in the mirror that has ended; nil for whatever part the store has. If it has begun another one since,
    ///     nothing is removed either.
    /// - Throws: As a write; nothing was removed then.
    func endMembership(of token: MirrorToken?, in role: MirrorRole? = nil) async throws {
        try await write(.ofMarker) { tx in
            var marker = try tx.driver.maintenance.marker()
            let credential = try Credential.read(tx)
            if let token, let credential, credential.token != token.text { return }
            if let role, let found = marker.mirror, found != role { return }
            guard let server = marker.mirror?.server else {
                // One that reached its server directly has joined no household.
                let isMember = token != nil || role == nil
                if isMember, marker.mirror == nil, try Credential.end(tx), token != nil {
                    try HouseholdNote(household: nil).write(tx, at: Date())
                }
                return
            }
            let mirror = LocalMirror(tx, server: server)
            if try Credential.keepsRows(tx) {
                _ = try mirror.end(discardingUnsent: true)
            } else {
                try mirror.purge()
                if var history = marker.history, history.isKept {
                    try tx.beginHistory(&history)
                    marker.history = history
                }
            }
            // Whoever has left knows it.
            if token != nil { try HouseholdNote(household: nil).write(tx, at: Date()) }
            marker.mirror = nil
            try tx.driver.maintenance.setMarker(marker)
        }
    }
}
