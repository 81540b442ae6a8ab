internal import Foundation
internal import SwitchyardCore
internal import Synchronization

/// A server that a device reaches over HTTPS, as a member of a household.
final class ServiceRemote: MirrorRemote {
    let scope: StoreScope?
    var token: MirrorToken? { ownToken }
    private let client: ServiceClient
    private let service: URL
    private let ownToken: MirrorToken
    /// The device's schema, in whose words messages are written.
    private let schema: Schema
    private let lastHousehold = Mutex<Household?>(nil)
    var knownHousehold: Household? { lastHousehold.withLock { $0 } }

    /// Prepares to reach a service.
    ///
    /// - Throws: `invalidArgument` for a URL that names none; `authentication` for a token of an invitation.
    init(
        _ service: URL, _ token: MirrorToken, _ schema: Schema, over transport: any ServiceTransport
    ) throws {
        guard token.kind == .device else { throw StoreError.unknownToken }
        self.service = try service.requiredService
        client = ServiceClient(service, over: transport)
        scope = token.scope
        (ownToken, self.schema) = (token, schema)
    }

    func connect(expecting known: UUID?) async throws -> UUID {
        let greeting = try await greeting()
        guard known == nil || greeting.store == known else { throw StoreError.otherServer }
        return greeting.store
    }

    private func greeting() async throws -> ServiceMessage.Greeting {
        let greeting: ServiceMessage.Greeting = try await client.send(
            ServiceClient.Call(method: "GET", path: "/household"), bearing: ownToken.text)
        lastHousehold.withLock { $0 = greeting.household }
        return greeting
    }

    func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        let message = try request.encoded(schema)
        // A request has one large mutation or several small ones.
        guard message.count > MutationParts.bytesPerPart, request.mutations.count == 1,
            let mutation = request.mutations.first
        else { return try await send("/exchange", message, device) }
        let bytes = try mutation.encoded(schema)
        let parts = try MutationParts(of: bytes)
        try await upload(bytes, parts)
        var rest = request
        rest.mutations = []
        return try await send("/exchange", try rest.encoded(schema), device, [ServiceForm.parts: parts.text])
    }

    /// Sends the parts of a mutation that the service does not have yet.
    private func upload(_ bytes: [UInt8], _ parts: MutationParts) async throws {
        let arrived: ServiceMessage.Arrived = try await client.send(
            ServiceClient.Call(method: "GET", path: "/parts/\(parts.digest)/\(parts.count)"),
            bearing: ownToken.text)
        for number in Set(0..<parts.count).subtracting(arrived.parts).sorted() {
            let call = ServiceClient.Call(
                method: "PUT", path: "/parts/\(parts.digest)/\(number)",
                body: Array(MutationParts.part(number, of: bytes)))
            let _: ServiceMessage.Nothing = try await client.send(call, bearing: ownToken.text)
        }
    }

    func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        try await send("/rows", request.encoded(schema), device)
    }

    func part(_ request: PartRequest, _ device: MirrorDevice) async throws -> PartAnswer {
        try PartAnswer(try await post("/compare", request.encoded(schema), device), schema)
    }

    private func send(
        _ path: String, _ message: [UInt8], _ device: MirrorDevice, _ headers: [String: String] = [:]
    ) async throws -> ExchangeAnswer {
        try ExchangeAnswer(try await post(path, message, device, headers), schema)
    }

    private func post(
        _ path: String, _ message: [UInt8], _ device: MirrorDevice, _ headers: [String: String] = [:]
    ) async throws -> [UInt8] {
        let call = ServiceClient.Call(
            method: "POST", path: path,
            headers: headers.merging([ServiceForm.schema: device.schema.text]) { $1 },
            body: message)
        return [UInt8](try await client.send(call, bearing: ownToken.text, expecting: ServiceForm.message))
    }

    func follow(_ body: @Sendable () -> Void) async throws {
        var known: Int64 = -1
        while !Task.isCancelled {
            let head: ServiceMessage.Head = try await client.send(
                ServiceClient.Call(
                    method: "GET", path: "/head",
                    query: ["after": "\(known)", "wait": "\(ServiceForm.longestWait)"],
                    patience: ServiceForm.longestWait + 30),
                bearing: ownToken.text)
            guard head.sequence != known else { continue }
            known = head.sequence
            body()
        }
    }

    func close() async {}
}

/// What a member asks of a service besides exchanges.
extension ServiceRemote: HouseholdRemote {
    func household() async throws -> Household { try await greeting().household }

    func invite(_ terms: InvitationTerms) async throws -> HouseholdLink {
        let made: ServiceMessage.NewInvitation = try await client.send(
            ServiceClient.Call(method: "POST", path: "/invitations", body: try ServiceMessage.encoded(terms)),
            bearing: ownToken.text)
        return HouseholdLink(service: service, token: try MirrorToken(made.token))
    }

    func withdraw(invitation id: UUID) async throws {
        try await change(ServiceClient.Call(method: "DELETE", path: "/invitations/\(id.uuidString)"))
    }

    func change(_ member: UUID, to role: HouseholdRole, ends: Date?) async throws {
        let change = ServiceMessage.MemberChange(role: role, ends: ends)
        try await self.change(
            ServiceClient.Call(
                method: "PATCH", path: "/members/\(member.uuidString)",
                body: try ServiceMessage.encoded(change)))
    }

    func revoke(member: UUID) async throws {
        try await change(ServiceClient.Call(method: "DELETE", path: "/members/\(member.uuidString)"))
    }

    func revoke(device: UUID) async throws {
        try await change(ServiceClient.Call(method: "DELETE", path: "/devices/\(device.uuidString)"))
    }

    func leave() async throws { try await change(ServiceClient.Call(method: "POST", path: "/leave")) }

    private func change(_ call: ServiceClient.Call) async throws {
        let _: ServiceMessage.Nothing = try await client.send(call, bearing: ownToken.text)
    }
}
