internal import Foundation
public import SwitchyardCore
public import SwitchyardMirror

/// What devices reach over HTTPS instead of a database: it carries out their exchanges in the server's store, as far as the
/// members of each household may.
///
/// It has no state beside the store, so several of them serve the same households. An HTTP server hands it each request:
///
/// ```swift
/// let service = try await MirrorService.serving(store)
/// let response = await service.respond(to: request)
/// ```
public final class MirrorService: Sendable {
    let host: MirrorHost
    private let storeID: UUID
    private let authenticator: (any MirrorAuthenticator)?
    private let heads: HeadWatch
    private let limits: RequestLimits
    /// Lets few large writes be put together at a time: each takes several times its size, which is up to 256 MiB.
    package let largeWrites = AsyncSemaphore(permits: 2, timeout: .seconds(20))

    /// The store that it serves.
    public var store: any Store { host.store }

    private init(
        _ host: MirrorHost, _ storeID: UUID, _ authenticator: (any MirrorAuthenticator)?, _ rate: Int
    ) {
        (self.host, self.storeID, self.authenticator) = (host, storeID, authenticator)
        heads = HeadWatch(host.store)
        limits = RequestLimits(perMinute: rate)
    }

    /// Serves an open store, and makes it a server if it is none yet.
    ///
    /// - Parameters:
    ///   - store: The store. It is opened with any scope, if it has scopes, and closed by who has opened it, after `close()`.
    ///   - plan: The plan whose newest schema the store has: devices of earlier versions are served as far as it allows. Nil
    ///     serves those of the store's own version.
    ///   - functions: The functions that the models name for merging their attributes.
    ///   - authenticator: The app's own login; nil if invitations alone let people in.
    ///   - requestsPerMinute: How many requests one device may make.
    /// - Returns: The service.
    /// - Throws: `invalidArgument` if the store mirrors another one; `schemaInvalid` for a plan that is wrong; as a write.
    public static func serving(
        _ store: any Store, migratedBy plan: (any SchemaMigrationPlan.Type)? = nil,
        functions: MergeFunctions = MergeFunctions(), authenticator: (any MirrorAuthenticator)? = nil,
        requestsPerMinute: Int = 600
    ) async throws -> MirrorService {
        let host = MirrorHost(
            store, migratedBy: try plan.map { try MigrationPlan($0) }, functions: functions,
            now: StoreRemote.systemTime)
        return MirrorService(host, try await host.begin(), authenticator, requestsPerMinute)
    }

    /// Whether the store answers.
    public func isReady() async -> Bool { (try? await store.marker()) != nil }

    /// Answers the devices that wait for news, and follows the store no more.
    public func close() async { await heads.close() }

    /// The largest body that a request may have, in bytes.
    public static var largestRequest: Int { ServiceForm.largestRequest }

