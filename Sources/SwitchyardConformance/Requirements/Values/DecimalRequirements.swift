internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement V7 for decimals that are equal as doubles.
enum DecimalRequirements {
    static let all: [Requirement] = [
        Requirement("V7+double", "decimals that are one double are different decimals") { contract in
            let store = try await contract.makeStore()
            // Each pair is equal as a double; the third differs in its 38th digit.
            let texts = [
                "9007199254740992", "9007199254740993", "0.1", "0.10000000000000000001",
                "12345678901234567890123456789012345677", "12345678901234567890123456789012345678",
                "-0.30000000000000004", "-0.30000000000000004001",
            ]
            let decimals = texts.compactMap { Decimal(string: $0) }
            try await store.write { tx in
                _ = try tx.insert(
                    contentsOf: decimals.enumerated().map { Specimen(whole: $0.offset, amount: $0.element) })
            }
            try await comparisons(contract, store, decimals)
            try await figures(contract, store)
        }
    ]

    private static func comparisons(
        _ contract: Contract, _ store: any Store, _ decimals: [Decimal]
    ) async throws {
        func wholes(_ condition: Condition) async throws -> [Int] {
            try await store.read {
                try $0.fetch(Specimen.sorted(by: \.whole).matching(condition), \.whole)
            }
        }
        let amount = Operand.attribute("amount")
        for (index, decimal) in decimals.enumerated() {
            try contract.expectEqual(
                try await wholes(.compare(amount, .equal, .value(.decimal(decimal)))), [index],
                "rows equal to \(decimal)")
            try contract.expectEqual(
                try await wholes(.isIn(amount, [.decimal(decimal), .decimal(decimal)])), [index],
                "rows in a list of \(decimal)")
        }
        try contract.expectEqual(
            try await wholes(.compare(amount, .greater, .value(.decimal(decimals[0])))), [1, 4, 5],
            "rows above \(decimals[0])")
        try contract.expectEqual(
            try await wholes(.compare(amount, .less, .value(.decimal(decimals[6])))), [7],
            "rows below \(decimals[6])")
        let order = try await store.read { try $0.fetch(Specimen.sorted(by: \.amount), \.whole) }
        try contract.expectEqual(order, [7, 6, 2, 3, 0, 1, 4, 5], "rows by decimal")
    }

    private static func figures(_ contract: Contract, _ store: any Store) async throws {
        let groups = try await store.read { tx in
            try tx.aggregate(Specimen.all, by: .attribute(\.amount), figures: .maximum(\.whole))
        }
        try contract.expectEqual(groups.map(\.figures), [7, 6, 2, 3, 0, 1, 4, 5], "groups by decimal")
        let (least, most) = try await store.read { tx in
            try tx.aggregate(
                Specimen.where(#Predicate { $0.whole < 4 || $0.whole > 5 }), .minimum(\.amount),
                .maximum(\.amount))
        }
        try contract.expectEqual(
            [least, most].map { $0.map { "\($0)" } }, ["-0.30000000000000004001", "9007199254740993"],
            "the extremes of decimals")
        // A unique constraint distinguishes them, but treats 0.10 as 0.1.
        let prices = try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Price", attributes: [Attribute("id", type: .uuid), Attribute("amount", type: .decimal)],
                    uniqueConstraints: [UniqueConstraint(["amount"])])
            ])
        let shop = try await contract.makeStore(prices)
        @Sendable func row(_ number: Int, _ text: String) -> [StoredValue] {
            [.uuid(BatchSpecimen.id(number)), Decimal(string: text).map(StoredValue.decimal) ?? .null]
        }
        let count = try await shop.write { tx in
            try tx.insertRows(
                into: "Price",
                [
                    row(1, "0.1"), row(2, "0.10000000000000000001"), row(3, "9007199254740992"),
                    row(4, "9007199254740993"),
                ])
        }
        try contract.expectEqual(count, 4, "rows with a unique decimal")
        try await contract.expectError(.unique, "a second 0.1, written as 0.100") {
            try await shop.write { try $0.insertRows(into: "Price", [row(5, "0.100")]) }
        }
    }
}
