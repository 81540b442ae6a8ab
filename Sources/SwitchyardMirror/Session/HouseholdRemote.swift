internal import Foundation
internal import SwitchyardCore

/// A server that knows who belongs to a household.
protocol HouseholdRemote: MirrorRemote {
    /// The household as this member sees it.
    ///
    /// - Throws: What kept the server from being reached; `authentication` and `revoked`, as all others.
    func household() async throws -> Household
    func invite(_ terms: InvitationTerms) async throws -> HouseholdLink
    func withdraw(invitation id: UUID) async throws
    func change(_ member: UUID, to role: HouseholdRole, ends: Date?) async throws
    func revoke(member: UUID) async throws
    func revoke(device: UUID) async throws
    /// Takes this device, and with the last one its member, out of the household.
    func leave() async throws
}
