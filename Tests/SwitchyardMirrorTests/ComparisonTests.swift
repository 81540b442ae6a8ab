import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardMirror
import TestBackends
import Testing

@Suite("Comparing a mirrored store with its server")
struct ComparisonTests {
    /// Does to a store what its history does not tell: what a damaged disk does, or another program.
    private static func damage(
        _ store: any Store, in scope: StoreScope? = nil, _ body: @escaping @Sendable (Damage) throws -> Void
    ) async throws {
        try await store.write(WriteOptions(scope: scope)) { try body(Damage(transaction: $0)) }
    }

    private struct Damage {
        let transaction: WriteTransaction

        private func entity() throws -> Entity { try transaction.schema.require("Feed") }

        private func isRow(_ id: UUID) throws -> Condition {
            try Condition.compare(.attribute("id"), .equal, .value(.uuid(id))).validated(
                in: entity(), schema: transaction.schema)
        }

        func set(_ amount: Int64, of id: UUID) throws {
            _ = try transaction.unrecordedDriver.delete(from: entity(), where: isRow(id))
            try insert(id, amount)
        }

        func delete(_ id: UUID) throws {
            _ = try transaction.unrecordedDriver.delete(from: entity(), where: isRow(id))
        }

        func insert(_ id: UUID, _ amount: Int64) throws {
            var isDone = false
            _ = try transaction.unrecordedDriver.insert(into: entity(), onConflict: .fail) { row in
                if isDone { return false }
                isDone = true
                row.reset()
                for value in [StoredValue.uuid(id), .int(amount), .null] { try row.write(value) }
                return true
            }
        }
    }

