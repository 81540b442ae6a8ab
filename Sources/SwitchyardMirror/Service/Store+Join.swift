public import Foundation
public import SwitchyardCore

extension Store {
    /// Joins a household by a link that one of its owners has made.
    ///
    /// The store remembers the service and its token, so that whoever has the file can exchange as this device. Open it with
    /// `MirrorServer.joined` next. A call whose answer was lost is repeated with the same link, or another one into the household: if
    /// the first one was accepted, the device stays the member that it made.
    ///
    /// ```swift
    /// let household = try await local.join(try HouseholdLink(text), as: "Mia", device: "Mia's phone")
    /// let store = try await MirroredStore.open(local, mirroring: .joined)
    /// ```
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - name: The name by which the others know who joins; nil if the link adds a device to a member.
    ///   - device: The device's name.
    /// - Returns: The household.
    /// - Throws: `notPermitted` for an invitation that is not open any more; `identityConflict` if the store belongs to a household
    ///   already; `connectionLost` if the service cannot be reached; as a write.
    public func join(_ link: HouseholdLink, as name: String?, device: String?) async throws -> Household {
        try await join(link, as: name, device: device, over: URLSessionTransport())
    }

    /// Joins a household over another transport.
    package func join(
        _ link: HouseholdLink, as name: String?, device: String?, over transport: any ServiceTransport
    ) async throws -> Household {
        let arrival = try await beginJoining(
            link.service, link.token.id, scope: link.token.scope, name, device)
        let greeting: ServiceMessage.Greeting = try await ServiceClient(link.service, over: transport).send(
            ServiceClient.Call(method: "POST", path: "/join", body: try ServiceMessage.encoded(arrival)),
            bearing: link.token.text)
        try await endJoining(scope: link.token.scope, greeting.household)
        return greeting.household
    }

    /// Joins the household to which the person belongs whom the app's own login knows.
    ///
    /// - Parameters:
    ///   - service: The service's URL.
    ///   - login: What the service's `MirrorAuthenticator` knows the person by, such as a JSON Web Token.
    ///   - name: The name by which the others know who joins.
    ///   - device: The device's name.
    /// - Returns: The household.
    /// - Throws: `authentication` if the login is refused; as `join(_:as:device:)`.
    public func join(
        _ service: URL, bearing login: String, as name: String, device: String?
    ) async throws -> Household {
        try await join(service, bearing: login, as: name, device: device, over: URLSessionTransport())
    }

    /// Joins a household by a login, over another transport.
    package func join(
        _ service: URL, bearing login: String, as name: String, device: String?,
        over transport: any ServiceTransport
    ) async throws -> Household {
        let service = try service.requiredService
        // A login is no invitation; that of the same service may be repeated.
        let arrival = try await beginJoining(service, .numbered(0), scope: nil, name, device)
        let answer: ServiceMessage.LoginAnswer = try await ServiceClient(service, over: transport).send(
            ServiceClient.Call(method: "POST", path: "/login", body: try ServiceMessage.encoded(arrival)),
            bearing: login)
        try await endJoining(scope: answer.scope.map { StoreScope($0) }, answer.greeting.household)
        return answer.greeting.household
    }

    /// Notes the secret that the device is going to have, so that a request whose answer is lost can be repeated.
    private func beginJoining(
        _ service: URL, _ invitation: UUID, scope: StoreScope?, _ name: String?, _ device: String?
    ) async throws -> HouseholdRecords.Arrival {
        let marker = try await marker()
        guard marker.mirror == nil else { throw StoreError.hasJoined }
        let newSecret = MirrorToken.newSecret()
        let credential = try await write { tx in
            var secret = newSecret
            if let known = try Credential.read(tx) {
                guard let pending = known.invitation else { throw StoreError.hasJoined }
                if pending == invitation, known.service == service { return known }
                // The service may have let the device in by the other invitation, and knows it by that secret.
                if known.service == service { secret = try MirrorToken(known.token).secret }
            }
            let token = MirrorToken(.device, scope: scope, id: marker.storeID, secret: secret)
            let new = Credential(service: service, token: token.text, invitation: invitation)
            try new.write(tx)
            return new
        }
        return HouseholdRecords.Arrival(
            device: marker.storeID, secret: try MirrorToken(credential.token).secret, deviceName: device,
            name: name)
    }

    private func endJoining(scope: StoreScope?, _ household: Household) async throws {
        try await write { tx in
            guard let pending = try Credential.read(tx) else { return }
            let token = try MirrorToken(pending.token)
            let joined = MirrorToken(.device, scope: scope, id: token.id, secret: token.secret)
            try Credential(service: pending.service, token: joined.text, invitation: nil).write(tx)
            try HouseholdNote(household: household).write(tx, at: Date())
        }
    }
}

extension Store {
    /// Whether the store has joined a household, which `MirrorServer.joined` reaches.
    ///
    /// - Throws: As a read.
    public func hasJoinedHousehold() async throws -> Bool {
        try await read { tx in try Credential.read(tx).map { $0.invitation == nil } ?? false }
    }
}

extension StoreError {
    fileprivate static var hasJoined: StoreError {
        StoreError(
            .identityConflict,
            "The store belongs to a household, or mirrors a server, already. Leave it first, or open another file; nothing was "
                + "changed.")
    }

    static var notJoined: StoreError {
        StoreError(
            .notFound,
            "The store has joined no household. Join one by its link, or name the server that it mirrors; nothing was changed."
        )
    }
}
