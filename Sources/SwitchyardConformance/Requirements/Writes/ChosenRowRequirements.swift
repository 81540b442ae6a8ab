internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement T10 for updates and deletes of the rows that a query selects.
enum ChosenRowRequirements {
    static let all: [Requirement] = [
        Requirement(
            "T10+query", "an update or delete concerns the rows of its query, as they were, and no others"
        ) {
            contract in
            let store = try await contract.makeStore()
            try await refill(store)
            try await limits(contract, store)
            try await refill(store)
            try await values(contract, store)
        }
    ]

    /// Ten rows in which `otherWhole` decreases as `whole` increases, and is nil in one.
    private static func refill(_ store: any Store) async throws {
        try await store.write { tx in
            try tx.delete(Specimen.all)
            _ = try tx.insert(
                contentsOf: (0..<10).map {
                    Specimen(whole: $0, text: "\($0)", otherWhole: $0 == 4 ? nil : 9 - $0)
                })
        }
    }

    private static func limits(_ contract: Contract, _ store: any Store) async throws {
        let changed = try await store.write { tx in
            try tx.update(
                Specimen.sorted(by: \.otherWhole, .descending).offset(1).limit(3),
                set: [.set(\.text, to: "x")])
        }
        try contract.expectEqual(changed, 3, "the count of an update with a limit")
        func wholes(_ query: Query<Specimen>) async throws -> [Int] {
            try await store.read { try $0.fetch(query, \.whole) }
        }
        let sorted = Specimen.sorted(by: \.whole)
        try contract.expectEqual(
            try await wholes(sorted.where(#Predicate { $0.text == "x" })), [1, 2, 3],
            "the rows of an update with an order, an offset and a limit")
        let deleted = try await store.write { tx in
            try tx.delete(Specimen.sorted(by: \.otherWhole).limit(2))
        }
        try contract.expectEqual(deleted, 2, "the count of a delete with a limit")
        // The row with nil comes first, followed by the one with 0.
        try contract.expectEqual(
            try await wholes(sorted), [0, 1, 2, 3, 5, 6, 7, 8], "the rows after a delete with a limit")
        let none = try await store.write { tx in
            [
                try tx.delete(Specimen.all.limit(0)), try tx.delete(Specimen.all.offset(8)),
                try tx.update(Specimen.all.limit(0), set: [.set(\.text, to: "y")]),
                try tx.delete(Specimen.where(#Predicate { $0.whole > 99 })),
            ]
        }
        try contract.expectEqual(none, [0, 0, 0, 0], "the counts of deletes and an update of no rows")
        try contract.expectEqual(
            try await wholes(sorted.offset(3).limit(.max)), [3, 5, 6, 7, 8],
            "rows after the third, without a limit")
    }

    /// Assignments see the original row, regardless of their order.
    private static func values(_ contract: Contract, _ store: any Store) async throws {
        try await store.write { tx in
            try tx.updateRows(
                of: "Specimen",
                set: [
                    Assignment(
                        attribute: "whole", value: .coalesce(.attribute("otherWhole"), .value(.int(100)))),
                    Assignment(attribute: "otherWhole", value: .attribute("whole")),
                    Assignment(
                        attribute: "real",
                        value: .conditional(
                            .compare(.attribute("whole"), .less, .value(.int(3))), .value(.double(1)),
                            .value(.double(2)))),
                ], where: .compare(.attribute("whole"), .greater, .value(.int(1))))
        }
        let rows = try await store.read { try $0.fetch(Specimen.sorted(by: \.text)) }
        try contract.expectEqual(
            rows.map(\.whole), [0, 1, 7, 6, 100, 4, 3, 2, 1, 0], "attributes that were swapped")
        try contract.expectEqual(
            rows.map(\.otherWhole), [9, 8, 2, 3, 4, 5, 6, 7, 8, 9], "the other side of the swap")
        try contract.expectEqual(
            rows.map(\.real), [0, 0, 1, 2, 2, 2, 2, 2, 2, 2], "a choice by an attribute that is set, too")
    }
}
