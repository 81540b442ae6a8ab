import Foundation
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Synchronization
import TestBackends
import Testing

/// A service without a network: requests go to it as they are.
final class Wire: ServiceTransport {
    private let service: MirrorService
    /// What happens to the next requests.
    enum Fault {
        /// The request does not arrive.
        case lost
        /// The request is carried out, and its answer does not arrive.
        case unanswered
        /// Something else answers.
        case answered(TransportResponse)
    }

    private let faults = Mutex<[(path: String, fault: Fault)]>([])
    private let sent = Mutex<[TransportRequest]>([])
    private let stranger = Mutex<(path: String, answer: TransportResponse)?>(nil)

    init(_ service: MirrorService) { self.service = service }

    /// Has the next request of a path fail.
    func fail(_ path: String, _ fault: Fault) { faults.withLock { $0.append((path, fault)) } }

    /// Has something else answer all requests of a path while the body runs.
    func answering(
        _ path: String, _ answer: TransportResponse, _ body: () async throws -> Void
    ) async rethrows {
        stranger.withLock { $0 = (path, answer) }
        defer { stranger.withLock { $0 = nil } }
        try await body()
    }

    /// The requests so far, but those that wait for news.
    var requests: [TransportRequest] { sent.withLock { $0.filter { !$0.url.path.hasSuffix("/head") } } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        sent.withLock { $0.append(request) }
        if let stranger = stranger.withLock(\.self), request.url.path.hasSuffix(stranger.path) {
            return stranger.answer
        }
        let fault = faults.withLock { faults in
            faults.firstIndex { request.url.path.hasSuffix($0.path) }.map { faults.remove(at: $0).fault }
        }
        switch fault {
        case .lost: throw StoreError(.connectionLost, "The network is gone.")
        case .answered(let response): return response
        case .unanswered, nil: break
        }
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let response = await service.respond(
            to: ServiceRequest(
                method: request.method, path: request.url.path,
                query: Dictionary(query.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }),
                headers: request.headers, body: [UInt8](request.body ?? Data())))
        if case .unanswered = fault { throw StoreError(.connectionLost, "The network is gone.") }
        return TransportResponse(
            status: response.status, type: response.headers["content-type"], body: Data(response.body))
    }
}

