import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("The changes of a large transaction")
struct ChangeLogTests {
    private static let crate = Entity(
        "Crate",
        attributes: [
            Attribute("id", type: .uuid), Attribute("label", type: .text),
            Attribute("weight", type: .int, isOptional: true),
        ])
    private static let pallet = Entity("Pallet", attributes: [Attribute("id", type: .uuid)])

    private static func id(_ number: Int) -> UUID {
        UUID(high: UInt64(number), low: 0)
    }

    private static func crate(_ number: Int) -> [StoredValue] {
        [.uuid(id(number)), .text("crate \(number)"), number % 3 == 0 ? .null : .int(Int64(number))]
    }

    private static func changes(_ log: ChangeLog) throws -> [RowChange] {
        var changes: [RowChange] = []
        let nothing = { (_: Entity, _: [UUID]) in [UUID: [StoredValue]]() }
        try log.forEachChange(current: nothing) { changes.append($0) }
        return changes
    }

    private static func inserted(_ numbers: Range<Int>, _ entity: Entity) -> [RowChange] {
        numbers.map { RowChange(entity: entity.name, id: id($0), kind: .insert) }
    }

    @Test("an undo of calculated values looks rows up a few at a time")
    func calculated() throws {
        var log = ChangeLog()
        log.begin(.update, of: Self.crate, set: [(1, .text("new")), (2, nil)])
        for number in 0..<1_000 { log.note(Self.id(number), before: Self.crate(number)) }
        var counts: [Int] = []
        var changes: [RowChange] = []
        try log.forEachChange { _, ids in
            counts.append(ids.count)
            return Dictionary(
                uniqueKeysWithValues: ids.map { ($0, [.uuid($0), .text("new"), .null]) })
        } _: {
            changes.append($0)
        }
        #expect(counts == Array(repeating: 64, count: 15) + [40])
        #expect(
            changes
                == (0..<1_000).map { number in
                    // Every third one had no weight before.
                    RowChange(
                        entity: "Crate", id: Self.id(number), kind: .update,
                        attributes: number % 3 == 0 ? [1] : [1, 2],
                        before: Array(Self.crate(number)[(1...(number % 3 == 0 ? 1 : 2))]))
                })
    }

    @Test("an undo rolled back in part leaves the rest")
    func savepoints() throws {
        var log = ChangeLog()
        log.begin(.insert, of: Self.crate)
        for number in 0..<100_000 { log.note(Self.id(number)) }
        log.beginSavepoint()
        log.begin(.insert, of: Self.crate)
        for number in 100_000..<300_000 { log.note(Self.id(number)) }
        log.undoSavepoint()
        for number in 100_000..<200_000 {
            // By turns, so that each has many operations.
            log.begin(.insert, of: number % 2 == 0 ? Self.crate : Self.pallet)
            log.note(Self.id(number))
        }
        let later = (100_000..<200_000)
        #expect(
            try Self.changes(log)
                == Self.inserted(0..<100_000, Self.crate)
                + later.filter { $0 % 2 == 0 }.flatMap { Self.inserted($0..<$0 + 1, Self.crate) }
                + later.filter { $0 % 2 == 1 }.flatMap { Self.inserted($0..<$0 + 1, Self.pallet) })
    }

    @Test("a large transaction that updates and deletes many rows can be undone")
    func values() throws {
        var log = ChangeLog()
        log.begin(.delete, of: Self.crate)
        for number in 0..<50_000 { log.note(Self.id(number), before: Self.crate(number)) }
        #expect(
            try Self.changes(log)
                == (0..<50_000).map {
                    RowChange(
                        entity: "Crate", id: Self.id($0), kind: .delete, attributes: [0, 1, 2],
                        before: Self.crate($0))
                })
        // Every other one is inserted again and updated, so that it has been updated.
        for number in stride(from: 0, to: 50_000, by: 2) {
            log.begin(.insert, of: Self.crate)
            log.note(Self.id(number))
            log.begin(.update, of: Self.crate, set: [(1, .text("new"))])
            log.note(Self.id(number), before: Self.crate(number))
        }
        var found: [RowChange] = []
        let now = { (_: Entity, ids: [UUID]) in
            Dictionary(
                uniqueKeysWithValues: ids.map { ($0, [StoredValue.uuid($0), .text("new"), .int(-1)]) })
        }
        try log.forEachChange(current: now) { found.append($0) }
        #expect(
            found
                == (0..<50_000).map { number in
                    number % 2 == 0
                        ? RowChange(
                            entity: "Crate", id: Self.id(number), kind: .update, attributes: [1, 2],
                            before: Array(Self.crate(number)[1...]))
                        : RowChange(
                            entity: "Crate", id: Self.id(number), kind: .delete, attributes: [0, 1, 2],
                            before: Self.crate(number))
                })
    }
}
