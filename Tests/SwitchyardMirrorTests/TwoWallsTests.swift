import Foundation
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import TestBackends
import Testing

@Suite("The two walls", .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)"))
struct TwoWallsTests {
    // MARK: Requests

    /// What a device asks for.
    enum Ask: CaseIterable {
        case upload, pull, rows, head, household, invite, inviteOwn, change, revoke, withdraw
    }

    /// A request as everybody sends it, to the household of the token.
    static func request(
        _ ask: Ask, of actor: FencedHouses.Actor, _ model: Schema, mutation: Mutation
    ) throws -> ServiceRequest {
        var headers = [ServiceForm.schema: SchemaIdentity(model).text]
        if let token = actor.token { headers["authorization"] = "Bearer \(token.text)" }
        func request(_ method: String, _ path: String, _ body: [UInt8] = []) -> ServiceRequest {
            ServiceRequest(method: method, path: ServiceForm.root + path, headers: headers, body: body)
        }
        let nobody = UUID().uuidString
        return switch ask {
        case .upload:
            request(
                "POST", "/exchange",
                try ExchangeRequest(cursor: .start, mutations: [mutation]).encoded(model))
        case .pull: request("POST", "/exchange", try ExchangeRequest(cursor: .start).encoded(model))
        case .rows: request("POST", "/rows", RowsRequest(after: nil, seen: nil).encoded(model))
        case .head: ServiceRequest(method: "GET", path: "/v1/head", query: ["after": "-1"], headers: headers)
        case .household: request("GET", "/household")
        case .invite:
            request("POST", "/invitations", try ServiceMessage.encoded(InvitationTerms(role: .owner)))
        case .inviteOwn:
            request("POST", "/invitations", try ServiceMessage.encoded(InvitationTerms(role: nil)))
        case .change:
            request(
                "PATCH", "/members/\(nobody)",
                try ServiceMessage.encoded(ServiceMessage.MemberChange(role: .owner, ends: nil)))
        case .revoke: request("DELETE", "/members/\(nobody)")
        case .withdraw: request("DELETE", "/invitations/\(nobody)")
        }
    }

    /// The status that somebody's request is answered with.
    private static func expected(_ ask: Ask, _ actor: FencedHouses.Actor) -> Int {
        guard actor.rights.reads else {
            let isKnown =
                actor.name.contains("ended") || actor.name.contains("revoked")
                || actor.name.contains("removed")
            return isKnown ? 403 : 401
        }
        return switch ask {
        case .upload, .pull, .rows, .head, .household, .inviteOwn: 200
        case .invite: actor.rights.manages ? 200 : 403
        // There is nobody of that id; others than owners are not told.
        case .change, .revoke: actor.rights.manages ? 404 : 403
        case .withdraw: 404
        }
    }

