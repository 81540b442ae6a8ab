import Foundation
import Switchyard
import SwitchyardCommands
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("What a device knows of its household")
struct MembershipTests {
    @Test("a device knows its household offline, and its end", arguments: TestBackend.shared)
    func membership(_ backend: TestBackend) async throws {
        try await HouseholdTests.withHouse(backend) { house in
            try await HouseholdTests.withDevice { mias in
                try await HouseholdTests.withDevice { bens in
                    #expect(try await mias.membership() == nil)
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    #expect(try await mias.membership()?.member?.name == "Mia")
                    try await mia.exchange()
                    let end = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 86_400)
                    let ben = try await house.join(
                        bens, by: try await mia.invite(.member, membershipEnds: end), as: "Ben")
                    try await ben.exchange()
                    let known = try #require(ben.status.membership)
                    #expect(known == (try await bens.membership()))
                    #expect(known.member?.role == .member)
                    #expect(known.member?.ends == end)
                    #expect(known.household?.members.map(\.name) == ["Mia", "Ben"])
                    #expect(!known.hasEnded(at: Date()))
                    #expect(known.hasEnded(at: end))
                    // The other device learns of it when it asks.
                    #expect(try await mias.membership()?.household?.members.count == 1)
                    _ = try await mia.household()
                    #expect(try await mias.membership()?.household?.members.count == 2)
                    let bensID = try #require(known.household?.me)
                    try await mia.revoke(member: bensID)
                    #expect(await HouseholdTests.code { try await ben.exchange() } == .revoked)
                    let ended = try #require(try await bens.membership())
                    #expect(ended.household == nil)
                    #expect(ended.hasEnded(at: Date()))
                    #expect(ben.status.membership == ended)
                    await ben.end()
                    // Whoever leaves knows it.
                    try await mia.setRole(
                        .owner, ofMember: try #require(try await mias.membership()?.household?.me))
                    let ann = try await house.join(bens, by: try await mia.invite(.member), as: "Ann")
                    try await ann.exchange()
                    #expect(try await bens.membership()?.member?.name == "Ann")
                    try await ann.leave()
                    #expect(try await bens.membership() == nil)
                    await mia.end()
                }
            }
        }
    }

    /// How the part of a store ends that has joined and never exchanged.
    private enum End: CaseIterable { case revoked, left, leftTooLate, stopped }

    @Test(
        "a store that has joined and never exchanged keeps its rows, and can join again",
        arguments: TestBackend.shared)
    func endBeforeExchange(_ backend: TestBackend) async throws {
        try await HouseholdTests.withHouse(backend) { house in
            try await HouseholdTests.withDevice { mias in
                let mia = try await house.join(mias, as: "Mia", .owner)
                for end in End.allCases {
                    try await HouseholdTests.withDevice { try await Self.expect(end, of: $0, house, mia) }
                }
                await mia.end()
            }
        }
    }

    private static func expect(
        _ end: End, of bens: any Store, _ house: HouseholdTests.House, _ mia: MirroredStore
    ) async throws {
        let feed = UUID()
        let row: [StoredValue] = [.uuid(feed), .int(5), .null]
        try await bens.write { _ = try $0.insertRows(into: "Feed", [row]) }
        _ = try await bens.join(
            try await mia.invite(.member), as: "Ben", device: nil, over: house.wire)
        let benID = try #require(try await bens.membership()?.household?.me)
        // What was sealed before the program ended.
        let server = try await house.server.marker().storeID
        let sealed = Mutation(
            id: UUIDv7.next(), time: 0, cursor: 0, changes: [.insert(RowKey("Feed", feed), row)])
        try await bens.keepHistory()
        try await bens.write { try LocalMirror($0, server: server).seal([sealed]) }
        switch end {
        case .revoked:
            try await mia.revoke(member: benID)
            let store = try await MirroredStore.open(bens, mirroring: .joined(over: house.wire))
            #expect(await HouseholdTests.code { try await store.exchange() } == .revoked)
            #expect(try await bens.membership()?.hasEnded(at: Date()) == true)
            await store.end()
        case .left:
            let store = try await MirroredStore.open(bens, mirroring: .joined(over: house.wire))
            try await store.leave(keepingRows: true, discardingUnsent: true)
        case .leftTooLate:
            try await mia.revoke(member: benID)
            let store = try await MirroredStore.open(bens, mirroring: .joined(over: house.wire))
            #expect(await HouseholdTests.code { try await store.leave() } == .revoked)
            await store.end()
        case .stopped:
            let failure = TransportResponse(status: 502, type: nil, body: Data())
            try await house.wire.answering("/household", failure) {
                try await MirroredStore.open(bens, mirroring: .joined(over: house.wire)).stop()
            }
        }
        #expect(try await !bens.hasJoinedHousehold(), "\(end)")
        #expect(try await HouseholdTests.feeds(bens) == [5], "\(end)")
        #expect(try await bens.read { try MirrorCounts($0).pending } == 0, "\(end)")
        if end == .stopped { try await mia.revoke(member: benID) }
        let back = try await house.join(bens, by: try await mia.invite(.member), as: "Ben")
        try await back.exchange()
        #expect(try await house.feeds() == [5], "\(end)")
        try await back.write { _ = try $0.deleteRows(of: "Feed", where: .constant(true)) }
        try await back.exchange()
        await back.end()
    }

