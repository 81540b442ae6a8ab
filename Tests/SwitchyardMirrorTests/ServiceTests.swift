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
                    413, "PUT", "/v1/parts/\(String(repeating: "a", count: 64))/0",
                    [UInt8](repeating: 0, count: MutationParts.bytesPerPart + 1), owner, [:]
                ),
                (413, "POST", "/v1/rows", [UInt8](repeating: 0, count: 100_000), owner, bench.schemaHeader),
                (413, "POST", "/v1/join", [UInt8](repeating: 0, count: 100_000), invitation, [:]),
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

    // MARK: Bodies

    /// How many bytes of a request's body are read at most, nil if none are, and how it is answered if they do not come.
    private struct Reading: Equatable {
        let most: Int?
        let status: Int
    }

    private static func reading(
        _ bench: Bench, _ method: String, _ path: String, as token: String
    ) async -> Reading {
        var most: Int?
        let head = ServiceRequest(
            method: method, path: path,
            headers: bench.schemaHeader.merging(["authorization": "Bearer \(token)"]) { $1 })
        let response = await bench.service.respond(to: head) { bytes in
            most = bytes
            return nil
        }
        return Reading(most: most, status: response.status)
    }

    @Test("a stranger's body is read as far as it is small, and a device's once its token was found right")
    func bodies() async throws {
        try await Self.withBench(requestsPerMinute: 20) { bench in
            let stranger = MirrorToken(.device, scope: bench.scope, id: UUID()).text
            let part = "/v1/parts/\(String(repeating: "a", count: 64))/0"
            for (method, path) in [("POST", "/v1/exchange"), ("PUT", part)] {
                let unknown = await Self.reading(bench, method, path, as: stranger)
                #expect(unknown == Reading(most: nil, status: 401))
            }
            #expect(
                await Self.reading(bench, "POST", "/v1/exchange", as: bench.owner.text)
                    == Reading(most: 2 << 20, status: 413))
            #expect(
                await Self.reading(bench, "PUT", part, as: bench.owner.text)
                    == Reading(most: 1 << 20, status: 413))
            for path in ["join", "login", "rows", "compare", "invitations", "leave"] {
                let small = await Self.reading(bench, "POST", "/v1/\(path)", as: stranger)
                #expect(small == Reading(most: 16 << 10, status: 413), "\(path)")
            }
            #expect(
                await Self.reading(bench, "POST", "/v1/nothing", as: bench.owner.text)
                    == Reading(most: nil, status: 404))
            var last = Reading(most: nil, status: 0)
            for _ in 0..<30 {
                last = await Self.reading(bench, "POST", "/v1/exchange", as: bench.owner.text)
            }
            #expect(last == Reading(most: nil, status: 429))
        }
    }

    @Test("a revoked device is told so before its body is read")
    func revokedBody() async throws {
        try await Self.withBench { bench in
            let household: ServiceMessage.Greeting = try ServiceMessage.decoded(
                await bench.respond("GET", "/v1/household", as: bench.owner.text).body)
            let reader = try #require(household.household.members.first { $0.role == .reader })
            #expect(
                await bench.respond("DELETE", "/v1/members/\(reader.id)", as: bench.owner.text).status == 200)
            #expect(
                await Self.reading(bench, "POST", "/v1/exchange", as: bench.reader.text)
                    == Reading(most: nil, status: 403))
        }
    }

    // MARK: Large writes

    @Test("a device sends the parts of one mutation at a time, and readers' leave half to the others")
    func parts() async throws {
        try await Self.withBench { bench in
            let mutations = try (0..<3).map { try MutationParts(of: [UInt8($0)]) }
            func put(_ mutation: Int, _ number: Int = 0, as token: MirrorToken) async -> Int {
                await bench.respond(
                    "PUT", "/v1/parts/\(mutations[mutation].digest)/\(number)", [UInt8(mutation)],
                    as: token.text
                ).status
            }
            func arrived(_ mutation: Int, as token: MirrorToken) async throws -> [Int] {
                let arrived: ServiceMessage.Arrived = try ServiceMessage.decoded(
                    await bench.respond(
                        "GET", "/v1/parts/\(mutations[mutation].digest)/1", as: token.text
                    ).body)
                return arrived.parts
            }
            #expect(await put(0, as: bench.owner) == 200)
            #expect(await put(0, as: bench.reader) == 200)
            #expect(try await arrived(0, as: bench.owner) == [0])
            #expect(await put(1, as: bench.owner) == 200)
            #expect(try await arrived(0, as: bench.owner) == [])
            #expect(try await arrived(1, as: bench.owner) == [0])
            #expect(try await arrived(0, as: bench.reader) == [0])
            // Other readers fill what readers may.
            let full = await Self.code {
                try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                    for _ in 0..<3 {
                        let records = PartRecords(
                            tx, device: UUID(), mayWrite: false, now: StoreRemote.systemTime())
                        for number in 0..<MutationParts.most {
                            try records.put([0], number: number, of: mutations[0].digest)
                        }
                    }
                }
            }
            #expect(full == .full)
            try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                for _ in 0..<2 {
                    let records = PartRecords(tx, device: UUID(), now: StoreRemote.systemTime())
                    for number in 0..<MutationParts.most {
                        try records.put([0], number: number, of: mutations[0].digest)
                    }
                }
            }
            #expect(await put(2, as: bench.reader) == 503)
            #expect(await put(2, as: bench.owner) == 200)
        }
    }

    private static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test("few large writes are put together at a time, and a small one does not wait for them")
    func largeWrites() async throws {
        try await Self.withBench { bench in
            let semaphore = bench.service.largeWrites
            let (holding, held) = AsyncStream.makeStream(of: Void.self)
            let (releasing, release) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                try await semaphore.withPermit {
                    try await semaphore.withPermit {
                        held.yield()
                        for await _ in releasing { break }
                    }
                }
            }
            for await _ in holding { break }
            let mutation = try #require(Self.insert(Self.row).mutations.first)
            let bytes = try mutation.encoded(bench.server.schema)
            let parts = try MutationParts(of: bytes)
            #expect(
                await bench.respond("PUT", "/v1/parts/\(parts.digest)/0", bytes, as: bench.owner.text).status
                    == 200)
            async let large = bench.respond(
                "POST", "/v1/exchange", ExchangeRequest(cursor: .start).encoded(bench.server.schema),
                as: bench.owner.text,
                headers: bench.schemaHeader.merging([ServiceForm.parts: parts.text]) { $1 })
            while semaphore.waiting == 0 { await Task.yield() }
            let other: [StoredValue] = [.uuid(UUID()), .int(5), .null]
            #expect(try await bench.exchange(Self.insert(other), as: bench.owner).status == 200)
            #expect(try await bench.amounts() == [.int(5)])
            release.yield()
            _ = try await holder.value
            #expect(try await large.status == 200)
            #expect(Set(try await bench.amounts()) == [.int(5), .int(90)])
        }
    }

    // MARK: Pages

    /// The pages that a device gets from a place on.
    private static func pages(_ bench: Bench, from cursor: HistoryPosition) async throws -> [ExchangePage] {
        var (pages, request): ([ExchangePage], ExchangeRequest) = ([], ExchangeRequest(cursor: cursor))
        repeat {
            let response = try await bench.exchange(request, as: bench.reader)
            guard case .page(let page) = try ExchangeAnswer(response.body, bench.server.schema) else {
                Issue.record("no page")
                return pages
            }
            pages.append(page)
            request = ExchangeRequest(cursor: page.upTo, seen: page.head)
        } while pages.last?.hasMore ?? false
        return pages
    }

    @Test("a page of changes ends after some MiB, between two transactions")
    func largeValues() async throws {
        try await Self.withBench { bench in
            let note = String(repeating: "x", count: 500_000)
            @Sendable func row(_ amount: Int64) -> [StoredValue] {
                [.uuid(UUIDv7.next()), .int(amount), .text(note)]
            }
            // Twenty rows of half a MB, twelve at once, and twenty again.
            for amounts in (0..<20).map({ $0..<$0 + 1 }) + [20..<32] + (32..<52).map({ $0..<$0 + 1 }) {
                try await bench.server.write(WriteOptions(scope: bench.scope)) {
                    try $0.insertRows(into: "Feed", amounts.map { row(Int64($0)) })
                }
            }
            let pages = try await Self.pages(bench, from: .start)
            // 4 MiB hold eight of them.
            #expect(pages.map(\.rows.count) == [8, 8, 4, 12, 8, 8, 4])
            #expect(pages.flatMap(\.rows).compactMap { $0.values?[1] } == (0..<52).map { .int($0) })
            #expect(pages.flatMap(\.steps).count == 41)
            // What is not sent does not count, and a row counts once.
            let last = try #require(pages.last?.upTo)
            for amount in 0..<3 {
                try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                    try tx.updateRows(
                        of: "Feed",
                        set: [Assignment(attribute: "amount", value: .value(.int(Int64(amount))))],
                        where: .constant(true))
                }
            }
            for number in 0..<20 {
                try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                    try tx.updateRows(
                        of: "Feed",
                        set: [Assignment(attribute: "note", value: .value(.text(note + "\(number)")))],
                        where: .compare(.attribute("id"), .equal, .value(.uuid(pages[0].rows[0].key.id))))
                }
            }
            let updates = try await Self.pages(bench, from: last)
            #expect(updates.map(\.rows.count) == [52])
            #expect(updates.map(\.steps.count) == [23])
        }
    }

    @Test("a page of logged conflicts ends after some MiB")
    func largeConflicts() async throws {
        try await Self.withBench { bench in
            #expect(try await bench.exchange(Self.insert(Self.row), as: bench.owner).status == 200)
            guard case .uuid(let id) = Self.row[0] else { return }
            let note = String(repeating: "x", count: 500_000)
            for number in 0..<20 {
                var request = Self.insert([.uuid(UUID()), .int(Int64(number)), .null])
                // It has seen another note than there is, at a time before it.
                request.mutations[0] = Mutation(
                    id: UUIDv7.next(), time: 0, cursor: 0,
                    changes: request.mutations[0].changes + [
                        .update(
                            RowKey("Feed", id), [AttributeEdit(2, before: .text("y"), after: .text(note))])
                    ])
                #expect(try await bench.exchange(request, as: bench.owner).status == 200)
            }
            let pages = try await Self.pages(bench, from: .start)
            #expect(pages.flatMap(\.conflicts).count == 20)
            #expect(pages.map(\.conflicts.count) == [8, 8, 4])
        }
    }

    @Test(
        "a transaction that is larger than a page may be is told with all rows",
        .enabled(if: Nightly.isOn, Comment(rawValue: Nightly.need)))
    func largeTransaction() async throws {
        try await Self.withBench { bench in
            let note = String(repeating: "x", count: 1 << 20)
            try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                try tx.insertRows(into: "Feed", [Self.row])
            }
            try await bench.server.write(WriteOptions(scope: bench.scope)) { tx in
                for _ in 0...256 {
                    try tx.insertRows(into: "Feed", [[.uuid(UUIDv7.next()), .int(1), .text(note)]])
                }
            }
            let first = try await bench.exchange(ExchangeRequest(cursor: .start), as: bench.reader)
            guard case .page(let page) = try ExchangeAnswer(first.body, bench.server.schema) else {
                Issue.record("no page")
                return
            }
            #expect(page.rows.count == 1)
            let second = try await bench.exchange(
                ExchangeRequest(cursor: page.upTo, seen: page.head), as: bench.reader)
            #expect(try ExchangeAnswer(second.body, bench.server.schema) == .beginAgain)
        }
    }

    // MARK: Slow networks

    @Test("a transfer is waited for anew with each of its pieces, and not for ever")
    func slowTransfers() {
        let start = ContinuousClock.now
        var deadline = TransferDeadline(waiting: .seconds(30), from: start)
        #expect(deadline.end == start + .seconds(35))
        deadline.extend(from: start + .seconds(34))
        #expect(deadline.end == start + .seconds(69))
        for second in stride(from: 60, through: 7_200, by: 30) {
            deadline.extend(from: start + .seconds(second))
        }
        #expect(deadline.end == start + .seconds(3_600))
    }
}