    @Test("nobody gets at another household's rows by a request", arguments: [false, true])
    func requests(isFenced: Bool) async throws {
        let model = try RowSecurityTests.model.get()
        try await FencedPlace.with { place in
            try await place.prepare(model, isFenced: isFenced)
            let houses = try await FencedHouses(place, model)
            let owner = try await place.open(model, as: place.owner)
            func rows(_ scope: StoreScope) async throws -> [[StoredValue]] {
                try await owner.read(ReadOptions(scopes: [scope])) { tx in
                    try tx.fetchRows(of: "Feed", sortedBy: [SortKey("id")])
                        + tx.fetchRows(of: "Note", sortedBy: [SortKey("id")])
                }
            }
            let all = [
                houses.home: try await rows(houses.home), houses.foreign: try await rows(houses.foreign),
            ]
            try await place.withService(model, as: isFenced ? place.login : place.owner) { service in
                for actor in houses.actors {
                    let other = actor.scope == houses.foreign ? houses.home : houses.foreign
                    guard case .uuid(let id)? = all[other]?.first?.first, let before = all[other]?[0] else {
                        throw StoreError(.backend, "The households have no rows.")
                    }
                    let new = UUIDv7.next()
                    let mutation = Mutation(
                        id: UUIDv7.next(), time: 1_762_454_079_000_000, cursor: 0,
                        changes: [
                            .insert(RowKey("Feed", new), [.uuid(new), .int(77), .null]),
                            .update(
                                RowKey("Feed", id),
                                [AttributeEdit(1, before: before[1], after: .int(66))]),
                        ])
                    for ask in Ask.allCases {
                        let response = await service.respond(
                            to: try Self.request(ask, of: actor, model, mutation: mutation))
                        #expect(
                            response.status == Self.expected(ask, actor),
                            "\(actor.name), \(ask): \(String(decoding: response.body, as: UTF8.self))")
                        let word = actor.scope == houses.foreign ? "secret home" : "secret foreign"
                        let isLeak = Data(response.body).range(of: Data(word.utf8)) != nil
                        #expect(!isLeak, "\(actor.name), \(ask)")
                        if !actor.rights.reads {
                            #expect(Data(response.body).range(of: Data("secret".utf8)) == nil)
                        }
                    }
                }
            }
            // Two writers of the one household, and the owner of the other, have added a row each; none was changed.
            let (home, foreign) = (try await rows(houses.home), try await rows(houses.foreign))
            #expect(home.count == (all[houses.home]?.count ?? 0) + 2)
            #expect(foreign.count == (all[houses.foreign]?.count ?? 0) + 1)
            #expect(Set(all[houses.home] ?? []).isSubset(of: home))
            #expect(Set(all[houses.foreign] ?? []).isSubset(of: foreign))
            try await owner.close()
        }
    }

    // MARK: Logins

    /// A login of which everybody is who they say.
    private struct Login: MirrorAuthenticator {
        let scope: StoreScope
        let role: HouseholdRole?

        func person(for request: ServiceRequest) async throws -> MirrorPerson {
            MirrorPerson(id: request.bearerToken ?? "", household: scope, role: role)
        }
    }

    @Test("who logs in comes into a new household, with a second device as well")
    func login() async throws {
        let model = try RowSecurityTests.model.get()
        try await FencedPlace.with { place in
            try await place.prepare(model, admitsLogins: true)
            let scope = StoreScope()
            func logIn(_ service: MirrorService, _ person: String, _ device: UUID, _ secret: Data)
                async throws
                -> (status: Int, household: Household?)
            {
                let arrival = HouseholdRecords.Arrival(
                    device: device, secret: secret, deviceName: "A phone", name: person)
                let response = await service.respond(
                    to: ServiceRequest(
                        method: "POST", path: "/v1/login", headers: ["authorization": "Bearer \(person)"],
                        body: try ServiceMessage.encoded(arrival)))
                let answer: ServiceMessage.LoginAnswer? =
                    response.status == 200 ? try ServiceMessage.decoded(response.body) : nil
                return (response.status, answer?.greeting.household)
            }
            let (phone, tablet) = (UUID(), UUID())
            let (old, new) = (MirrorToken.newSecret(), MirrorToken.newSecret())
            try await place.withService(
                model, as: place.login, authenticator: Login(scope: scope, role: .member)
            ) { service in
                let first = try await logIn(service, "mia", phone, old)
                #expect(first.household?.members.map(\.name) == ["mia"])
                // Once more, and with a new token, and with another device.
                #expect(try await logIn(service, "mia", phone, old).status == 200)
                #expect(try await logIn(service, "mia", phone, new).status == 200)
                #expect(
                    try await logIn(service, "mia", tablet, new).household?.members.map(\.devices.count) == [
                        2
                    ])
                #expect(try await logIn(service, "ben", UUID(), new).household?.members.count == 2)
                // Another's device stays another's.
                #expect(try await logIn(service, "ben", phone, old).status == 409)
            }
            try await place.withService(
                model, as: place.login, authenticator: Login(scope: scope, role: nil)
            ) { service in
                let known = try await logIn(service, "mia", phone, new)
                #expect(known.status == 200)
                #expect(try await logIn(service, "eve", UUID(), new).status == 403)
            }
            // A service without a login cannot let anybody in as one with a login would.
            try await place.prepare(model)
            try await place.withService(
                model, as: place.login, authenticator: Login(scope: scope, role: .owner)
            ) { service in
                let refused = try await logIn(service, "eve", UUID(), new)
                #expect(refused.status == 500)
            }
        }
    }

    // MARK: Poolers

    private static let needsPooler = ConditionTrait.enabled(
        if: PostgresServer.poolerURL != nil, "needs PgBouncer: install it and run Tests/run, which starts one"
    )

    @Test("two households' requests through one pooler never mix", TwoWallsTests.needsPooler)
    func interleaved() async throws {
        let model = try RowSecurityTests.model.get()
        let requests = Nightly.isOn ? 100_000 : 2_000
        try await FencedPlace.with { place in
            try await place.prepare(model)
            let houses = try await FencedHouses(place, model)
            let owners = houses.actors.filter(\.rights.manages)
            try #require(owners.map(\.scope) == [houses.home, houses.foreign])
            try await place.withService(model, as: place.login, throughPooler: true) { service in
                let mixed = try await withThrowingTaskGroup(of: Int.self) { group in
                    for client in 0..<50 {
                        group.addTask {
                            var mixed = 0
                            for number in 0..<requests / 50 {
                                let owner = owners[(client + number) % 2]
                                let ask: Ask = number % 5 == 0 ? .inviteOwn : number % 2 == 0 ? .pull : .rows
                                let response = await service.respond(
                                    to: try Self.request(
                                        ask, of: owner, model,
                                        mutation: Mutation(id: UUID(), time: 0, cursor: 0, changes: [])))
                                let word = owner.scope == houses.home ? "secret home" : "secret foreign"
                                let other = owner.scope == houses.home ? "secret foreign" : "secret home"
                                let body = Data(response.body)
                                let isWhole = ask == .inviteOwn || body.range(of: Data(word.utf8)) != nil
                                // Of invitations there are at most a hundred.
                                let isAnswered =
                                    response.status == 200 || ask == .inviteOwn && response.status == 400
                                if !isAnswered || !isWhole || body.range(of: Data(other.utf8)) != nil {
                                    mixed += 1
                                }
                            }
                            return mixed
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(mixed == 0)
            }
        }
    }

    @Test("an identity of a session, and not of a transaction, would mix them", TwoWallsTests.needsPooler)
    func identityOfSession() async throws {
        let model = try RowSecurityTests.model.get()
        try await FencedPlace.with { place in
            try await place.prepare(model)
            let houses = try await FencedHouses(place, model)
            let owners = houses.actors.filter(\.rights.manages)
            let url = try #require(
                try place.url(as: place.login, throughPooler: true).split(separator: "&schema=").first)
            let clients = try owners.map { owner in (owner, try RawConnection(String(url))) }
            func read(_ connection: RawConnection) throws -> [[String?]] {
                try connection.require("SELECT DISTINCT switchyard_scope::text FROM \(place.schema).\"Feed\"")
            }
            for (owner, connection) in clients { try connection.require(owner.settings(isLocal: false)) }
            let own = owners.map { [[$0.scope?.uuid.uuidString.lowercased()]] }
            let mistaken = try clients.map { try read($0.1) }
            #expect(mistaken != own)
            // In a transaction it is right, whatever was left in the session.
            for (number, (owner, connection)) in clients.enumerated() {
                try connection.require("BEGIN")
                try connection.require(owner.settings())
                #expect(try read(connection) == own[number])
                try connection.require("COMMIT")
            }
        }
    }

    // MARK: Migrations

    @Test(
        "tables that a migration makes anew stay fenced, and new ones are closed until they are fenced as well"
    )
    func migration() async throws {
        try await FencedPlace.with { place in
            try await place.prepare(try Nursery1.schema)
            let migrated = try await PluginRegistry([PostgresPlugin.self]).open(
                url: try place.url(as: place.owner), migrating: NurseryPlan.self,
                options: OpenOptions(scope: .unused))
            let store = try #require(migrated as? PostgresStore)
            let gaps = try await store.rowSecurityGaps(for: place.group)
            #expect(!gaps.isEmpty)
            #expect(gaps.filter { !$0.contains("Note") } == [])
            try await store.grant(to: place.group)
            #expect(try await store.rowSecurityGaps(for: place.group) == [])
            try await store.close()
        }
    }
}
