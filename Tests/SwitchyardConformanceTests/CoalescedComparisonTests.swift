import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@Suite("A comparison with a value in the place of nil")
struct CoalescedComparisonTests {
    @Model
    struct Item {
        #Index<Item>([\.count])
        let id: ID
        var name: String = ""
        var count: Int?
    }

    /// The names of the rows whose `(count ?? other) comparison 5` holds.
    private static let expected: [(other: Int, comparison: Comparison, names: [String])] = [
        (0, .equal, ["5"]), (5, .equal, ["5", "nil"]),
        (0, .notEqual, ["4", "6", "nil"]), (5, .notEqual, ["4", "6"]),
        (0, .less, ["4", "nil"]), (5, .less, ["4"]), (9, .less, ["4"]),
        (0, .lessOrEqual, ["4", "5", "nil"]), (5, .lessOrEqual, ["4", "5", "nil"]),
        (9, .lessOrEqual, ["4", "5"]),
        (0, .greater, ["6"]), (5, .greater, ["6"]), (9, .greater, ["6", "nil"]),
        (0, .greaterOrEqual, ["5", "6"]), (5, .greaterOrEqual, ["5", "6", "nil"]),
        (9, .greaterOrEqual, ["5", "6", "nil"]),
    ]

    private static let flipped: [Comparison: Comparison] = [
        .equal: .equal, .notEqual: .notEqual, .less: .greater, .lessOrEqual: .greaterOrEqual, .greater: .less,
        .greaterOrEqual: .lessOrEqual,
    ]

    @Test(
        "a comparison with a default for nil holds as in Swift, on either side and negated",
        arguments: TestBackend.available)
    func comparisons(backend: TestBackend) async throws {
        try await backend.withStore(of: Item.self) { store in
            try await store.write { tx in
                for count in [4, 5, 6, nil] {
                    try tx.insert(Item(name: count.map { "\($0)" } ?? "nil", count: count))
                }
            }
            func names(_ condition: Condition) async throws -> [String] {
                let query = Item.matching(condition).sorted(by: \.name)
                return try await store.read { try $0.fetch(query).map(\.name) }
            }
            for (other, comparison, expected) in Self.expected {
                let coalesced = Operand.coalesce(.attribute("count"), .value(.int(Int64(other))))
                let five = Operand.value(.int(5))
                let condition = Condition.compare(coalesced, comparison, five)
                let opposite = ["4", "5", "6", "nil"].filter { !expected.contains($0) }
                let text = "\(condition)"
                #expect(try await names(condition) == expected, "\(text)")
                #expect(try await names(.not(condition)) == opposite, "not \(text)")
                #expect(try await names(.not(.not(condition))) == expected, "not not \(text)")
                #expect(
                    try await names(.not(.all([condition, .constant(true), .not(.constant(false))])))
                        == opposite,
                    "not all of \(text)")
                let other = try #require(Self.flipped[comparison])
                #expect(try await names(.compare(five, other, coalesced)) == expected, "flipped \(text)")
            }
            #expect(
                try await store.read {
                    try $0.fetch(Item.where(#Predicate { !(($0.count ?? 9) >= 5) })).map(\.name)
                } == ["4"])
            #expect(
                try await names(
                    .compare(.coalesce(.attribute("count"), .value(.int(1))), .equal, .value(.null)))
                    == [])
        }
    }

    @Test(
        "a comparison with a default for nil means the same in an index filter and in a query",
        arguments: TestBackend.available)
    func filter(backend: TestBackend) async throws {
        try await backend.withStore(of: Seat.self) { store in
            try await store.write { _ = try $0.insert(contentsOf: [Seat(row: 1), Seat(row: 1, level: 1)]) }
            let error = await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.insert(Seat(row: 1, level: 7)) }
            }
            #expect(error?.code == .unique)
            try await store.write { _ = try $0.insert(Seat(row: 1, level: 2)) }
        }
    }

    @Model
    struct Seat {
        #Unique<Seat>([\.row], where: { ($0.level ?? 5) >= 5 })
        let id: ID
        var row: Int = 0
        var level: Int?
    }
}
