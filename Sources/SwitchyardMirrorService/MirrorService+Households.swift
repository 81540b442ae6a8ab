public import Foundation
public import SwitchyardCore
public import SwitchyardMirror

/// What who runs the service does to households, without being a member of any.
extension MirrorService {
    /// Whether the store has scopes, each of which is a household; one without is a single household.
    ///
    /// - Throws: As a read.
    public var hasScopes: Bool {
        get async throws { try await store.marker().scopeColumn != nil }
    }

    /// Who belongs to a household.
    ///
    /// - Parameter household: Its scope; nil in a store without scopes.
    /// - Returns: The household, with its open invitations.
    /// - Throws: As a read.
    public func household(_ household: StoreScope?) async throws -> Household {
        try await host.withHousehold(in: household) { try $0.household(of: nil) }
    }

    /// Makes an invitation; the first one of an owner begins a household.
    ///
    /// - Parameters:
    ///   - terms: Its terms, with a role.
    ///   - household: The household's scope, which may be new; nil in a store without scopes.
    ///   - service: The URL at which devices reach the service.
    /// - Returns: The link to the invitation.
    /// - Throws: `invalidArgument` for terms or a URL that cannot be; as a write.
    public func invite(
        _ terms: InvitationTerms, into household: StoreScope?, service: URL
    ) async throws -> HouseholdLink {
        try HouseholdLink.requireService(service)
        let (id, secret) = try await host.withHousehold(in: household) { try $0.invite(terms, by: nil) }
        return HouseholdLink(
            service: service, token: MirrorToken(.invitation, scope: household, id: id, secret: secret))
    }

    /// Ends a membership.
    ///
    /// - Throws: `notFound`; `invalidArgument` for the last owner; as a write.
    public func revoke(member: UUID, of household: StoreScope?) async throws {
        try await host.withHousehold(in: household) { try $0.revoke(member: member, by: nil) }
    }
}
