import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@testable import SwitchyardMirrorEngine

@Suite("Messages of an exchange as bytes")
struct MessageTests {
    private static let schema = Result {
        let id = Attribute("id", type: .uuid)
        let plain: [Attribute] = AttributeType.allCases.map { type in
            Attribute("\(type.rawValue)", type: type, isOptional: true)
        }
        return try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity("Everything", attributes: [id] + plain),
                Entity(
                    "Note", attributes: [id, Attribute("text", type: .text), Attribute("stars", type: .int)]),
            ])
    }

    private static func uuid(_ number: UInt8) -> UUID {
        UUID(uuid: (1, 0x9A, 7, 7, 7, 7, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    private static func place(_ sequence: Int64) -> HistoryPosition {
        HistoryPosition(sequence: sequence, digest: HistoryPosition.start.next(uuid(9)).digest)
    }

    /// A row with a value of each type.
    private static let everything: [StoredValue] = AttributeType.allCases.map { type in
        switch type {
        case .bool: .bool(true)
        case .int: .int(-3)
        case .double: .double(0.25)
        case .decimal: .decimal(Decimal(string: "12.5") ?? 0)
        case .text: .text("Mïa")
        case .blob: .blob(Data([0, 255]))
        case .uuid: .uuid(uuid(8))
        case .timestamp: .timestamp(1_762_454_079_250_000)
        case .day: CalendarDay(daysSince1970: 20_000).map { .day($0) } ?? .null
        case .json: .json(#"{"a":[1,2]}"#)
        }
    }

    private static let key = RowKey("Everything", uuid(1))
    private static let note = RowKey("Note", uuid(2))
    private static let row = [.uuid(uuid(1))] + everything

    private static let requests = [
        ExchangeRequest(cursor: .start),
        ExchangeRequest(
            cursor: place(300), seen: place(400), trail: [.start, place(200), place(300)],
            mutations: [
                Mutation(
                    id: uuid(3), time: 1_762_454_079_000_000, author: "baby add", undone: uuid(7),
                    cursor: 299,
                    changes: [
                        .insert(key, row), .delete(note, before: [.uuid(note.id), .text("gone"), nil]),
                    ]),
                Mutation(
                    id: uuid(4), time: .min, cursor: 0,
                    changes: [
                        .update(
                            note,
                            [
                                AttributeEdit(1, before: .text(""), after: .text("new")),
                                AttributeEdit(2, before: nil, after: .int(.max)),
                            ]),
                        .offer(key, row, received: 17),
                        .offer(note, nil, received: HistorySettings.greatest.sequence),
                    ]),
            ], stored: [uuid(5), uuid(6)], earlier: (try? schema.get()).map { SchemaIdentity($0) }),
    ]

    private static let rowsRequests = [
        RowsRequest(after: nil, seen: nil), RowsRequest(after: note, seen: place(4)),
    ]

    private static let answers: [ExchangeAnswer] = [
        .restart, .beginAgain, .ahead(common: place(5)), .ahead(common: nil),
        .rows(
            RowsPage(
                rows: [RowPatch(key, row), RowPatch(note, [.uuid(note.id), .text("text"), .int(0)])],
                next: note, head: place(70), places: [place(3), place(69), place(70)])),
        .rows(RowsPage(rows: [], next: nil, head: .start)),
        .page(
            ExchangePage(
                verdicts: [
                    Verdict(id: uuid(1), kind: .accepted), Verdict(id: uuid(2), kind: .merged),
                    Verdict(id: uuid(3), kind: .rejected, reason: Rejection(.unique, "Note", "text")),
                    Verdict(id: uuid(4), kind: .rejected, reason: Rejection(.uncertain, "")),
                ],
                from: place(1), upTo: place(90), steps: [uuid(7), uuid(2), uuid(1)],
                rows: [
                    RowPatch(key, nil), RowPatch(note, [.uuid(note.id), nil, .int(5)]), RowPatch(key, row),
                    RowPatch(key, [.uuid(key.id)] + everything.map { $0.type == .day ? $0 : nil }),
                ],
                conflicts: [
                    LoggedConflict(
                        id: uuid(5), time: 1_762_454_079_000_001, device: "Mia's phone",
                        Conflict(
                            note, .edited, mutation: uuid(6),
                            values: [Conflict.Value(1, losing: .text("a"), winning: .text("b"))])),
                    LoggedConflict(
                        id: uuid(6), time: 1_762_454_079_000_000, device: nil,
                        Conflict(
                            key, .deleted, mutation: uuid(7),
                            values: [Conflict.Value(2, losing: .null, winning: nil)])),
                ],
                head: place(91))),
    ]

    /// Each message in bytes, and what reads it.
    private static func messages() throws -> [(bytes: [UInt8], read: ([UInt8]) throws -> Void)] {
        let schema = try schema.get()
        return try requests.map { (try $0.encoded(schema), { _ = try ExchangeRequest($0, schema) }) }
            + rowsRequests.map { ($0.encoded(schema), { _ = try RowsRequest($0, schema) }) }
            + answers.map { (try $0.encoded(schema), { _ = try ExchangeAnswer($0, schema) }) }
    }

    private static func isUnreadable(_ message: [UInt8], _ read: ([UInt8]) throws -> Void) -> Bool {
        do {
            try read(message)
            return false
        } catch {
            return (error as? StoreError)?.code == .corrupted
        }
    }

    @Test("a message is read as it was written")
    func roundTrip() throws {
        let schema = try Self.schema.get()
        for request in Self.requests {
            #expect(try ExchangeRequest(try request.encoded(schema), schema) == request)
        }
        for request in Self.rowsRequests {
            #expect(try RowsRequest(request.encoded(schema), schema) == request)
        }
        for answer in Self.answers {
            #expect(try ExchangeAnswer(try answer.encoded(schema), schema) == answer)
        }
    }

    @Test("a message that was cut off anywhere, doubled or lengthened is refused")
    func cutOff() throws {
        for (bytes, read) in try Self.messages() {
            for count in bytes.indices {
                #expect(Self.isUnreadable(Array(bytes[..<count]), read), "\(count)")
            }
            #expect(Self.isUnreadable(bytes + bytes, read))
            #expect(Self.isUnreadable(bytes + [0], read))
            #expect(Self.isUnreadable([0] + bytes, read))
        }
    }

    @Test("a message with any bit altered is refused")
    func altered() throws {
        for (bytes, read) in try Self.messages() {
            for index in bytes.indices {
                for bit in 0..<8 {
                    var altered = bytes
                    altered[index] ^= 1 << bit
                    #expect(Self.isUnreadable(altered, read), "bit \(bit) of byte \(index)")
                }
            }
        }
    }

    @Test(
        "a forged message is refused or read, and never traps",
        arguments: 1...20 as ClosedRange<UInt64>)
    func forged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for (bytes, read) in try Self.messages() {
            for _ in 0..<500 {
                var forged = Array(bytes.dropLast(8))
                for _ in 0...Int.random(in: 0...3, using: &random) where !forged.isEmpty {
                    let index = Int.random(in: 0..<forged.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: forged[index] = .random(in: 0...255, using: &random)
                    case 1: forged.remove(at: index)
                    case 2: forged.insert(.random(in: 0...255, using: &random), at: index)
                    // The greatest number that there is, as a count of nothing.
                    default:
                        forged.replaceSubrange(index...index, with: [UInt8](repeating: 255, count: 9) + [1])
                    }
                }
                do {
                    try read(Message.sealed(forged))
                } catch {
                    let code = (error as? StoreError)?.code
                    #expect([.corrupted, .schemaMismatch].contains(code), "\(error)")
                }
            }
        }
    }

    @Test("a message is no other message, and a newer format is told from a damaged one")
    func otherKinds() throws {
        let schema = try Self.schema.get()
        let answer = try ExchangeAnswer.restart.encoded(schema)
        #expect(Self.isUnreadable(answer) { _ = try ExchangeRequest($0, schema) })
        #expect(Self.isUnreadable(answer) { _ = try RowsRequest($0, schema) })
        let request = try ExchangeRequest(cursor: .start).encoded(schema)
        #expect(Self.isUnreadable(request) { _ = try ExchangeAnswer($0, schema) })
        #expect(Self.isUnreadable([]) { _ = try ExchangeAnswer($0, schema) })
        var newer = Array(answer.dropLast(8))
        newer[0] = 2
        #expect {
            try ExchangeAnswer(Message.sealed(newer), schema)
        } throws: {
            ($0 as? StoreError)?.code == .schemaMismatch
        }
    }

    @Test("a message that speaks of another schema is refused")
    func otherSchema() throws {
        let schema = try Self.schema.get()
        let other = try Schema(version: SchemaVersion(1), entities: Array(schema.entities.dropLast()))
        for request in Self.requests {
            let message = try request.encoded(schema)
            #expect {
                try ExchangeRequest(message, other)
            } throws: {
                ($0 as? StoreError)?.code == .schemaMismatch
            }
        }
    }

    /// A change of one attribute of a feed, and the bytes of a hundred of them, up and down.
    private struct Change: Sendable {
        let attribute: String
        let before: StoredValue
        let after: StoredValue
        let up: Int
        let down: Int
    }

    private static let changes = [
        Change(attribute: "amountValue", before: .double(90), after: .double(120.5), up: 7_910, down: 4_694),
        Change(
            attribute: "endTime", before: .null, after: .timestamp(1_762_454_079_250_000), up: 7_110,
            down: 4_694),
        Change(
            attribute: "memoText", before: .text("left, 12 min"), after: .text("right, 8 min"), up: 8_910,
            down: 5_194),
    ]

    /// The device names places of a long trail, and reports the verdicts of the exchange before.
    @Test(
        "a change of one attribute takes at most 96 bytes up and 64 down, in a batch of 100",
        arguments: changes.indices)
    func size(number: Int) throws {
        let change = Self.changes[number]
        let schema = try BabyMonitorSchema.schema
        let entity = try schema.require("FeedSession")
        let position = try #require(entity.attributes.firstIndex { $0.name == change.attribute })
        var request = ExchangeRequest(
            cursor: Self.place(1_000_000),
            trail: [1, 37, 69, 85, 93, 97, 99, 100].map { Self.place(10_000 * $0) },
            stored: (0..<100).map { _ in UUID() })
        var rows: [RowPatch] = []
        for number in 0..<100 {
            let key = RowKey(entity.name, UUID())
            request.mutations.append(
                Mutation(
                    id: UUID(), time: 1_762_454_079_250_000 + 40_123_456 * Int64(number), author: "EditFeed",
                    cursor: 1_000_000,
                    changes: [
                        .update(key, [AttributeEdit(position, before: change.before, after: change.after)])
                    ]))
            let values = entity.attributes.indices.map { index -> StoredValue? in
                index == 0 ? .uuid(key.id) : index == position ? change.after : nil
            }
            rows.append(RowPatch(key, values))
        }
        let page = ExchangePage(
            verdicts: request.mutations.map { Verdict(id: $0.id, kind: .accepted) },
            from: request.cursor, upTo: Self.place(1_000_100), steps: request.mutations.map(\.id),
            rows: rows, conflicts: [],
            head: Self.place(1_000_100))
        #expect(try request.encoded(schema).count == change.up)
        #expect(try ExchangeAnswer.page(page).encoded(schema).count == change.down)
        #expect(change.up <= 9_600)
        #expect(change.down <= 6_400)
    }

    @Test("stores that exchange by bytes alone agree", arguments: TestBackend.available)
    func stores(backend: TestBackend) async throws {
        let schema = try BabyMonitorSchema.schema
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { first in
                try await TestBackend.sqlite.withStore(schema) { second in
                    let remote = CodedRemote(StoreRemote(server), schema)
                    let sessions = (
                        try await MirrorSession.open(first, remote: remote, name: "first"),
                        try await MirrorSession.open(second, remote: remote, name: "second")
                    )
                    let mia = BabyProfile(name: "Mia")
                    try await first.write { _ = try $0.insert(mia) }
                    try await settle(sessions.0, sessions.1)
                    try await first.write {
                        _ = try $0.update(BabyProfile.all, set: [.set(\.name, to: "Ann")])
                    }
                    try await second.write { tx in
                        _ = try tx.update(BabyProfile.all, set: [.set(\.name, to: "Zoé")])
                        _ = try tx.insert(FeedSession(amountValue: 90, profile: mia.id))
                    }
                    try await settle(sessions.0, sessions.1)
                    try await expectEqual(["BabyProfile", "FeedSession"], server, first, second)
                    #expect(try await first.mirrorConflicts().count == 1)
                    #expect(try await second.mirrorConflicts() == first.mirrorConflicts())
                }
            }
        }
    }
}

/// A server that is reached by messages in bytes.
private struct CodedRemote: MirrorRemote {
    private let base: StoreRemote
    private let schema: Schema

    init(_ base: StoreRemote, _ schema: Schema) { (self.base, self.schema) = (base, schema) }

    var scope: StoreScope? { base.scope }
    func connect(expecting known: UUID?) async throws -> UUID { try await base.connect(expecting: known) }
    func follow(_ body: @Sendable () -> Void) async throws { try await base.follow(body) }
    func close() async { await base.close() }

    func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        let sent = try ExchangeRequest(try request.encoded(schema), schema)
        #expect(sent == request)
        return try answer(try await base.exchange(sent, device))
    }

    func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        let sent = try RowsRequest(request.encoded(schema), schema)
        #expect(sent == request)
        return try answer(try await base.rows(sent, device))
    }

    private func answer(_ answer: ExchangeAnswer) throws -> ExchangeAnswer {
        let received = try ExchangeAnswer(try answer.encoded(schema), schema)
        #expect(received == answer)
        return received
    }
}