    /// Answers a request; nothing that it contains ends the service.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        await respond(to: request) { request.body.count <= $0 ? request.body : nil }
    }

    /// Answers a request whose body is still to come: it is read once the sender has not sent too much, and a large one once the
    /// sender's token was found right.
    ///
    /// - Parameters:
    ///   - head: The request without its body.
    ///   - readBody: Reads the body, which may have as many bytes as it is given. It returns nil if there are more of them, or if
    ///     they do not come.
    /// - Returns: The answer; the body may not have been read then.
    public func respond(
        to head: ServiceRequest, readingBody readBody: (_ most: Int) async -> [UInt8]?
    ) async -> ServiceResponse {
        do {
            guard let path = head.destination else { throw Self.unknownPath }
            let sender = try limits.admit(head.bearerToken, from: head.peer)
            let most = try await largestBody(of: head, path, sender)
            var request = head
            guard let body = await readBody(most) else {
                return Self.failure(
                    413, "invalidArgument", "The request has more than \(most) bytes; nothing was changed.")
            }
            request.body = body
            return try await answer(path, request, sender)
        } catch is RequestLimits.Exceeded {
            return Self.failure(
                429, "busy",
                "Too many requests were sent from there. They are tried again; nothing was changed.")
        } catch {
            return Self.failure(error)
        }
    }

    // MARK: Requests

    /// How many bytes the body of a request may have.
    ///
    /// - Throws: `authentication` and `revoked` for a stranger who wants to send many; as a read.
    private func largestBody(
        of head: ServiceRequest, _ path: ServicePath, _ sender: RequestLimits.Sender
    ) async throws -> Int {
        guard let most = path.largestBody else { return ServiceForm.largestSmallRequest }
        if !limits.knows(sender) {
            let token = try Self.deviceToken(of: head)
            try await accepting(sender) { _ = try await host.head(of: token) }
        }
        return most
    }

    private func answer(
        _ path: ServicePath, _ request: ServiceRequest, _ sender: RequestLimits.Sender
    ) async throws -> ServiceResponse {
        try await accepting(sender) {
            switch path {
            case .join: try await join(request)
            case .login: try await logIn(request)
            case .household, .exchange, .rows, .compare, .head, .parts, .part, .invitations, .invitation,
                .member,
                .device, .leave:
                try await answer(path, request, as: try Self.deviceToken(of: request), sender)
            }
        }
    }

    /// Notes that a sender's token is right, if the body finds it so.
    ///
    /// - Throws: What the body throws.
    private func accepting<Result>(
        _ sender: RequestLimits.Sender, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            limits.accept(sender)
            return result
        } catch let error as StoreError where error.code == .revoked {
            // Only who has the token is told so.
            limits.accept(sender)
            throw error
        }
    }

    private func join(_ request: ServiceRequest) async throws -> ServiceResponse {
        let token = try Self.token(of: request)
        let arrival: HouseholdRecords.Arrival = try ServiceMessage.decoded(request.body)
        let household = try await host.join(token, arrival)
        return try json(ServiceMessage.Greeting(store: storeID, household: household))
    }

    private func answer(
        _ path: ServicePath, _ request: ServiceRequest, as token: MirrorToken,
        _ sender: RequestLimits.Sender
    ) async throws -> ServiceResponse {
        switch path {
        case .exchange:
            let (schema, device) = try speaker(request, token)
            let exchange = try ExchangeRequest(request.body, schema)
            let parts = try request.headers[ServiceForm.parts].map { text in
                guard let parts = MutationParts(text) else { throw StoreError.unreadableMessage }
                return parts
            }
            let carryOut = { [host] in
                let answer = try await host.exchange(
                    exchange, from: device, in: token.scope, as: token, parts: parts)
                return Self.message(try answer.encoded(schema))
            }
            return try await parts == nil ? carryOut() : largeWrites.withPermit(carryOut)
        case .rows:
            let (schema, device) = try speaker(request, token)
            let answer = try await host.rows(
                try RowsRequest(request.body, schema), from: device, in: token.scope, as: token)
            return Self.message(try answer.encoded(schema))
        case .compare:
            let (schema, device) = try speaker(request, token)
            let answer = try await host.part(
                try PartRequest(request.body, schema), from: device, in: token.scope, as: token)
            return Self.message(answer.encoded(schema))
        case .parts(let parts):
            // If all are there, they are put together to be looked at.
            let numbers = try await largeWrites.withPermit { [host] in
                try await host.withParts(of: token) { try $0.numbers(of: parts) }
            }
            return try json(ServiceMessage.Arrived(parts: numbers))
        case .part(let number, let digest):
            try await host.withParts(of: token) { try $0.put(request.body, number: number, of: digest) }
            return try json(ServiceMessage.Nothing())
        case .head:
            guard let after = request.query["after"].flatMap({ Int64($0) }),
                let seconds = request.query["wait"].map({ Int($0) }) ?? 0
            else { throw StoreError.unreadableMessage }
            let wait = Duration.seconds(min(max(seconds, 0), ServiceForm.longestWait))
            let head = try await heads.head(of: token.scope, after: after, waiting: wait) { [host, limits] in
                let head = try await host.head(of: token)
                limits.accept(sender)
                return head
            }
            return try json(ServiceMessage.Head(head))
        case .household:
            let household = try await host.household(of: token)
            return try json(ServiceMessage.Greeting(store: storeID, household: household))
        case .invitations:
            let terms: InvitationTerms = try ServiceMessage.decoded(request.body)
            let (id, secret) = try await host.withHousehold(of: token) { try $0.invite(terms, by: $1) }
            let invitation = MirrorToken(.invitation, scope: token.scope, id: id, secret: secret)
            return try json(ServiceMessage.NewInvitation(token: invitation.text))
        case .invitation(let id):
            try await host.withHousehold(of: token) { try $0.withdraw(invitation: id, by: $1) }
        case .member(let id) where request.method == "PATCH":
            let change: ServiceMessage.MemberChange = try ServiceMessage.decoded(request.body)
            try await host.withHousehold(of: token) {
                try $0.change(id, to: change.role, ends: change.ends, by: $1)
            }
        case .member(let id): try await host.withHousehold(of: token) { try $0.revoke(member: id, by: $1) }
        case .device(let id): try await host.withHousehold(of: token) { try $0.revoke(device: id, by: $1) }
        case .leave: try await host.withHousehold(of: token) { try $0.leave($1) }
        case .join, .login: throw Self.unknownPath
        }
        // A device that waits for news learns of the change.
        await heads.announce(token.scope, through: store)
        return try json(ServiceMessage.Nothing())
    }

    private func logIn(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard let authenticator else { throw Self.unknownPath }
        let arrival: HouseholdRecords.Arrival = try ServiceMessage.decoded(request.body)
        let person: MirrorPerson
        do { person = try await authenticator.person(for: request) } catch {
            throw StoreError(.authentication, "The login was refused. Log in once more; nothing was changed.")
        }
        let household = try await host.admit(person.id, as: person.role, arrival, in: person.household)
        return try json(
            ServiceMessage.LoginAnswer(
                greeting: ServiceMessage.Greeting(store: storeID, household: household),
                scope: person.household?.uuid))
    }

    private static func token(of request: ServiceRequest) throws -> MirrorToken {
        guard let text = request.bearerToken else { throw StoreError.unknownToken }
        return try MirrorToken(text)
    }

    private static func deviceToken(of request: ServiceRequest) throws -> MirrorToken {
        let token = try token(of: request)
        guard token.kind == .device else { throw StoreError.unknownToken }
        return token
    }

    /// The schema in whose words a device speaks, and the device.
    private func speaker(
        _ request: ServiceRequest, _ token: MirrorToken
    ) throws -> (Schema, MirrorDevice) {
        guard let identity = request.headers[ServiceForm.schema].flatMap({ SchemaIdentity($0) }) else {
            throw StoreError.unreadableMessage
        }
        // The household knows the device's name.
        return (try host.schema(of: identity), MirrorDevice(id: token.id, name: nil, schema: identity))
    }

    // MARK: Answers

    private static func message(_ body: [UInt8]) -> ServiceResponse {
        ServiceResponse(status: 200, type: ServiceForm.message, body: body)
    }

    private func json(_ content: some Encodable) throws -> ServiceResponse {
        ServiceResponse(status: 200, type: ServiceForm.json, body: try ServiceMessage.encoded(content))
    }

    private static func failure(
        _ status: Int, _ code: String, _ message: String, because reason: String? = nil
    ) -> ServiceResponse {
        let body = try? ServiceMessage.encoded(ServiceMessage.Failure(code: code, message: message))
        return ServiceResponse(
            status: status, errorCode: code, failure: reason, type: ServiceForm.json, body: body ?? [],
            headers: [429, 503].contains(status) ? ["retry-after": "5"] : [:])
    }

    private static func failure(_ error: any Error) -> ServiceResponse {
        // The description of any other error may have values.
        let reason = (error as? StoreError)?.description ?? "\(type(of: error))"
        guard let error = error as? StoreError, StoreError.toldByServices.contains(error.code) else {
            return failure(
                500, "backend", "Something failed in the service; its log says what. Nothing was changed.",
                because: reason)
        }
        let status =
            switch error.code {
            case .authentication: 401
            case .revoked, .notPermitted: 403
            case .notFound: 404
            case .identityConflict, .schemaMismatch: 409
            case .schemaTooNew: 426
            case .invalidArgument, .corrupted: 400
            default: 503
            }
        // Where the store is, is nobody's business.
        let message =
            status == 503 ? "The service cannot reach its store now. It is tried again." : error.message
        return failure(
            status, error.code.description, message, because: status == 503 ? reason : nil)
    }

    private static var unknownPath: StoreError {
        StoreError(.notFound, "The service has no such resource. Check its address, and update the app.")
    }
}