    private static let ids = (1...4).map { number in
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    private static func insert(_ rows: [(UUID, Int64)], into store: any Store) async throws {
        try await store.write { tx in
            try tx.insertRows(into: "Feed", rows.map { [.uuid($0.0), .int($0.1), .null] })
        }
    }

    private static func amounts(_ store: any Store, _ scope: StoreScope? = nil) async throws -> [UUID: Int64]
    {
        try await store.read(ReadOptions(scopes: scope.map { [$0] })) { tx in
            var amounts: [UUID: Int64] = [:]
            for row in try tx.fetchRows(of: "Feed") {
                if case .uuid(let id) = row[0], case .int(let amount) = row[1] { amounts[id] = amount }
            }
            return amounts
        }
    }

    @Test(
        "rows that were damaged on the device or on the server are found, and repaired on request",
        arguments: TestBackend.available)
    func direct(_ backend: TestBackend) async throws {
        let schema = try HouseholdTests.schema.get()
        let ids = Self.ids
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await HouseholdTests.withDevice { device in
                try await Self.insert([(ids[0], 10), (ids[1], 20), (ids[2], 30)], into: device)
                let session = try await MirrorSession.begin(device, server)
                #expect(try await session.compare(repairing: false).map(\.differences) == [0])
                try await Self.damage(device) {
                    try $0.set(11, of: ids[0])
                    try $0.delete(ids[1])
                    try $0.insert(ids[3], 40)
                }
                try await Self.damage(server) { try $0.set(33, of: ids[2]) }
                let head = try await server.read { try $0.historyToken() }

                let found = try #require(try await session.compare(repairing: false).first)
                #expect(found.entity == "Feed")
                #expect((found.rows, found.parts, found.differences) == (3, 1, 4))
                #expect(Set(found.different) == Set(ids))
                #expect(!found.isEqual && !found.isRepaired)
                #expect(try await Self.amounts(device) == [ids[0]: 11, ids[2]: 30, ids[3]: 40])

                #expect(try await session.compare(repairing: true).map(\.isRepaired) == [true])
                let expected = [ids[0]: Int64(10), ids[1]: 20, ids[2]: 33]
                #expect(try await Self.amounts(device) == expected)
                #expect(try await Self.amounts(server) == expected)
                #expect(try await session.compare(repairing: false).map(\.isEqual) == [true])
                // A repair is no write of anybody's.
                try await session.exchange()
                #expect(try await server.read { try $0.historyToken() } == head)

                // It can have been the server's row that was damaged: what was replaced is kept.
                let logged = try await device.mirrorConflicts()
                #expect(logged.map(\.reason) == [.damaged, .damaged, .damaged])
                let lost = logged.map { entry in
                    (entry.row, entry.values.first { $0.attribute == "amount" }?.losing)
                }
                #expect(lost.contains { $0 == (ids[0], .int(11)) })
                #expect(lost.contains { $0 == (ids[2], .int(30)) })
                #expect(lost.contains { $0 == (ids[3], .int(40)) })
                for entry in logged where entry.row != ids[0] { try await device.restore(entry) }
                try await session.exchange()
                #expect(
                    try await Self.amounts(server) == [ids[0]: 10, ids[1]: 20, ids[2]: 30, ids[3]: 40])
            }
        }
    }

    @Test("an idle mirror repairs one part after the other", arguments: TestBackend.available)
    func idle(_ backend: TestBackend) async throws {
        let schema = try HouseholdTests.schema.get()
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await HouseholdTests.withDevice { device in
                let rows = (0..<9_000).map { (UUIDv7.next(), Int64($0)) }
                try await Self.insert(rows, into: device)
                let session = try await MirrorSession.begin(device, server)
                #expect(try await session.compare(repairing: false).map(\.parts) == [3])
                try await Self.damage(device) {
                    try $0.set(-1, of: rows[5_000].0)
                    try $0.delete(rows[8_999].0)
                }
                // Another process of the device goes on where the last one was.
                #expect(await session.compareNextPart() == 0)
                let next = try await MirrorSession.begin(device, server)
                #expect(await next.compareNextPart() == 1)
                #expect(await next.compareNextPart() == 1)
                #expect(await next.compareNextPart() == 0)
                #expect(try await Self.amounts(device) == Self.amounts(server))
                // While something waits to be exchanged, nothing is compared.
                try await Self.damage(device) { try $0.set(-1, of: rows[5_000].0) }
                try await device.write { tx in
                    try tx.updateRows(
                        of: "Feed", set: [Assignment(attribute: "amount", value: .value(.int(-2)))],
                        where: .compare(.attribute("id"), .equal, .value(.uuid(rows[0].0))))
                }
                #expect(await next.compareNextPart() == 0)
                #expect(try await Self.amounts(device)[rows[5_000].0] == -1)
                #expect(try await next.compare(repairing: true).map(\.differences) == [1])
                #expect(try await Self.amounts(device) == Self.amounts(server))
                #expect(try await Self.amounts(server)[rows[0].0] == -2)
            }
        }
    }

    @Test(
        "through a service, damaged rows are repaired part by part, and no others are sent",
        arguments: TestBackend.shared)
    func service(_ backend: TestBackend) async throws {
        try await HouseholdTests.withHouse(backend) { house in
            try await HouseholdTests.withDevice { mias in
                try await HouseholdTests.withDevice { bens in
                    let rows = (0..<9_000).map { (UUIDv7.next(), Int64($0)) }
                    try await Self.insert(rows, into: mias)
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await mia.exchange()
                    let ben = try await house.join(bens, as: "Ben", .reader)
                    try await ben.exchange()
                    try await Self.damage(bens) {
                        try $0.set(-1, of: rows[4_500].0)
                        try $0.delete(rows[4_501].0)
                    }
                    try await Self.damage(house.server, in: house.scope) { try $0.set(-3, of: rows[4_502].0) }
                    let before = house.wire.requests.count
                    let found = try #require(try await ben.compare(repairing: true).first)
                    #expect((found.parts, found.differences, found.isRepaired) == (3, 3, true))
                    #expect(found.rows == 8_999)
                    let paths = house.wire.requests.dropFirst(before).map(\.url.path)
                    #expect(paths.filter { $0 == "/v1/compare" }.count == 3)
                    #expect(!paths.contains("/v1/rows"))
                    #expect(try await Self.amounts(bens) == Self.amounts(house.server, house.scope))
                    #expect(try await mia.compare(repairing: true).map(\.differences) == [1])
                    #expect(try await Self.amounts(mias) == Self.amounts(bens))
                    await mia.end()
                    await ben.end()
                }
            }
        }
    }

    /// A feed, whose views each device counts for itself, and thumbnails, which each makes for itself.
    private static let ownSchema = Result {
        try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Feed",
                    attributes: [
                        Attribute("id", type: .uuid), Attribute("amount", type: .int),
                        Attribute("views", type: .int, isOptional: true, history: .leftOut),
                    ]),
                Entity(
                    "Thumbnail",
                    attributes: [Attribute("id", type: .uuid), Attribute("picture", type: .blob)],
                    isLeftOutOfHistory: true),
            ])
    }

    @Test(
        "a comparison leaves what is the device's own, and so does a device that begins again",
        arguments: TestBackend.available)
    func own(_ backend: TestBackend) async throws {
        let schema = try Self.ownSchema.get()
        let ids = Self.ids
        func views(_ store: any Store) async throws -> [UUID: StoredValue] {
            try await store.read { tx in
                var views: [UUID: StoredValue] = [:]
                for row in try tx.fetchRows(of: "Feed") {
                    if case .uuid(let id) = row[0] { views[id] = row[2] }
                }
                return views
            }
        }
        func thumbnails(_ store: any Store) async throws -> Int {
            try await store.read { try $0.countRows(of: "Thumbnail") }
        }
        try await backend.withStore(schema, options: OpenOptions(keepsHistory: true)) { server in
            try await TestBackend.sqlite.withStore(schema) { device in
                try await Self.insert([(ids[0], 10), (ids[1], 20)], into: device)
                let session = try await MirrorSession.begin(device, server)
                try await device.write { tx in
                    try tx.updateRows(
                        of: "Feed", set: [Assignment(attribute: "views", value: .value(.int(7)))],
                        where: .constant(true))
                    try tx.insertRows(into: "Thumbnail", [[.uuid(ids[2]), .blob(Data([1]))]])
                }
                let own = [ids[0]: StoredValue.int(7), ids[1]: .int(7)]
                let compared = try await session.compare(repairing: true)
                #expect(compared.map(\.entity) == ["Feed"])
                #expect(compared.map(\.differences) == [0])
                #expect(try await views(device) == own)

                try await Self.damage(server) { try $0.set(11, of: ids[0]) }
                #expect(try await session.compare(repairing: true).map(\.differences) == [1])
                #expect(try await Self.amounts(device) == [ids[0]: 11, ids[1]: 20])
                #expect(try await views(device) == own)
                let logged = try await device.mirrorConflicts().flatMap(\.values).map(\.attribute)
                #expect(logged == ["amount"])

                // What the server no longer tells, the device takes from all of its rows.
                try await Self.insert([(ids[3], 40)], into: server)
                try await server.write { tx in
                    try tx.updateRows(
                        of: "Feed", set: [Assignment(attribute: "amount", value: .value(.int(21)))],
                        where: .compare(.attribute("id"), .equal, .value(.uuid(ids[1]))))
                }
                _ = try await server.pruneHistory(keepingLast: 1, leavingConsumersBehind: true)
                try await session.exchange()
                #expect(try await Self.amounts(device) == [ids[0]: 11, ids[1]: 21, ids[3]: 40])
                #expect(try await views(device) == own.merging([ids[3]: .null]) { $1 })
                #expect(try await thumbnails(device) == 1)
                #expect(try await thumbnails(server) == 0)
            }
        }
    }

    @Test("an answer with other rows than were asked for changes nothing")
    func unfitting() throws {
        let schema = try HouseholdTests.schema.get()
        func patch(_ number: Int, _ amount: StoredValue? = .int(1)) -> RowPatch {
            RowPatch(RowKey("Feed", Self.ids[number]), [.uuid(Self.ids[number]), amount, .null])
        }
        let request = PartRequest(
            entity: "Feed", after: Self.ids[0], upTo: Self.ids[2], digest: RowsSum(of: []), cursor: .start)
        let fitting: [PartAnswer] = [
            .equal, .elsewhere, .rows([], upTo: Self.ids[2]), .rows([patch(1)], upTo: Self.ids[1]),
            .rows([patch(1), patch(2)], upTo: Self.ids[2]),
        ]
        for answer in fitting {
            try answer.requireFit(request, schema)
            #expect(try PartAnswer(answer.encoded(schema), schema) == answer)
        }
        #expect(try PartRequest(request.encoded(schema), schema) == request)
        let unfitting: [PartAnswer] = [
            .rows([patch(1)], upTo: nil), .rows([patch(1)], upTo: Self.ids[3]),
            .rows([patch(0)], upTo: Self.ids[2]), .rows([patch(3)], upTo: Self.ids[2]),
            .rows([patch(2), patch(1)], upTo: Self.ids[2]), .rows([patch(1, nil)], upTo: Self.ids[2]),
            .rows([patch(1, .text("x"))], upTo: Self.ids[2]), .rows([], upTo: Self.ids[0]),
            .rows([RowPatch(RowKey("Feed", Self.ids[1]), nil)], upTo: Self.ids[2]),
        ]
        for answer in unfitting {
            #expect(throws: StoreError.self, "\(answer)") { try answer.requireFit(request, schema) }
        }
        for message in [request.encoded(schema), fitting[4].encoded(schema)] {
            for count in 0..<message.count {
                let cut = Array(message.prefix(count))
                #expect(throws: StoreError.self) { try PartRequest(cut, schema) }
                #expect(throws: StoreError.self) { try PartAnswer(cut, schema) }
            }
        }
    }
}
