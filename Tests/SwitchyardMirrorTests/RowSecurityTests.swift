import Foundation
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import TestBackends
import Testing

@Suite("Row-level security", .enabled(if: PostgresServer.url != nil, "\(PostgresServer.need)"))
struct RowSecurityTests {
    static let model = Result {
        try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Feed",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("amount", type: .int),
                        Attribute("code", type: .text, isOptional: true),
                    ], uniqueConstraints: [UniqueConstraint(["code"])]),
                Entity(
                    "Note",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("text", type: .text, isSearchable: true),
                        Attribute("feed", type: .uuid, isOptional: true, reference: "Feed"),
                    ]),
            ])
    }

    static let address = {
        var parts = URLComponents()
        (parts.scheme, parts.host) = ("https", "mirror.example.org")
        return parts.url ?? URL(filePath: "/")
    }()

    static func withDevice(_ body: (any Store) async throws -> Void) async throws {
        try await TestBackend.sqlite.withStore(try model.get(), body)
    }

    static func add(_ amounts: [Int64], to store: any Store) async throws {
        try await store.write { tx in
            try tx.insertRows(into: "Feed", amounts.map { [.uuid(UUIDv7.next()), .int($0), .null] })
        }
    }

    static func feeds(_ store: any Store) async throws -> [Int64] {
        try await store.read { tx in
            try tx.fetchRows(of: "Feed").compactMap {
                if case .int(let amount) = $0[1] { amount } else { nil }
            }
        }.sorted()
    }

    static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    /// Lets somebody in by an invitation.
    static func join(
        _ store: any Store, by link: HouseholdLink, as name: String?, over wire: Wire
    ) async throws -> MirroredStore {
        _ = try await store.join(link, as: name, device: name.map { "\($0)'s phone" }, over: wire)
        return try await MirroredStore.open(store, mirroring: .joined(over: wire))
    }

    // MARK: Serving

    @Test("a household lives behind it as without it")
    func household() async throws {
        let model = try Self.model.get()
        try await FencedPlace.with { place in
            try await place.prepare(model)
            try await place.withService(model, as: place.owner) { operator_ in
                try await place.withService(model, as: place.login) { service in
                    try await Self.live(service, operator_)
                }
            }
            let store = try await place.open(model, as: place.owner)
            #expect(try await store.rowSecurityGaps(for: place.group) == [])
            try await store.close()
        }
    }

    /// What people do in a household, from the first invitation to the last revocation.
    private static func live(_ service: MirrorService, _ runner: MirrorService) async throws {
        // The engine of a store that is open sends requests of its own.
        let (wire, bensWire) = (Wire(service), Wire(service))
        let scope = StoreScope()
        try await withDevice { mias in
            try await withDevice { bens in
                try await withDevice { grandmas in
                    let first = try await runner.invite(
                        InvitationTerms(role: .owner), into: scope, service: address)
                    let mia = try await join(mias, by: first, as: "Mia", over: wire)
                    try await add(Array(1...100), to: mia)
                    try await mia.exchange()
                    let link = try await mia.invite(.member)
                    // The answer is lost, and asked for again.
                    bensWire.fail("/join", .unanswered)
                    #expect(
                        await code { _ = try await join(bens, by: link, as: "Ben", over: bensWire) }
                            == .connectionLost)
                    let ben = try await join(bens, by: link, as: "Ben", over: bensWire)
                    try await ben.exchange()
                    #expect(try await feeds(ben) == Array(1...100))
                    let grandma = try await join(
                        grandmas, by: try await mia.invite(.reader), as: "Grandma", over: wire)
                    try await grandma.exchange()
                    try await add([7], to: grandma)
                    try await grandma.exchange()
                    #expect(try await feeds(grandma) == Array(1...100))
                    #expect(try await grandma.rejectedWrites().map(\.reason) == [.role])
                    #expect(await code { _ = try await grandma.invite(.reader) } == .notPermitted)
                    try await bens.write { tx in _ = try tx.deleteRows(of: "Feed", where: .constant(true)) }
                    try await ben.exchange()
                    try await mia.exchange()
                    #expect(try await feeds(mia) == [])
                    // Another device of a member who is no owner, which is given up again.
                    try await withDevice { tablets in
                        let tablet = try await join(
                            tablets, by: try await ben.invite(nil), as: nil, over: wire)
                        try await tablet.exchange()
                        #expect(try await tablet.household().members.map(\.devices.count) == [1, 2, 1])
                        try await ben.revoke(device: try await tablets.marker().storeID)
                        #expect(await code { try await tablet.exchange() } == .revoked)
                        await tablet.end()
                    }
                    let benID = try #require(try await ben.household().me)
                    try await mia.setRole(.owner, ofMember: benID)
                    try await mia.setRole(.member, ofMember: benID)
                    try await ben.leave(keepingRows: true)
                    #expect(try await mia.household().members.map(\.name) == ["Mia", "Grandma"])
                    let grandmaID = try #require(try await grandma.household().me)
                    try await mia.revoke(member: grandmaID)
                    #expect(await code { try await grandma.exchange() } == .revoked)
                    #expect(try await mia.household().members.map(\.name) == ["Mia"])
                    // Who was invited once more comes back with the same device.
                    let back = try await join(bens, by: try await mia.invite(.member), as: "Ben", over: wire)
                    try await back.exchange()
                    #expect(try await mia.household().members.map(\.name) == ["Mia", "Ben"])
                    #expect(
                        await code { _ = try await join(grandmas, by: link, as: "X", over: wire) }
                            == .notPermitted)
                    for store in [mia, back, grandma] { await store.end() }
                }
            }
        }
    }

    // MARK: The second wall alone

    /// Runs a test with a store of two households that is fenced.
    private static func withHouses(
        _ body: (FencedHouses, Schema) async throws -> Void
    ) async throws {
        let model = try model.get()
        try await FencedPlace.with { place in
            try await place.prepare(model)
            try await body(try await FencedHouses(place, model, fillsAll: true), model)
        }
    }

    @Test("no statement of a role that serves devices reads or changes what its device must not")
    func matrix() async throws {
        try await Self.withHouses { houses, model in
            var matrix = try FencedMatrix(houses, model)
            try matrix.run()
            #expect(matrix.cases >= 3_000)
            #expect(matrix.leaks == [])
            #expect(matrix.refusals == [])
        }
    }

    @Test("a token that a device has had before changes nothing of the device's record")
    func earlierToken() async throws {
        try await Self.withHouses { houses, _ in
            let connection = try RawConnection(PostgresServer.url ?? "")
            try connection.require("SET search_path = \(houses.place.schema), pg_temp")
            // Each may end its own device, and the earlier token is that of none.
            let ended = try houses.actors.filter { $0.rights.reads || $0.name.contains("backup") }.map {
                actor in
                try connection.require("BEGIN")
                defer { _ = connection.run("ROLLBACK") }
                try connection.require(actor.settings())
                try connection.require("SET LOCAL ROLE \(houses.place.login)")
                let own = try connection.require(
                    "SELECT id FROM switchyard_mirror WHERE id = switchyard_own('device')")
                #expect(own == [[actor.record?.uuidString.lowercased()]])
                let outcome = connection.run(
                    """
                    UPDATE switchyard_mirror SET data = convert_to(
                        replace(convert_from(data, 'UTF8'), '"isRevoked":false', '"isRevoked":true'), 'UTF8')
                        WHERE id = switchyard_own('device') RETURNING id
                    """)
                return outcome.rows.count
            }
            #expect(ended == [1, 1, 1, 0, 1])
        }
    }

    @Test("an invitation lets somebody in as long as its inviter is an owner")
    func demotedInviter() async throws {
        try await Self.withHouses { houses, model in
            let (scope, place) = (houses.home, houses.place)
            let owner = try await place.open(model, as: place.owner)
            let now = StoreRemote.systemTime()
            let invitations = try await owner.write(WriteOptions(scope: scope)) { tx in
                let records = HouseholdRecords(tx, now: now)
                let (id, secret) = try records.invite(InvitationTerms(role: .owner), by: nil)
                let ben = try records.accept(
                    MirrorToken(.invitation, scope: scope, id: id, secret: secret),
                    .init(device: UUID(), secret: MirrorToken.newSecret(), deviceName: nil, name: "Ben"))
                try records.change(ben.member, to: .member, ends: nil, by: nil)
                // As an earlier service has left them.
                return try [HouseholdRole.owner, nil].map {
                    let (id, secret) = try records.invite(InvitationTerms(role: $0), by: ben)
                    return MirrorToken(.invitation, scope: scope, id: id, secret: secret)
                }
            }
            func arrivals(from role: String) async throws -> [Bool] {
                try await PostgresServer.administer(
                    """
                    UPDATE \(place.schema).switchyard_mirror SET data = convert_to(
                        regexp_replace(convert_from(data, 'UTF8'), '"role":"[a-z]*"', '"role":"\(role)"'), 'UTF8')
                        WHERE kind = 15 AND convert_from(data, 'UTF8') LIKE '%"name":"Ben"%'
                    """)
                let connection = try RawConnection(PostgresServer.url ?? "")
                try connection.require("SET search_path = \(place.schema), pg_temp")
                return try invitations.map { token in
                    let identity = ScopeIdentity(
                        scope: scope, device: .init(id: UUID(), digest: MirrorToken.digest(of: token.secret)),
                        invitation: .init(id: token.id, digest: token.digest))
                    let calls = ScopeIdentity.Setting.allCases.map {
                        "set_config('\($0.name)', '\(identity.value(of: $0))', true)"
                    }
                    try connection.require("BEGIN")
                    defer { _ = connection.run("ROLLBACK") }
                    try connection.require("SELECT " + calls.joined(separator: ", "))
                    try connection.require("SET LOCAL ROLE \(place.login)")
                    return try connection.require("SELECT switchyard_scope_for('arrive') IS NOT NULL") == [
                        ["t"]
                    ]
                }
            }
            #expect(try await arrivals(from: "owner") == [true, true])
            // A device of one's own may still come.
            #expect(try await arrivals(from: "member") == [false, true])
            #expect(try await arrivals(from: "reader") == [false, true])
            try await owner.close()
        }
    }

    /// A mistake of who sets the rules up, and what is said of it.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let statement: String
        let gap: String
        /// The table whose rows can be read or changed by it; nil where none can.
        var leak: String?

        var testDescription: String { statement }
    }

    static let mistakes = [
        Mistake(
            statement: """
                ALTER POLICY switchyard_update ON "Feed" WITH CHECK (true)
                """, gap: "The policy switchyard_update of the table Feed is another one", leak: "Feed"),
        Mistake(
            statement: """
                ALTER POLICY switchyard_insert ON "Note" WITH CHECK (true)
                """, gap: "The policy switchyard_insert of the table Note is another one", leak: "Note"),
        Mistake(
            statement: """
                CREATE POLICY report ON "Feed" FOR SELECT USING (true)
                """, gap: "The table Feed has the policy report of somebody else", leak: "Feed"),
        Mistake(
            statement: "ALTER TABLE switchyard_history DISABLE ROW LEVEL SECURITY",
            gap: "The table switchyard_history has no row-level security", leak: "switchyard_history"),
        Mistake(
            statement: "DROP POLICY switchyard_read ON switchyard_history",
            gap: "The table switchyard_history lacks the policy switchyard_read"),
        Mistake(
            statement: "ALTER TABLE switchyard_history NO FORCE ROW LEVEL SECURITY",
            gap: "The table switchyard_history does not force row-level security"),
        Mistake(
            statement: "GRANT TRUNCATE ON \"Feed\" TO $group",
            gap: "has the privilege TRUNCATE on Feed", leak: "Feed"),
        Mistake(
            statement: "REVOKE INSERT ON \"Feed\" FROM $group", gap: "lacks the privilege INSERT on Feed"),
        Mistake(
            statement: "ALTER ROLE $login BYPASSRLS", gap: "has BYPASSRLS", leak: "Feed"),
        Mistake(
            statement: "GRANT $owner TO $login", gap: "which owns the store", leak: "Feed"),
        Mistake(
            statement: "ALTER TABLE \"Note\" OWNER TO $login", gap: "owns Note"),
        Mistake(
            statement: "CREATE VIEW feeds AS SELECT * FROM \"Feed\"; GRANT SELECT ON feeds TO $group",
            gap: "has the privilege SELECT on feeds"),
        Mistake(
            statement: """
                CREATE OR REPLACE FUNCTION switchyard_own(word text) RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'
                """, gap: "The function switchyard_own is another one"),
        Mistake(
            statement: "GRANT EXECUTE ON FUNCTION switchyard_actor() TO PUBLIC",
            gap: "Others may call the function switchyard_actor"),
        Mistake(
            statement: "ALTER ROLE $login SET switchyard.scope = 'somebody'",
            gap: "The setting switchyard.scope has a default"),
        Mistake(
            statement: "GRANT CREATE ON SCHEMA $schema TO $group", gap: "may create objects"),
    ]

    @Test(
        "a mistake in the rules is found by the check, and by the matrix if rows are open",
        arguments: mistakes)
    func mistake(_ mistake: Mistake) async throws {
        try await Self.withHouses { houses, model in
            let place = houses.place
            let statement = mistake.statement.replacing("$group", with: place.group)
                .replacing("$login", with: place.login).replacing("$owner", with: place.owner)
                .replacing("$schema", with: place.schema)
            try await PostgresServer.administer("SET search_path = \(place.schema); \(statement)")
            let store = try await place.open(model, as: place.owner)
            let gaps = try await store.rowSecurityGaps(for: place.group)
            #expect(gaps.contains { $0.contains(mistake.gap) }, "\(gaps)")
            try await store.close()
            if let table = mistake.leak {
                var matrix = try FencedMatrix(houses, model)
                try matrix.run(only: table)
                #expect(matrix.leaks != [])
            }
        }
    }

    @Test("a service that is granted it learns the ends of the histories of households that it names")
    func heads() async throws {
        try await Self.withHouses { houses, model in
            let place = houses.place
            let unknown = StoreScope()
            let owners = try await place.open(model, as: place.owner)
            _ = try await owners.write(WriteOptions(scope: houses.foreign)) { tx in
                try tx.insertRows(into: "Feed", [[.uuid(UUIDv7.next()), .int(3), .null]])
            }
            try await owners.close()
            func heads(as role: String) async throws -> [StoreScope: Int64?] {
                let store = try await place.open(model, as: role)
                let result: Result<[HeldScope], any Error>
                do {
                    let asked: Set = [houses.home, houses.foreign, unknown]
                    result = .success(try await store.read { try $0.driver.maintenance.heads(of: asked) })
                } catch { result = .failure(error) }
                try await store.close()
                return Dictionary(uniqueKeysWithValues: try result.get().map { ($0.scope, $0.lastOfHistory) })
            }
            let seen = try await heads(as: place.owner)
            let home = try #require(seen[houses.home] ?? nil)
            let foreign = try #require(seen[houses.foreign] ?? nil)
            // Each is its own, so that one in the place of the other is noticed.
            #expect(home > 0 && foreign > home)
            #expect(
                try await heads(as: place.login) == [
                    houses.home: home, houses.foreign: foreign, unknown: nil,
                ])
            try await PostgresServer.administer(
                "REVOKE EXECUTE ON FUNCTION \(place.schema).switchyard_heads(uuid[]) FROM \(place.group)")
            let hidden = try await heads(as: place.login)
            #expect(hidden == [houses.home: nil, houses.foreign: nil, unknown: nil])
        }
    }

    @Test("the services of a fenced store notify each other of commits")
    func notifications() async throws {
        let model = try Self.model.get()
        try await FencedPlace.with { place in
            try await place.prepare(model)
            let (one, other) = (
                try await place.open(model, as: place.login), try await place.open(model, as: place.login)
            )
            let (heard, hears) = AsyncStream.makeStream(of: Set<ScopeMark>.self)
            let channel = try #require(one.commits.scopeChannel)
            var listener: (any Sendable & AnyObject)? = try await channel.listen { hears.yield($0) }
            let scope = StoreScope()
            try await other.commits.scopeChannel?.tell(of: [scope])
            #expect(await heard.first { _ in true } == [ScopeMark(scope)])
            withExtendedLifetime(listener) {}
            listener = nil
            try await one.close()
            try await other.close()
        }
    }

    @Test("a store can be fenced while it is open, and again, and its owner goes on as before")
    func again() async throws {
        try await FencedPlace.with { place in
            let model = try Self.model.get()
            try await place.prepare(model, isFenced: false)
            let store = try await place.open(model, as: place.owner)
            let scope = StoreScope()
            func add(_ count: Int64) async throws {
                _ = try await store.write(WriteOptions(scope: scope)) { tx in
                    try tx.insertRows(into: "Feed", (0..<count).map { [.uuid(UUID()), .int($0), .null] })
                }
            }
            // As many rows as COPY takes, which it does not once the table is fenced.
            try await add(200)
            #expect(try await !store.rowSecurityGaps(for: place.group).isEmpty)
            for _ in 1...2 {
                try await store.grant(to: place.group)
                try await add(200)
            }
            let count = try await store.read(ReadOptions(scopes: [scope])) { try $0.countRows(of: "Feed") }
            #expect(count == 600)
            #expect(try await store.check() == [])
            #expect(try await store.rowSecurityGaps(for: place.group) == [])
            let statements = try await store.grantStatements(for: place.group)
            #expect(statements.count { $0.contains("FORCE ROW LEVEL SECURITY") } == 9)
            let error = await Self.code { try await store.grant(to: place.owner) }
            #expect(error == .invalidArgument)
            try await store.close()
        }
    }

    @Test("a store without scopes has no households to keep apart")
    func unscoped() async throws {
        try await PostgresServer.withSchemaName { name in
            let store = try await PluginRegistry([PostgresPlugin.self]).open(
                url: try PostgresServer.url(schema: name), schema: try Self.model.get())
            let postgres = try #require(store as? PostgresStore)
            #expect(await Self.code { _ = try await postgres.grantStatements() } == .unsupported)
            try await store.close()
        }
    }
}
