public import Foundation
internal import SwitchyardCore

/// Who shares the household: known to a service, not to a server that is reached directly.
extension MirroredStore {
    /// Who belongs to the household, as the service says now; the store keeps that as its `membership()`.
    ///
    /// - Throws: `connectionLost` and other errors of reaching the service; `revoked`; `unsupported` without one.
    public func household() async throws -> Household {
        let household = try await service().household()
        try await local.note(household, at: Date())
        return household
    }

    /// Makes an invitation, whose link is to be sent to who shall come.
    ///
    /// - Parameters:
    ///   - role: The role of who accepts it; nil to add another device of this member.
    ///   - lifetime: For how many seconds it can be accepted.
    ///   - uses: How often.
    ///   - membershipEnds: When the membership ends that it gives; nil for never.
    /// - Returns: The link.
    /// - Throws: `notPermitted` unless this member is an owner, or invites a device of its own; `invalidArgument`; as `household()`.
    public func invite(
        _ role: HouseholdRole?, lifetime: Int = 86_400, uses: Int = 1, membershipEnds: Date? = nil
    ) async throws -> HouseholdLink {
        try await service().invite(
            InvitationTerms(role: role, lifetime: lifetime, uses: uses, membershipEnds: membershipEnds))
    }

    /// Withdraws an invitation that was not accepted yet.
    ///
    /// - Throws: `notFound` if it is not open any more; as `invite(_:lifetime:uses:membershipEnds:)`.
    public func withdraw(invitation id: UUID) async throws { try await service().withdraw(invitation: id) }

    /// Gives a member another role, and a date at which the membership ends.
    ///
    /// - Throws: `notPermitted`; `notFound`; `invalidArgument` if no owner would be left; as `household()`.
    public func setRole(
        _ role: HouseholdRole, ofMember id: UUID, endingAt end: Date? = nil
    ) async throws { try await service().change(id, to: role, ends: end) }

    /// Ends a membership: nothing that the member's devices send from then on is carried out, and they lose the rows.
    ///
    /// - Throws: As `setRole(_:ofMember:endingAt:)`.
    public func revoke(member id: UUID) async throws { try await service().revoke(member: id) }

    /// Removes a device, such as a phone that was lost; its member stays.
    ///
    /// - Throws: `invalidArgument` for the last device of the last owner; as `setRole(_:ofMember:endingAt:)`.
    public func revoke(device id: UUID) async throws { try await service().revoke(device: id) }

    /// Takes this device out of the household, and with its last device the member.
    ///
    /// - Parameters:
    ///   - keepsRows: Whether the device keeps the rows, as a store of its own.
    ///   - discardsUnsent: Whether writes that the server has not decided on, or has rejected, are forgotten.
    /// - Throws: `invalidArgument` for the last device of the last owner, and if there are such writes; as `household()`.
    public func leave(keepingRows keepsRows: Bool = false, discardingUnsent discardsUnsent: Bool = false)
        async throws
    {
        let service = try service()
        let keptRows = try await local.prepareToLeave(
            keepingRows: keepsRows, discardingUnsent: discardsUnsent)
        do { try await service.leave() } catch let error as StoreError {
            switch error.code {
            case .invalidArgument, .notPermitted: try await local.stay(keepingRows: false)
            case .revoked:
                // Others have ended it, or an earlier call whose answer was lost.
                try await local.stay(keepingRows: keptRows)
                try await local.endMembership(of: remote.token)
            // The service may have carried it out.
            default: break
            }
            throw error
        }
        // Else the exchange could make the store a mirror once more.
        await end()
        try await local.endMembership(of: nil)
    }

    private func service() throws -> any HouseholdRemote {
        guard let service = remote as? any HouseholdRemote else {
            throw StoreError(
                .unsupported,
                "The store mirrors a server that it reaches directly, which knows no members. Whoever has its password belongs "
                    + "to the household.")
        }
        return service
    }
}