    @Test("a leave that was refused keeps no rows of a later end", arguments: TestBackend.shared)
    func refusedLeave(_ backend: TestBackend) async throws {
        try await HouseholdTests.withHouse(backend) { house in
            try await HouseholdTests.withDevice { mias in
                try await HouseholdTests.withDevice { bens in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await HouseholdTests.add(90, to: mia)
                    try await mia.exchange()
                    try await ben.exchange()
                    let (miaID, benID) = (
                        try #require(try await mia.household().me), try #require(try await ben.household().me)
                    )
                    #expect(
                        await HouseholdTests.code { try await mia.leave(keepingRows: true) }
                            == .invalidArgument)
                    try await mia.setRole(.owner, ofMember: benID)
                    await mia.end()
                    try await HouseholdTests.add(7, to: mias)
                    try await ben.revoke(member: miaID)
                    let again = try await MirroredStore.open(mias, mirroring: .joined(over: house.wire))
                    #expect(await HouseholdTests.code { try await again.exchange() } == .revoked)
                    #expect(try await HouseholdTests.feeds(mias).isEmpty)
                    #expect(try await mias.rejectedWrites().map(\.reason) == [.membership])
                    await again.end()
                    // An answer that was lost is no refusal.
                    try await HouseholdTests.withDevice { anns in
                        let ann = try await house.join(anns, as: "Ann", .owner)
                        try await ann.exchange()
                        house.wire.fail("/leave", .unanswered)
                        #expect(
                            await HouseholdTests.code { try await ann.leave(keepingRows: true) }
                                == .connectionLost)
                        #expect(
                            await HouseholdTests.code { try await ann.leave(keepingRows: true) } == .revoked)
                        #expect(try await HouseholdTests.feeds(anns) == [90])
                        #expect(try await !anns.hasJoinedHousehold())
                        await ann.end()
                    }
                    await ben.end()
                }
            }
        }
    }

    /// What the command `mirror status` shows.
    private static func status(_ store: any Store) async throws -> MirrorOutput {
        let counts = try await store.read { try MirrorCounts($0) }
        return MirrorOutput(try await store.marker().mirror, counts, server: nil)
    }

    /// The lines of a status about the household, without times.
    private static func lines(_ store: any Store) async throws -> [String] {
        try await status(store).lines.filter { !$0.hasPrefix("last exchange") }.dropFirst().map {
            $0.replacing(/20[0-9TZ:-]+/, with: "…")
        }
    }

    @Test("the command's status shows the household, and what to do after its end")
    func command() async throws {
        try await HouseholdTests.withHouse(.sqlite) { house in
            try await HouseholdTests.withDevice { mias in
                try await HouseholdTests.withDevice { others in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await mia.exchange()
                    let end = Date(timeIntervalSinceNow: 86_400)
                    let sitter = try await house.join(
                        others, by: try await mia.invite(.reader, membershipEnds: end), as: "Sitter")
                    try await sitter.exchange()
                    let none = ["pending        0 writes", "rejected       0 writes", "conflicts      0"]
                    #expect(
                        try await Self.lines(mias) == none + [
                            "member         Mia, owner", "household      1 member, 1 device, as of …",
                        ])
                    #expect(
                        try await Self.lines(others) == none + [
                            "member         Sitter, reader, until …",
                            "household      2 members, 2 devices, as of …",
                            "A reader's writes are rejected. Ask an owner for the role of a member to write.",
                        ])
                    #expect(
                        try await Self.status(others).lines[0].hasPrefix(
                            "server         the household's service, store id "))
                    let json = try JSONEncoder().encode(try await Self.status(others))
                    let text = String(decoding: json, as: UTF8.self)
                    for part in [#""role":"reader""#, #""members":2"#, #""devices":2"#, #""hasEnded":false"#]
                    {
                        #expect(text.contains(part), "\(text)")
                    }
                    await sitter.end()
                    try await HouseholdTests.add(5, to: others)
                    try await mia.revoke(member: try #require(try await others.membership()?.household?.me))
                    let again = try await MirroredStore.open(others, mirroring: .joined(over: house.wire))
                    #expect(await HouseholdTests.code { try await again.exchange() } == .revoked)
                    #expect(
                        try await Self.status(others).lines == [
                            "The membership of the household has ended. Ask an owner for an invitation, and join by its link.",
                            "rejected       1 write", "See the command mirror conflicts.",
                        ])
                    await again.end()
                    await mia.end()
                }
            }
        }
    }

    @Test("a reader, and a member whose time is over, are told so before they write")
    func writing() async throws {
        try await HouseholdTests.withHouse(.sqlite) { house in
            try await HouseholdTests.withDevice { mias in
                try await HouseholdTests.withDevice { others in
                    func write(_ store: any Store, at date: Date = Date()) async throws {
                        try await store.write { try $0.requireWritingMember(at: date) }
                    }
                    try await write(others)
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await mia.exchange()
                    try await write(mias)
                    let grandma = try await house.join(others, as: "Grandma", .reader)
                    #expect(await HouseholdTests.code { try await write(others) } == .notPermitted)
                    let id = try #require(try await grandma.household().me)
                    let end = Date(timeIntervalSinceNow: 3_600)
                    try await mia.setRole(.member, ofMember: id, endingAt: end)
                    _ = try await grandma.household()
                    try await write(others)
                    #expect(
                        await HouseholdTests.code { try await write(others, at: end.addingTimeInterval(1)) }
                            == .revoked)
                    await mia.end()
                    await grandma.end()
                }
            }
        }
    }

    @Test(
        "each device knows who has inserted the rows that came since it joined", arguments: TestBackend.shared
    )
    func inserters(_ backend: TestBackend) async throws {
        try await HouseholdTests.withHouse(backend) { house in
            try await HouseholdTests.withDevice { mias in
                try await HouseholdTests.withDevice { bens in
                    func ids(_ store: any Store) async throws -> [UUID] {
                        try await store.read { tx in
                            try tx.fetchRows(of: "Feed", sortedBy: [SortKey("amount")]).compactMap {
                                if case .uuid(let id) = $0[0] { id } else { nil }
                            }
                        }
                    }
                    func names(_ store: any Store) async throws -> [String?] {
                        let rows = try await ids(store)
                        return try await store.read { tx in
                            let devices = try tx.insertingDevices(of: rows)
                            let membership = try tx.membership()
                            return rows.map { devices[$0].flatMap { membership?.member(ofDevice: $0)?.name } }
                        }
                    }
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await HouseholdTests.add(10, to: mia)
                    try await mia.exchange()
                    // What was there before he joined is nobody's, as far as he knows.
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await ben.exchange()
                    try await HouseholdTests.add(20, to: ben)
                    try await ben.exchange()
                    try await HouseholdTests.add(30, to: mia)
                    try await mia.exchange()
                    try await ben.exchange()
                    // A change does not make a row another's.
                    try await ben.write { tx in
                        try tx.updateRows(
                            of: "Feed", set: [Assignment(attribute: "note", value: .value(.text("x")))],
                            where: .constant(true))
                    }
                    try await ben.exchange()
                    _ = try await mia.household()
                    try await mia.exchange()
                    #expect(try await names(mias) == ["Mia", "Ben", "Mia"])
                    #expect(try await names(bens) == [nil, "Ben", "Mia"])
                    #expect(try await mias.read { try $0.insertingDevices(of: []) }.isEmpty)
                    await mia.end()
                    await ben.end()
                }
            }
        }
    }
}
