import Foundation
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import TestBackends
import Testing

@Suite("What a service answers to strangers")
struct ServiceTests {
    private static let schema = Result {
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

    /// A service, and the tokens of an owner and a reader of one household.
    private struct Bench {
        let service: MirrorService
        let server: any Store
        let scope: StoreScope
        let owner: MirrorToken
        let reader: MirrorToken

        func respond(
            _ method: String, _ path: String, _ body: [UInt8] = [], as token: String? = nil,
            query: [String: String] = [:], headers: [String: String] = [:], from peer: String? = nil
        ) async -> ServiceResponse {
            var headers = headers
            headers["authorization"] = token.map { "Bearer \($0)" }
            return await service.respond(
                to: ServiceRequest(
                    method: method, path: path, query: query, headers: headers, body: body, peer: peer))
        }

        var schemaHeader: [String: String] {
            [ServiceForm.schema: SchemaIdentity(server.schema).text]
        }

        func exchange(_ request: ExchangeRequest, as token: MirrorToken) async throws -> ServiceResponse {
            await respond(
                "POST", "/v1/exchange", try request.encoded(server.schema), as: token.text,
                headers: schemaHeader)
        }

        func amounts() async throws -> [StoredValue] {
            try await server.read(ReadOptions(scopes: [scope])) { tx in
                try tx.fetchRows(of: "Feed", sortedBy: [SortKey("id")]).map { $0[1] }
            }
        }
    }

    private static func withBench(
        requestsPerMinute: Int = 10_000_000, _ body: (Bench) async throws -> Void
    ) async throws {
        try await TestBackend.sqlite.withStore(try schema.get(), options: OpenOptions(scope: .unused)) {
            server in
            let service = try await MirrorService.serving(server, requestsPerMinute: requestsPerMinute)
            let scope = StoreScope()
            func join(_ role: HouseholdRole) async throws -> MirrorToken {
                try await server.write(WriteOptions(scope: scope)) { tx in
                    let records = HouseholdRecords(tx, now: StoreRemote.systemTime())
                    let (id, secret) = try records.invite(InvitationTerms(role: role), by: nil)
                    let own = MirrorToken(.device, scope: scope, id: UUID())
                    _ = try records.accept(
                        MirrorToken(.invitation, scope: scope, id: id, secret: secret),
                        .init(device: own.id, secret: own.secret, deviceName: nil, name: role.rawValue))
                    return own
                }
            }
            let bench = Bench(
                service: service, server: server, scope: scope, owner: try await join(.owner),
                reader: try await join(.reader))
            do { try await body(bench) } catch {
                await service.close()
                throw error
            }
            await service.close()
        }
    }

    private static func insert(_ row: [StoredValue], id: UUID = UUIDv7.next()) -> ExchangeRequest {
        guard case .uuid(let key) = row[0] else { return ExchangeRequest(cursor: .start) }
        return ExchangeRequest(
            cursor: .start,
            mutations: [
                Mutation(id: id, time: 1, cursor: 0, changes: [.insert(RowKey("Feed", key), row)])
            ])
    }

    private static let row: [StoredValue] = [.uuid(UUID()), .int(90), .null]

    @Test("a request that is none is refused with a status and a sentence, and changes nothing")
    func refusals() async throws {
        try await Self.withBench { bench in
            let owner = bench.owner.text
            let invitation = MirrorToken(.invitation, scope: bench.scope, id: UUID()).text
            let large = [UInt8](repeating: 0, count: MirrorService.largestRequest + 1)
            let id = UUID().uuidString
            let cases: [(Int, String, String, [UInt8], String?, [String: String])] = [
                (401, "GET", "/v1/household", [], nil, [:]),
                (401, "GET", "/v1/household", [], "", [:]),
                (401, "GET", "/v1/household", [], "hunter2", [:]),
                (401, "GET", "/v1/household", [], String(owner.dropLast()), [:]),
                (401, "GET", "/v1/household", [], invitation, [:]),
                (
                    403, "POST", "/v1/join", Array(#"{"device":"\#(id)","secret":"AAAA","name":"x"}"#.utf8),
                    invitation, [:]
                ),
                (400, "POST", "/v1/join", [1, 2, 3], invitation, [:]),
                (404, "POST", "/v1/login", [], owner, [:]),
                (404, "GET", "/", [], owner, [:]),
                (404, "GET", "/v2/household", [], owner, [:]),
                (404, "DELETE", "/v1/household", [], owner, [:]),
                (404, "DELETE", "/v1/members/everybody", [], owner, [:]),
                (404, "DELETE", "/v1/members/\(id)", [], owner, [:]),
                (404, "DELETE", "/v1/devices/\(id)", [], owner, [:]),
                (404, "DELETE", "/v1/invitations/\(id)", [], owner, [:]),
                (404, "PUT", "/v1/parts/abc/0", [], owner, [:]),
                (404, "PUT", "/v1/parts/\(String(repeating: "a", count: 64))/-1", [], owner, [:]),
                (404, "GET", "/v1/parts/\(String(repeating: "a", count: 64))/9999999999", [], owner, [:]),
                (401, "POST", "/v1/compare", [], nil, bench.schemaHeader),
                (400, "POST", "/v1/compare", [], owner, bench.schemaHeader),
                (400, "POST", "/v1/exchange", [], owner, [:]),
                (400, "POST", "/v1/exchange", [], owner, bench.schemaHeader),
                (400, "POST", "/v1/exchange", [], owner, [ServiceForm.schema: "1.0 x"]),
                (409, "POST", "/v1/exchange", [], owner, [ServiceForm.schema: "1.0.0 another"]),
                (409, "POST", "/v1/exchange", [], owner, [ServiceForm.schema: "9.0.0 newer"]),
                (426, "POST", "/v1/exchange", [], owner, [ServiceForm.schema: "0.9.0 older"]),
                (413, "POST", "/v1/exchange", large, owner, bench.schemaHeader),
                (
                    400, "POST", "/v1/invitations", Array(#"{"role":"king","lifetime":1,"uses":1}"#.utf8),
                    owner, [:]
                ),
                (
                    400, "POST", "/v1/invitations", Array(#"{"role":"owner","lifetime":-1,"uses":1}"#.utf8),
                    owner, [:]
                ),
                (
                    400, "POST", "/v1/invitations",
                    Array(#"{"role":"owner","lifetime":9223372036854775807,"uses":1}"#.utf8), owner, [:]
                ),
                (
                    400, "POST", "/v1/invitations",
                    Array(#"{"role":"owner","lifetime":60,"uses":1,"membershipEnds":1e300}"#.utf8), owner, [:]
                ),
                (
                    403, "POST", "/v1/invitations", Array(#"{"role":"reader","lifetime":60,"uses":1}"#.utf8),
                    bench.reader.text, [:]
                ),
            ]
            for (status, method, path, body, token, headers) in cases {
                let response = await bench.respond(method, path, body, as: token, headers: headers)
                let text = String(decoding: response.body, as: UTF8.self)
                #expect(response.status == status, "\(method) \(path) \(headers) \(text)")
                #expect(response.headers["content-type"] == ServiceForm.json)
                #expect(text.contains("message"))
                // Nothing of a token, whole or in part, is told.
                for secret in [owner, invitation, "hunter2"] { #expect(!text.contains(secret.prefix(30))) }
            }
            let amounts = try await bench.amounts()
            #expect(amounts.isEmpty)
            for query in [[:], ["after": "x"], ["after": "1", "wait": "x"]] {
                let response = await bench.respond("GET", "/v1/head", as: owner, query: query)
                #expect(response.status == 400)
            }
            let head = await bench.respond(
                "GET", "/v1/head", as: owner, query: ["after": "-1", "wait": "99999999999"])
            #expect(head.status == 200)
        }
    }

    @Test("values of another type, ids of other records and rows with another id are refused whole")
    func unsoundMutations() async throws {
        try await Self.withBench { bench in
            let device = DerivedID(namespace: bench.owner.id).uuid(["device"])
            let key = RowKey("Feed", UUID())
            let unsound: [ExchangeRequest] = [
                Self.insert([.uuid(UUID()), .text("many"), .null]),
                Self.insert([.uuid(UUID()), .null, .null]),
                Self.insert([.uuid(UUID()), .int(1), .int(2)]),
                // The record of the owner's own device.
                Self.insert(Self.row, id: device),
                Self.insert(Self.row, id: UUID()),
                ExchangeRequest(
                    cursor: .start,
                    mutations: [
                        Mutation(
                            id: UUIDv7.next(), time: 1, cursor: 0,
                            changes: [
                                .update(key, [AttributeEdit(1, before: .int(1), after: .text("x"))])
                            ])
                    ]),
            ]
            for request in unsound {
                let response = try await bench.exchange(request, as: bench.owner)
                #expect(response.status == 400)
            }
            #expect(try await bench.amounts().isEmpty)
            #expect(try await bench.exchange(Self.insert(Self.row), as: bench.owner).status == 200)
            #expect(try await bench.amounts() == [.int(90)])
            // A reader's is answered, with a rejection.
            let other: [StoredValue] = [.uuid(UUID()), .int(5), .null]
            #expect(try await bench.exchange(Self.insert(other), as: bench.reader).status == 200)
            #expect(try await bench.amounts() == [.int(90)])
        }
    }

    @Test("altered messages are refused or carried out, and never end in an error of the service")
    func fuzz() async throws {
        let count = Nightly.isOn ? 1_000_000 : 5_000
        try await Self.withBench { bench in
            var random = SystemRandomNumberGenerator()
            let schema = bench.server.schema
            let messages = [
                try Self.insert(Self.row).encoded(schema),
                try ExchangeRequest(cursor: .start).encoded(schema),
                RowsRequest(after: nil, seen: nil).encoded(schema),
                PartRequest(
                    entity: "Feed", after: UUID(), upTo: nil, digest: RowsSum(of: []), cursor: .start
                ).encoded(schema),
            ]
            var statuses: [Int: Int] = [:]
            for number in 0..<count {
                var message = messages[number % messages.count]
                // The digest at the end is an attacker's to make.
                message.removeLast(8)
                for _ in 0..<Int.random(in: 1...4, using: &random) where !message.isEmpty {
                    let place = Int.random(in: 0..<message.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: message[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: message.remove(at: place)
                    case 2: message.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    default: message.removeLast(message.count - place)
                    }
                }
                let path = ["/v1/exchange", "/v1/exchange", "/v1/rows", "/v1/compare"][number % 4]
                let response = await bench.respond(
                    "POST", path, message + message.sha256.prefix(8), as: bench.owner.text,
                    headers: bench.schemaHeader)
                statuses[response.status, default: 0] += 1
                guard [200, 400, 409].contains(response.status) else {
                    Issue.record("status \(response.status) for \(message)")
                    return
                }
            }
            #expect(statuses[400, default: 0] > count / 4)
            #expect(await bench.respond("GET", "/v1/household", as: bench.owner.text).status == 200)
            #expect(try await bench.server.check().isEmpty)
        }
    }

    @Test("a device that asks too often waits, and another does not")
    func rate() async throws {
        try await Self.withBench(requestsPerMinute: 10) { bench in
            var statuses: [Int] = []
            for _ in 0..<15 {
                statuses.append(await bench.respond("GET", "/v1/household", as: bench.owner.text).status)
            }
            #expect(statuses.prefix(10).allSatisfy { $0 == 200 })
            #expect(statuses.last == 429)
            #expect(await bench.respond("GET", "/v1/household", as: bench.reader.text).status == 200)
        }
    }

    @Test("who has heard of a device's id uses up nothing of what it may send")
    func guesses() async throws {
        try await Self.withBench(requestsPerMinute: 10) { bench in
            for _ in 0..<50 {
                let guess = MirrorToken(.device, scope: bench.scope, id: bench.owner.id)
                #expect(
                    await bench.respond("GET", "/v1/household", as: guess.text, from: "198.51.100.7").status
                        == 401)
            }
            #expect(
                await bench.respond("GET", "/v1/household", as: bench.owner.text, from: "198.51.100.7").status
                    == 200)
        }
    }

    @Test("an address that sends too many unknown tokens is refused, and the known devices there are not")
    func floods() async throws {
        try await Self.withBench(requestsPerMinute: 2) { bench in
            func status(_ token: String?, from peer: String) async -> Int {
                await bench.respond("GET", "/v1/household", as: token, from: peer).status
            }
            #expect(await status(bench.owner.text, from: "198.51.100.7") == 200)
            var statuses: [Int] = []
            for number in 0..<40 {
                let guess = MirrorToken(.device, scope: bench.scope, id: UUID()).text
                statuses.append(
                    await status([guess, "hunter2", nil][number % 3], from: "198.51.100.7"))
            }
            #expect(statuses.prefix(20).allSatisfy { $0 == 401 })
            #expect(statuses.last == 429)
            #expect(await status(bench.owner.text, from: "198.51.100.7") == 200)
            // A device that is not known yet comes from there later, and one from elsewhere at once.
            #expect(await status(bench.reader.text, from: "198.51.100.7") == 429)
            #expect(await status(bench.reader.text, from: "203.0.113.9") == 200)
        }
    }

    @Test("a wait for news ends with the service, with news, and at its time")
    func waiting() async throws {
        try await Self.withBench { bench in
            let first = await bench.respond("GET", "/v1/head", as: bench.owner.text, query: ["after": "-1"])
            let head: ServiceMessage.Head = try ServiceMessage.decoded(first.body)
            let query = ["after": "\(head.sequence)", "wait": "50"]
            async let waiting = bench.respond("GET", "/v1/head", as: bench.owner.text, query: query)
            try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                try tx.insertRows(into: "Feed", [Self.row])
            }
            let news: ServiceMessage.Head = try ServiceMessage.decoded(await waiting.body)
            #expect(news.sequence == head.sequence + 1)
            let later = await bench.respond(
                "GET", "/v1/head", as: bench.owner.text, query: ["after": "\(news.sequence)", "wait": "0"])
            let unchanged: ServiceMessage.Head = try ServiceMessage.decoded(later.body)
            #expect(unchanged == news)
            async let last = bench.respond(
                "GET", "/v1/head", as: bench.reader.text, query: ["after": "\(news.sequence)", "wait": "50"])
            await bench.service.close()
            let ended: ServiceMessage.Head = try ServiceMessage.decoded(await last.body)
            #expect(ended == news)
        }
    }
}
