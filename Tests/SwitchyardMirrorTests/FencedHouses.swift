import Foundation
import PostgresStore
import PostgresTestServer
import SwitchyardCore
import SwitchyardMirror

/// Two households in one store, each with rows in every table, and everybody who might ask for them.
struct FencedHouses: Sendable {
    /// What somebody may do in a household.
    struct Rights: Sendable {
        var reads = false
        var writes = false
        var manages = false
    }

    /// Somebody who asks.
    struct Actor: Sendable {
        let name: String
        /// Nil for a request that bears none.
        let token: MirrorToken?
        /// The household in which there are rights.
        let scope: StoreScope?
        let rights: Rights

        /// The id of the device's record.
        var record: UUID? { token.map { DerivedID(namespace: $0.id).uuid(["device"]) } }

        /// The statements that tell the server who asks.
        func settings(isLocal: Bool = true) -> String {
            let identity = token.flatMap { token in
                token.scope.map {
                    ScopeIdentity(
                        scope: $0, device: .init(id: record ?? token.id, digest: token.digest))
                }
            }
            let calls = ScopeIdentity.Setting.allCases.map {
                "set_config('\($0.name)', '\(identity?.value(of: $0) ?? "")', \(isLocal))"
            }
            return "SELECT " + calls.joined(separator: ", ")
        }

        func rights(in other: String?) -> Rights {
            other == scope?.uuid.uuidString.lowercased() ? rights : Rights()
        }
    }

    let place: FencedPlace
    let home = StoreScope()
    let foreign = StoreScope()
    private(set) var actors: [Actor] = []

    /// Fills the store, which has been prepared.
    ///
    /// - Parameters:
    ///   - place: The place of the store.
    ///   - model: Its schema.
    ///   - fillsAll: Whether to put a row into each table that no write of these households has filled; it means nothing
    ///     to a service.
    /// - Throws: As a write.
    init(_ place: FencedPlace, _ model: Schema, fillsAll: Bool = false) async throws {
        self.place = place
        let store = try await place.open(model, as: place.owner)
        let result: Result<[Actor], any Error>
        do { result = .success(try await Self.fill(store, home, foreign)) } catch { result = .failure(error) }
        try await store.close()
        actors = try result.get()
        for scope in [home, foreign] where fillsAll { try await fillOtherTables(of: scope) }
    }

    private static func fill(
        _ store: any Store, _ home: StoreScope, _ foreign: StoreScope
    ) async throws -> [Actor] {
        let past = Int64(Date().timeIntervalSince1970 * 1_000_000) - 10_000_000
        func admit(
            _ name: String, _ role: HouseholdRole, to scope: StoreScope, endsAfter seconds: Int64? = nil
        ) async throws -> MirrorToken {
            try await store.write(WriteOptions(scope: scope)) { tx in
                let records = HouseholdRecords(tx, now: past)
                let ends = seconds.map { Date(timeIntervalSince1970: Double(past) / 1_000_000 + Double($0)) }
                let (id, secret) = try records.invite(
                    InvitationTerms(role: role, membershipEnds: ends), by: nil)
                let token = MirrorToken(
                    .device, scope: scope, id: UUID(), secret: MirrorToken.newSecret())
                _ = try records.accept(
                    MirrorToken(.invitation, scope: scope, id: id, secret: secret),
                    .init(device: token.id, secret: token.secret, deviceName: name, name: name))
                return token
            }
        }
        let owner = try await admit("owner", .owner, to: home)
        let member = try await admit("member", .member, to: home)
        let reader = try await admit("reader", .reader, to: home)
        let ended = try await admit("ended", .owner, to: home, endsAfter: 5)
        let revoked = try await admit("revoked", .owner, to: home)
        let removed = try await admit("removed", .owner, to: home)
        let lost = try await admit("lost", .owner, to: home)
        let stranger = try await admit("stranger", .owner, to: foreign)
        try await store.write(WriteOptions(scope: home)) { tx in
            let records = HouseholdRecords(tx, now: past)
            let members = try records.household(of: nil).members
            for person in members where person.name == "revoked" {
                try records.revoke(member: person.id, by: nil)
            }
            try records.revoke(device: removed.id, by: nil)
            // Its backup has joined with another token.
            try records.revoke(device: lost.id, by: nil)
            let (id, secret) = try records.invite(InvitationTerms(role: .owner), by: nil)
            _ = try records.accept(
                MirrorToken(.invitation, scope: home, id: id, secret: secret),
                .init(device: lost.id, secret: MirrorToken.newSecret(), deviceName: "lost", name: "lost"))
            _ = try records.invite(InvitationTerms(role: .owner, lifetime: 86_400), by: nil)
        }
        for (scope, word) in [(home, "home"), (foreign, "foreign")] {
            try await store.write(WriteOptions(scope: scope)) { tx in
                let feed = UUIDv7.next()
                try tx.insertRows(
                    into: "Feed",
                    [
                        [.uuid(feed), .int(1), .text("secret \(word)")],
                        [.uuid(UUIDv7.next()), .int(2), .null],
                    ])
                try tx.insertRows(
                    into: "Note", [[.uuid(UUIDv7.next()), .text("secret \(word)"), .uuid(feed)]])
            }
        }
        let everything = Rights(reads: true, writes: true, manages: true)
        return [
            Actor(name: "an owner", token: owner, scope: home, rights: everything),
            Actor(name: "a member", token: member, scope: home, rights: Rights(reads: true, writes: true)),
            Actor(name: "a reader", token: reader, scope: home, rights: Rights(reads: true)),
            Actor(name: "one whose membership ended", token: ended, scope: home, rights: Rights()),
            Actor(name: "one whose membership was revoked", token: revoked, scope: home, rights: Rights()),
            Actor(name: "a device that was removed", token: removed, scope: home, rights: Rights()),
            Actor(
                name: "a device that was removed, and whose backup has joined again", token: lost,
                scope: home, rights: Rights()),
            Actor(name: "a stranger", token: stranger, scope: foreign, rights: everything),
            Actor(
                name: "a stranger who names the household",
                token: MirrorToken(.device, scope: home, id: stranger.id, secret: stranger.secret),
                scope: home, rights: Rights()),
            Actor(
                name: "one with a wrong secret",
                token: MirrorToken(.device, scope: home, id: owner.id, secret: MirrorToken.newSecret()),
                scope: home, rights: Rights()),
            Actor(name: "nobody", token: nil, scope: nil, rights: Rights()),
        ]
    }

    private func fillOtherTables(of scope: StoreScope) async throws {
        let id = "'\(scope.uuid)', gen_random_uuid()"
        let records = [1, 5, 6, 9].map { "(\(id), \($0), 1, '\\x01')" }.joined(separator: ", ")
        try await PostgresServer.administer(
            """
            SET search_path = \(place.schema);
            INSERT INTO switchyard_history_block VALUES (\(id), '\\x01');
            INSERT INTO switchyard_history_consumer VALUES (\(id), 'somebody', 1, 1, '\\x01');
            INSERT INTO switchyard_operation VALUES (\(id), now());
            INSERT INTO switchyard_mirror VALUES \(records)
            """)
    }
}