@Suite("A household")
struct HouseholdTests {
    static let schema = Result {
        try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Feed",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("amount", type: .int),
                        Attribute("note", type: .text, isOptional: true),
                    ])
            ])
    }

    private static let address = {
        var parts = URLComponents()
        (parts.scheme, parts.host) = ("https", "mirror.example.org")
        return parts.url ?? URL(filePath: "/")
    }()

    /// A service over a store with scopes, and one household in it.
    struct House {
        let service: MirrorService
        let wire: Wire
        let server: any Store
        let scope: StoreScope

        /// Lets somebody in by an invitation of the operator.
        func join(_ store: any Store, as name: String, _ role: HouseholdRole) async throws -> MirroredStore {
            let link = try await service.invite(InvitationTerms(role: role), into: scope, service: address)
            return try await join(store, by: link, as: name)
        }

        func join(_ store: any Store, by link: HouseholdLink, as name: String?) async throws -> MirroredStore
        {
            _ = try await store.join(link, as: name, device: name.map { "\($0)'s phone" }, over: wire)
            return try await MirroredStore.open(store, mirroring: .joined(over: wire))
        }

        func feeds() async throws -> [Int64] {
            try await HouseholdTests.feeds(server, ReadOptions(scopes: [scope]))
        }
    }

    static func withHouse(
        _ backend: TestBackend, _ body: (House) async throws -> Void
    ) async throws {
        try await backend.withStore(try schema.get(), options: OpenOptions(scope: .unused)) { server in
            let service = try await MirrorService.serving(server, requestsPerMinute: 100_000)
            let house = House(service: service, wire: Wire(service), server: server, scope: StoreScope())
            do { try await body(house) } catch {
                await service.close()
                throw error
            }
            await service.close()
        }
    }

    static func withDevice<Result>(_ body: (any Store) async throws -> Result) async throws -> Result {
        var result: Result?
        try await TestBackend.sqlite.withStore(try schema.get()) { result = try await body($0) }
        return try #require(result)
    }

    static func add(_ amount: Int64, to store: any Store) async throws {
        try await store.write {
            try $0.insertRows(into: "Feed", [[.uuid(UUIDv7.next()), .int(amount), .null]])
        }
    }

    static func feeds(_ store: any Store, _ options: ReadOptions = ReadOptions()) async throws
        -> [Int64]
    {
        try await store.read(options) { tx in
            try tx.fetchRows(of: "Feed").compactMap {
                if case .int(let amount) = $0[1] { amount } else { nil }
            }
        }.sorted()
    }

    static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    // MARK: Exchanging

    @Test("two people with an invitation each have the same rows", arguments: TestBackend.shared)
    func sharing(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { bens in
                    try await Self.add(90, to: mias)
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await mia.exchange()
                    let ben = try await house.join(bens, by: try await mia.invite(.member), as: "Ben")
                    try await ben.exchange()
                    #expect(try await Self.feeds(ben) == [90])
                    try await Self.add(120, to: ben)
                    try await ben.exchange()
                    try await mia.exchange()
                    #expect(try await Self.feeds(mia) == [90, 120])
                    #expect(try await house.feeds() == [90, 120])
                    let household = try await mia.household()
                    #expect(household.members.map(\.name) == ["Mia", "Ben"])
                    #expect(household.members.map(\.role) == [.owner, .member])
                    #expect(household.ownMember?.name == "Mia")
                    #expect(
                        household.members.flatMap(\.devices).map(\.name) == ["Mia's phone", "Ben's phone"])
                    // The server's history says which device has written.
                    let origins = try await house.server.read(ReadOptions(scopes: [house.scope])) { tx in
                        try tx.history().map(\.device)
                    }
                    #expect(Set(origins) == ["Mia's phone", "Ben's phone"])
                    await mia.end()
                    await ben.end()
                }
            }
        }
    }

    @Test(
        "what another device writes comes without an exchange being asked for", arguments: TestBackend.shared)
    func following(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { bens in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await mia.exchange()
                    try await ben.exchange()
                    try await Self.add(75, to: ben)
                    for try await feeds in mia.observe({ tx in try tx.fetchRows(of: "Feed") })
                    where !feeds.isEmpty {
                        break
                    }
                    #expect(try await Self.feeds(mia) == [75])
                    await mia.end()
                    await ben.end()
                }
            }
        }
    }

    // MARK: Roles

    @Test("a reader's writes are rejected, and kept on the device", arguments: TestBackend.shared)
    func reader(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { grandmas in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await Self.add(90, to: mia)
                    try await mia.exchange()
                    let grandma = try await house.join(grandmas, as: "Grandma", .reader)
                    try await grandma.exchange()
                    try await Self.add(5, to: grandma)
                    try await grandma.exchange()
                    #expect(try await house.feeds() == [90])
                    #expect(try await Self.feeds(grandma) == [90])
                    #expect(try await grandma.rejectedWrites().map(\.reason) == [.role])
                    #expect(await Self.code { _ = try await grandma.invite(.reader) } == .notPermitted)
                    let miaID = try #require(try await grandma.household().members.first?.id)
                    #expect(await Self.code { try await grandma.revoke(member: miaID) } == .notPermitted)
                    #expect(
                        await Self.code { try await grandma.setRole(.owner, ofMember: miaID) }
                            == .notPermitted)
                    await mia.end()
                    await grandma.end()
                }
            }
        }
    }

    @Test("a revoked device loses the rows, and keeps what it had not sent", arguments: TestBackend.shared)
    func revocation(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { bens in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await Self.add(90, to: mia)
                    try await mia.exchange()
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await ben.exchange()
                    let bensID = try #require(try await ben.household().me)
                    await ben.end()
                    // Offline.
                    try await Self.add(200, to: bens)
                    try await mia.revoke(member: bensID)
                    let again = try await MirroredStore.open(bens, mirroring: .joined(over: house.wire))
                    #expect(await Self.code { try await again.exchange() } == .revoked)
                    #expect(again.status.phase == .ended)
                    #expect(again.status.problem?.code == .revoked)
                    #expect(try await Self.feeds(bens).isEmpty)
                    #expect(try await bens.rejectedWrites().map(\.reason) == [.membership])
                    #expect(
                        try await bens.rejectedWrites().flatMap(\.changes).map { $0.values["amount"] } == [
                            .int(200)
                        ])
                    #expect(try await bens.read { try $0.history() }.isEmpty)
                    #expect(try await bens.marker().mirror == nil)
                    #expect(try await !bens.hasJoinedHousehold())
                    #expect(try await house.feeds() == [90])
                    #expect(try await mia.household().members.map(\.name) == ["Mia"])
                    await again.end()
                    // Invited once more, the same device comes back.
                    let back = try await house.join(bens, by: try await mia.invite(.member), as: "Ben")
                    try await back.exchange()
                    #expect(try await Self.feeds(back) == [90])
                    await back.end()
                    await mia.end()
                }
            }
        }
    }

    @Test("a lost phone is removed, and its owner stays", arguments: TestBackend.shared)
    func lostPhone(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { phones in
                try await Self.withDevice { tablets in
                    let phone = try await house.join(phones, as: "Mia", .owner)
                    try await phone.exchange()
                    let tablet = try await house.join(tablets, by: try await phone.invite(nil), as: nil)
                    try await tablet.exchange()
                    let household = try await tablet.household()
                    #expect(household.members.map(\.devices.count) == [2])
                    try await tablet.revoke(device: try await phones.marker().storeID)
                    #expect(await Self.code { try await phone.exchange() } == .revoked)
                    try await tablet.exchange()
                    #expect(try await tablet.household().members.map(\.name) == ["Mia"])
                    await phone.end()
                    await tablet.end()
                }
            }
        }
    }

    /// Lets a device in that a test plays by hand.
    private static func admit(
        _ token: MirrorToken, as name: String, _ role: HouseholdRole, to house: House
    ) async throws -> HouseholdIdentity {
        try await house.server.write(WriteOptions(scope: house.scope)) { tx in
            let records = HouseholdRecords(tx, now: StoreRemote.systemTime())
            let (id, secret) = try records.invite(InvitationTerms(role: role), by: nil)
            return try records.accept(
                MirrorToken(.invitation, scope: house.scope, id: id, secret: secret),
                .init(device: token.id, secret: token.secret, deviceName: nil, name: name))
        }
    }

    @Test(
        "a lost phone loses its rows even if its backup has joined anew meanwhile",
        arguments: TestBackend.shared)
    func lostPhoneAndBackup(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { phones in
                // The token of the lost phone, those of the backup on two other ones, and one that nobody has had.
                let device = try await phones.marker().storeID
                let tokens = (0..<4).map { _ in
                    MirrorToken(
                        .device, scope: house.scope, id: device, secret: MirrorToken.newSecret())
                }
                func code(_ token: MirrorToken) async -> StoreError.Code? {
                    await Self.code {
                        try await house.server.read(ReadOptions(scopes: [house.scope])) { tx in
                            _ = try HouseholdRecords(tx, now: StoreRemote.systemTime()).identity(of: token)
                        }
                    }
                }
                func remove() async throws {
                    try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                        try HouseholdRecords(tx, now: StoreRemote.systemTime()).revoke(
                            device: device, by: nil)
                    }
                }
                try await Self.withDevice { mias in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await Self.add(90, to: mia)
                    try await mia.exchange()
                    await mia.end()
                }
                func phone() async throws -> MirroredStore {
                    let service = MirrorServer.service(Self.address, token: tokens[0], over: house.wire)
                    return try await MirroredStore.open(phones, mirroring: service)
                }
                _ = try await Self.admit(tokens[0], as: "Ben", .owner, to: house)
                let before = try await phone()
                try await before.exchange()
                #expect(try await Self.feeds(before) == [90])
                await before.end()
                for token in tokens[1...2] {
                    try await remove()
                    _ = try await Self.admit(token, as: "Ben", .member, to: house)
                }
                #expect(await code(tokens[0]) == .revoked)
                #expect(await code(tokens[1]) == .revoked)
                #expect(await code(tokens[2]) == nil)
                #expect(await code(tokens[3]) == .authentication)
                let lost = try await phone()
                #expect(await Self.code { try await lost.exchange() } == .revoked)
                #expect(try await Self.feeds(lost).isEmpty)
                await lost.end()
            }
        }
    }

    @Test(
        "an older offer leaves what a newer one has found unchanged or gone",
        arguments: TestBackend.shared)
    func offers(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            let device = MirrorDevice(id: UUID(), name: nil, schema: SchemaIdentity(house.server.schema))
            let remote = StoreRemote(house.server, scope: house.scope)
            func send(from cursor: HistoryPosition, _ change: MutationChange) async throws -> HistoryPosition
            {
                let mutation = Mutation(
                    id: UUIDv7.next(), time: 0, author: nil, cursor: cursor.sequence, changes: [change])
                let request = ExchangeRequest(cursor: cursor, mutations: [mutation])
                guard case .page(let page) = try await remote.exchange(request, device) else { return .start }
                return page.head
            }
            let (kept, gone) = (RowKey("Feed", UUID()), RowKey("Feed", UUID()))
            func row(_ key: RowKey, _ amount: Int64) -> [StoredValue] {
                [.uuid(key.id), .int(amount), .null]
            }
            let place = try await send(from: .start, .insert(kept, row(kept, 90)))
            // The server has this already, so that its history has nothing of it.
            #expect(try await send(from: place, .offer(kept, row(kept, 90), received: 8)) == place)
            #expect(try await send(from: place, .offer(gone, nil, received: 8)) == place)
            #expect(try await send(from: place, .offer(kept, row(kept, 60), received: 6)) == place)
            #expect(try await send(from: place, .offer(kept, nil, received: 6)) == place)
            #expect(try await send(from: place, .offer(gone, row(gone, 30), received: 6)) == place)
            #expect(try await house.feeds() == [90])
            // A newer one is taken.
            #expect(try await send(from: place, .offer(kept, row(kept, 120), received: 9)) != place)
            #expect(try await house.feeds() == [120])
        }
    }

    /// A server that tells a device of the end of its membership.
    private struct EndedRemote: MirrorRemote {
        let scope: StoreScope?
        let token: MirrorToken?
        let server: UUID

        func connect(expecting known: UUID?) async throws -> UUID { server }
        func exchange(_: ExchangeRequest, _: MirrorDevice) async throws -> ExchangeAnswer {
            throw StoreError.revoked
        }
        func rows(_: RowsRequest, _: MirrorDevice) async throws -> ExchangeAnswer { throw StoreError.revoked }
        func follow(_: @Sendable () -> Void) async throws {}
        func close() async {}
    }

    @Test("a process that is told late does not purge a file that has joined again since")
    func lateWord() async throws {
        try await Self.withHouse(.sqlite) { house in
            try await Self.withDevice { bens in
                let ben = try await house.join(bens, as: "Ben", .owner)
                try await Self.add(90, to: ben)
                try await ben.exchange()
                await ben.end()
                let earlier = MirrorToken(
                    .device, scope: house.scope, id: try await bens.marker().storeID,
                    secret: MirrorToken.newSecret())
                var patience = MirrorEngine.Patience()
                patience.answer = 1
                let server = try await house.server.marker().storeID
                let late = MirrorSession(
                    bens, remote: EndedRemote(scope: house.scope, token: earlier, server: server), name: nil,
                    patience: patience)
                #expect(await Self.code { try await late.exchange() } == .revoked)
                #expect(try await Self.feeds(bens) == [90])
                #expect(try await bens.hasJoinedHousehold())
                // It has nothing to wait for any more.
                await late.handle(.tick)
                #expect(await late.alarm == nil)
                let own = MirrorSession(
                    bens, remote: EndedRemote(scope: house.scope, token: nil, server: server), name: nil)
                #expect(await Self.code { try await own.exchange() } == .revoked)
                #expect(try await Self.feeds(bens).isEmpty)
                #expect(try await !bens.hasJoinedHousehold())
            }
        }
    }

    @Test("a device whose token the app keeps elsewhere can leave with its rows")
    func leavesByToken() async throws {
        try await Self.withHouse(.sqlite) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { phones in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await Self.add(90, to: mia)
                    try await mia.exchange()
                    await mia.end()
                    let token = MirrorToken(
                        .device, scope: house.scope, id: try await phones.marker().storeID,
                        secret: MirrorToken.newSecret())
                    _ = try await Self.admit(token, as: "Ben", .member, to: house)
                    let ben = try await MirroredStore.open(
                        phones, mirroring: .service(Self.address, token: token, over: house.wire))
                    try await ben.exchange()
                    try await ben.leave(keepingRows: true)
                    #expect(try await Self.feeds(phones) == [90])
                    #expect(try await phones.marker().mirror == nil)
                }
            }
        }
    }

    @Test("a process whose mirror was stopped leaves a household alone that the file has joined since")
    func stoppedAndJoined() async throws {
        try await Self.withHouse(.sqlite) { house in
            try await Self.withDevice { bens in
                let late = try await MirrorSession.open(
                    bens, remote: EndedRemote(scope: nil, token: nil, server: UUID()), name: nil)
                try await bens.endMirror(discardingUnsent: true)
                let link = try await house.service.invite(
                    InvitationTerms(role: .owner), into: house.scope, service: Self.address)
                _ = try await bens.join(link, as: "Ben", device: nil, over: house.wire)
                #expect(await Self.code { try await late.exchange() } == .revoked)
                #expect(try await bens.hasJoinedHousehold())
            }
        }
    }

    @Test("an owner whose only device was removed is not left behind alone", arguments: TestBackend.shared)
    func ownerWithoutDevice(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { bens in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    let ben = try await house.join(bens, as: "Ben", .owner)
                    try await mia.revoke(device: try await bens.marker().storeID)
                    await ben.end()
                    #expect(await Self.code { try await mia.leave() } == .invalidArgument)
                    #expect(try await mia.household().members.count == 2)
                }
            }
        }
    }

    @Test("the last owner cannot leave, and a household always has one", arguments: TestBackend.shared)
    func lastOwner(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { bens in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await Self.add(90, to: mia)
                    try await mia.exchange()
                    try await ben.exchange()
                    let (miaID, benID) = (
                        try #require(try await mia.household().me), try #require(try await ben.household().me)
                    )
                    #expect(await Self.code { try await mia.leave() } == .invalidArgument)
                    let phone = try await mias.marker().storeID
                    #expect(await Self.code { try await mia.revoke(device: phone) } == .invalidArgument)
                    try await Self.withDevice { tablets in
                        let tablet = try await house.join(tablets, by: try await mia.invite(nil), as: nil)
                        try await tablet.exchange()
                        try await mia.revoke(device: try await tablets.marker().storeID)
                        await tablet.end()
                    }
                    #expect(
                        await Self.code { try await mia.setRole(.member, ofMember: miaID) }
                            == .invalidArgument)
                    #expect(
                        await Self.code {
                            try await mia.setRole(
                                .owner, ofMember: miaID, endingAt: Date(timeIntervalSinceNow: 86_400))
                        } == .invalidArgument)
                    #expect(try await Self.feeds(mia) == [90])
                    try await mia.setRole(.owner, ofMember: benID)
                    try await mia.leave(keepingRows: true)
                    #expect(try await Self.feeds(mias) == [90])
                    #expect(try await mias.marker().mirror == nil)
                    #expect(try await ben.household().members.map(\.role) == [.owner])
                    await ben.end()
                }
            }
        }
    }

    @Test("a membership ends by itself", arguments: TestBackend.shared)
    func endingMembership(_ backend: TestBackend) async throws {
        let past = Int64(Date().timeIntervalSince1970 * 1_000_000) - 10_000_000
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { sitters in
                // Ten seconds ago, the membership was to last for another five.
                let (id, secret) = try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                    try HouseholdRecords(tx, now: past).invite(
                        InvitationTerms(
                            role: .member,
                            membershipEnds: Date(timeIntervalSince1970: Double(past + 5_000_000) / 1e6)),
                        by: nil)
                }
                let token = MirrorToken(.invitation, scope: house.scope, id: id, secret: secret)
                let secondsBefore = MirrorToken.newSecret()
                let device = try await sitters.marker().storeID
                try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                    let identity = try HouseholdRecords(tx, now: past).accept(
                        token, .init(device: device, secret: secondsBefore, deviceName: nil, name: "Sitter"))
                    #expect(identity.role == .member)
                }
                let own = MirrorToken(.device, scope: house.scope, id: device, secret: secondsBefore)
                let now = past + 10_000_000
                let error = await Self.code {
                    try await house.server.read(ReadOptions(scopes: [house.scope])) { tx in
                        _ = try HouseholdRecords(tx, now: now).identity(of: own)
                    }
                }
                #expect(error == .revoked)
            }
        }
    }

    // MARK: Invitations

    @Test(
        "an invitation is accepted as often as it says, and not after it was withdrawn",
        arguments: TestBackend.shared)
    func uses(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                let link = try await mia.invite(.member, uses: 1)
                try await Self.withDevice { bens in
                    // The answer is lost, and asked for again.
                    house.wire.fail("/join", .unanswered)
                    #expect(
                        await Self.code { _ = try await house.join(bens, by: link, as: "Ben") }
                            == .connectionLost)
                    let ben = try await house.join(bens, by: link, as: "Ben")
                    try await ben.exchange()
                    await ben.end()
                }
                try await Self.withDevice { thieves in
                    #expect(
                        await Self.code { _ = try await house.join(thieves, by: link, as: "Thief") }
                            == .notPermitted)
                    #expect(try await !thieves.hasJoinedHousehold())
                    let other = try await mia.invite(.member)
                    let open = try await mia.household().invitations
                    #expect(open.map(\.role) == [.member])
                    try await mia.withdraw(invitation: try #require(open.first?.id))
                    #expect(
                        await Self.code { _ = try await house.join(thieves, by: other, as: "Thief") }
                            == .notPermitted)
                }
                #expect(try await mia.household().members.map(\.name) == ["Mia", "Ben"])
                await mia.end()
            }
        }
    }

    @Test(
        "a device whose answer was lost comes in by another invitation as well", arguments: TestBackend.shared
    )
    func secondInvitation(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                try await Self.withDevice { bens in
                    house.wire.fail("/join", .unanswered)
                    let first = try await mia.invite(.member)
                    #expect(
                        await Self.code { _ = try await house.join(bens, by: first, as: "Ben") }
                            == .connectionLost)
                    let ben = try await house.join(bens, by: try await mia.invite(.reader), as: "Ben")
                    try await Self.add(90, to: ben)
                    try await ben.exchange()
                    // He is the member that the first invitation has made, once.
                    #expect(try await house.feeds() == [90])
                    #expect(try await mia.household().members.map(\.name) == ["Mia", "Ben"])
                    #expect(try await mia.household().invitations.map(\.role) == [.reader])
                    await ben.end()
                }
                try await Self.withDevice { anns in
                    // The first invitation was accepted, and that membership has ended before the device knew of it.
                    house.wire.fail("/join", .unanswered)
                    let first = try await mia.invite(.reader)
                    #expect(
                        await Self.code { _ = try await house.join(anns, by: first, as: "Ann") }
                            == .connectionLost)
                    let id = try #require(try await mia.household().members.last?.id)
                    try await mia.revoke(member: id)
                    let ann = try await house.join(anns, by: try await mia.invite(.member), as: "Ann")
                    try await Self.add(120, to: ann)
                    try await ann.exchange()
                    #expect(try await house.feeds() == [90, 120])
                    await ann.end()
                }
                await mia.end()
            }
        }
    }

    @Test("who is no owner any more has invited nobody", arguments: TestBackend.shared)
    func demotion(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                let (own, open) = try await Self.withDevice { bens in
                    let ben = try await house.join(bens, as: "Ben", .owner)
                    let links = (try await ben.invite(nil), try await ben.invite(.owner, uses: 5))
                    let benID = try #require(try await ben.household().me)
                    try await mia.setRole(.owner, ofMember: benID)
                    #expect(try await mia.household().invitations.count == 2)
                    try await mia.setRole(.reader, ofMember: benID)
                    await ben.end()
                    return links
                }
                #expect(try await mia.household().invitations.map(\.role) == [nil])
                try await Self.withDevice { tablets in
                    #expect(
                        await Self.code { _ = try await house.join(tablets, by: open, as: "Bob") }
                            == .notPermitted)
                    let tablet = try await house.join(tablets, by: own, as: nil)
                    #expect(try await tablet.household().ownMember?.role == .reader)
                    await tablet.end()
                }
                // One that an earlier service has left is as closed.
                let token = MirrorToken(.device, scope: house.scope, id: UUID())
                let ann = try await Self.admit(token, as: "Ann", .owner, to: house)
                let code = await Self.code {
                    try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                        let records = HouseholdRecords(tx, now: StoreRemote.systemTime())
                        try records.change(ann.member, to: .member, ends: nil, by: nil)
                        let (id, secret) = try records.invite(InvitationTerms(role: .owner), by: ann)
                        _ = try records.accept(
                            MirrorToken(.invitation, scope: house.scope, id: id, secret: secret),
                            .init(
                                device: UUID(), secret: MirrorToken.newSecret(), deviceName: nil, name: "Bob")
                        )
                    }
                }
                #expect(code == .notPermitted)
                await mia.end()
            }
        }
    }

    @Test("a link is read as it was written, and nothing else is one")
    func links() throws {
        for scope in [StoreScope(), nil] {
            let token = MirrorToken(.invitation, scope: scope, id: UUID())
            let link = HouseholdLink(service: Self.address, token: token)
            #expect(try HouseholdLink(link.text) == link)
            #expect(
                try HouseholdLink(link.text.replacing("switchyard://join", with: "https://app.example/join"))
                    == link)
            #expect(!"\(link)".contains(token.text))
            #expect(!"\(token)".contains(token.text))
            for text in [
                "", "switchyard://join", link.text.replacing("join", with: "leave"),
                String(link.text.dropLast(30)),
                link.text.replacing("https", with: "http"),
                link.text.replacing("mirror.", with: "user@mirror."),
                HouseholdLink(service: Self.address, token: MirrorToken(.device, scope: scope, id: UUID()))
                    .text,
            ] {
                #expect(throws: StoreError.self) { try HouseholdLink(text) }
            }
        }
    }

    // MARK: Large writes

    @Test(
        "a write that is larger than a request is sent in parts, once, and survives a lost one",
        arguments: TestBackend.shared)
    func parts(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                let note = String(repeating: "Brüderchen ", count: 30_000)
                let rows = (0..<10).map { [StoredValue.uuid(UUIDv7.next()), .int($0), .text(note)] }
                try await mias.write { try $0.insertRows(into: "Feed", rows) }
                let mia = try await house.join(mias, as: "Mia", .owner)
                house.wire.fail("/1", .lost)
                house.wire.fail("/2", .unanswered)
                while mia.status.pending > 0 || mia.status.lastExchange == nil {
                    _ = try? await mia.exchange()
                }
                #expect(try await house.feeds() == Array(0..<10))
                let sent = house.wire.requests.filter { $0.method == "PUT" }.map(\.url.lastPathComponent)
                // Of the lost one and the one whose answer was lost, only the first is sent again.
                #expect(sent.sorted() == ["0", "1", "1", "2", "3"])
                #expect(
                    house.wire.requests.allSatisfy { $0.body?.count ?? 0 <= MirrorService.largestRequest })
                await mia.end()
            }
        }
    }

    @Test(
        "a part that was damaged on the server is sent again with the others", arguments: TestBackend.shared)
    func damagedPart(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                try await mia.exchange()
                let note = String(repeating: "Brüderchen ", count: 30_000)
                let failure = TransportResponse(status: 502, type: nil, body: Data())
                try await house.wire.answering("/exchange", failure) {
                    try await mia.write { tx in
                        try tx.insertRows(
                            into: "Feed", (0..<4).map { [.uuid(UUIDv7.next()), .int($0), .text(note)] })
                    }
                    #expect(await Self.code { try await mia.exchange() } == .connectionLost)
                    await mia.end()
                }
                let sent = house.wire.requests.filter { $0.method == "PUT" }.map(\.url.pathComponents)
                #expect(Set(sent.map { $0.last }) == ["0", "1"])
                let digest = try #require(sent.first?.dropLast().last)
                let device = try await mias.marker().storeID
                try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                    try PartRecords(tx, device: device, now: StoreRemote.systemTime()).put(
                        [1, 2, 3], number: 0, of: digest)
                }
                let again = try await MirroredStore.open(mias, mirroring: .joined(over: house.wire))
                try await again.exchange()
                #expect(again.status.pending == 0)
                #expect(try await house.feeds() == Array(0..<4))
                await again.end()
            }
        }
    }

    @Test(
        "100,000 rows that a store has had before come as one write, and go to others in pages",
        .enabled(if: Nightly.isOn, Comment(rawValue: Nightly.need)), arguments: TestBackend.shared)
    func largeStore(_ backend: TestBackend) async throws {
        try await Self.withHouse(backend) { house in
            try await Self.withDevice { mias in
                try await Self.withDevice { bens in
                    let rows = (0..<100_000).map { [StoredValue.uuid(UUIDv7.next()), .int($0), .null] }
                    try await mias.write { try $0.insertRows(into: "Feed", rows) }
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await mia.exchange()
                    #expect(mia.status.pending == 0)
                    #expect(try await house.feeds().count == 100_000)
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await ben.exchange()
                    #expect(try await Self.feeds(ben) == Array(0..<100_000))
                    await mia.end()
                    await ben.end()
                }
            }
        }
    }

    @Test("parts that do not fit together, or are another device's, are of no use")
    func strangeParts() async throws {
        try await Self.withHouse(.sqlite) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                try await mia.exchange()
                let parts = try MutationParts(of: [1, 2, 3])
                let device = try await mias.marker().storeID
                for (owner, bytes) in [(UUID(), [1, 2, 3] as [UInt8]), (device, [1, 2])] {
                    try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                        let records = PartRecords(tx, device: owner, now: StoreRemote.systemTime())
                        try records.put(bytes, number: 0, of: parts.digest)
                    }
                    let error = await Self.code {
                        try await house.server.write(WriteOptions(scope: house.scope)) { tx in
                            _ = try PartRecords(tx, device: device, now: StoreRemote.systemTime()).bytes(
                                of: parts)
                        }
                    }
                    #expect(error == .notFound)
                }
                await mia.end()
            }
        }
    }

    // MARK: What is on the way

    @Test("a sign-in page, a proxy's error and half an answer are states, and end by themselves")
    func strangers() async throws {
        try await Self.withHouse(.sqlite) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                try await mia.exchange()
                await mia.end()
                try await Self.add(90, to: mias)
                let page = Data("<html>Welcome to the hotel</html>".utf8)
                let failure = Data(#"{"code":"revoked","message":"You are out."}"#.utf8)
                let answers: [(TransportResponse, StoreError.Code)] = [
                    (TransportResponse(status: 200, type: "text/html", body: page), .connectionLost),
                    (TransportResponse(status: 502, type: "text/html", body: page), .connectionLost),
                    (TransportResponse(status: 302, type: nil, body: Data()), .connectionLost),
                    // Only the service itself may say this.
                    (
                        TransportResponse(status: 403, type: "application/json", body: failure),
                        .connectionLost
                    ),
                    (TransportResponse(status: 200, type: ServiceForm.json, body: page), .connectionLost),
                    (TransportResponse(status: 200, type: ServiceForm.message, body: page), .corrupted),
                ]
                for (answer, code) in answers {
                    try await house.wire.answering("/exchange", answer) {
                        let again = try await MirroredStore.open(mias, mirroring: .joined(over: house.wire))
                        #expect(await Self.code { try await again.exchange() } == code)
                        // What the app sees, until the next try of the background.
                        let status = try #require(
                            await again.statuses().first { $0.phase == .waiting && $0.problem != nil })
                        #expect(status.problem?.code == code)
                        #expect(status.pending == 1)
                        #expect(try await Self.feeds(mias) == [90])
                        await again.end()
                    }
                    #expect(try await house.feeds().isEmpty)
                }
                let again = try await MirroredStore.open(mias, mirroring: .joined(over: house.wire))
                try await again.exchange()
                #expect(again.status.pending == 0)
                await again.end()
                #expect(try await Self.feeds(mias) == [90])
                #expect(try await house.feeds() == [90])
            }
        }
    }

    @Test("a copy of a store with a stolen token is refused once the member has joined anew")
    func unknownTokens() async throws {
        try await Self.withHouse(.sqlite) { house in
            try await Self.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                try await Self.add(90, to: mia)
                try await mia.exchange()
                await mia.end()
                let device = try await mias.marker().storeID
                for token in [
                    MirrorToken(.device, scope: house.scope, id: device),
                    MirrorToken(.device, scope: StoreScope(), id: device),
                    MirrorToken(.device, scope: nil, id: device),
                    MirrorToken(.device, scope: house.scope, id: UUID()),
                ] {
                    let remote = MirrorServer.service(Self.address, token: token, over: house.wire)
                    let stranger = try await MirroredStore.open(mias, mirroring: remote)
                    let code = await Self.code { try await stranger.exchange() }
                    #expect(code == .authentication || code == .connectionLost, "\(String(describing: code))")
                    await stranger.end()
                    // That somebody is not known is no reason to lose anything.
                    #expect(try await Self.feeds(mias) == [90])
                }
            }
        }
    }
}
