public import SwitchyardCore
public import SwitchyardMirror

/// An app's own login, by which people come into a household without an invitation.
///
/// It is asked when a device joins, and not again: the device has a token of its own then, which the end of a login elsewhere does not
/// end. A person is known by an id, so that several devices of one belong to one member, whose role is that of the first time.
///
/// The article on running the service has one for JSON Web Tokens:
///
/// ```swift
/// func person(for request: ServiceRequest) async throws -> MirrorPerson {
///     let claims = try await keys.verify(request.bearerToken ?? "", as: Claims.self)
///     return MirrorPerson(
///         id: claims.sub.value, household: StoreScope(claims.household), role: claims.role)
/// }
/// ```
public protocol MirrorAuthenticator: Sendable {
    /// The person who sends a request.
    ///
    /// - Throws: What says that it is nobody; the device is told that it was not let in, and not why.
    func person(for request: ServiceRequest) async throws -> MirrorPerson
}

/// A person whom an app's own login knows.
public struct MirrorPerson: Sendable, Hashable {
    /// The id there, which stays the same.
    public let id: String
    /// The household that the person belongs to; nil in a store without scopes.
    public let household: StoreScope?
    /// The role that the person gets who comes for the first time; nil if only members are let in.
    public let role: HouseholdRole?

    /// Creates a person.
    public init(id: String, household: StoreScope?, role: HouseholdRole?) {
        (self.id, self.household, self.role) = (id, household, role)
    }
}

extension ServiceRequest {
    /// The token that the request bears; nil without one.
    public var bearerToken: String? {
        guard let value = headers["authorization"], value.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(value.dropFirst(7))
    }
}
