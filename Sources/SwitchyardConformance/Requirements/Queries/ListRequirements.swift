internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements Q5 and Q3 for lists: long ones, those that contain nil, and attributes that are nil.
enum ListRequirements {
    static let all: [Requirement] = [
        Requirement("Q5+end", "a match at the end of a list of 100,000 counts, of every type") { contract in
            try await long(contract)
            try await types(contract)
        },
        Requirement("Q3+in", "a list holds nil only if nil is in it, and its opposite holds for all else") {
            contract in
            try await absence(contract)
        },
    ]

    private static let length = 100_000

    private static func long(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let last = (0..<3).map { length - 1 - $0 }
        try await store.write { tx in
            try tx.insert(
                contentsOf: (last + [length + 1]).map { number in
                    Specimen(whole: number, text: "é\(number)", key: BatchSpecimen.id(number))
                })
        }
        let lists: [(String, String, @Sendable (Int) -> StoredValue)] = [
            ("integers", "whole", { .int(Int64($0)) }), ("text", "text", { .text("é\($0)") }),
            ("UUIDs", "key", { .uuid(BatchSpecimen.id($0)) }),
        ]
        for (what, attribute, value) in lists {
            let condition = Condition.isIn(.attribute(attribute), (0..<length).map(value))
            let (inside, outside) = try await store.read { tx in
                (
                    try tx.fetch(Specimen.sorted(by: \.whole).matching(condition), \.whole),
                    try tx.fetch(Specimen.sorted(by: \.whole).matching(.not(condition)), \.whole)
                )
            }
            try contract.expectEqual(
                inside, last.reversed(), "rows in a list of 100,000 \(what), which they end")
            try contract.expectEqual(outside, [length + 1], "rows outside a list of 100,000 \(what)")
        }
        let changed = try await store.write { tx in
            try tx.updateRows(
                of: "Specimen", set: [Assignment(attribute: "flag", value: .value(.bool(true)))],
                where: .isIn(.attribute("whole"), (0..<length).map { .int(Int64($0)) }))
        }
        try contract.expectEqual(changed, 3, "rows updated by a list of 100,000")
        let ids = try await store.read { try $0.fetchRows(of: "Specimen").map { $0[0] } }
        let others = (0..<length).map { StoredValue.uuid(BatchSpecimen.id($0)) }
        let deleted = try await store.write {
            try $0.deleteRows(of: "Specimen", where: .isIn(.attribute("id"), others + ids))
        }
        try contract.expectEqual(deleted, 4, "rows deleted by a list of 100,000 ids and more")
    }

    /// A list of each type, which ends with the row's value.
    private static func types(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let row = BatchSpecimen.values(1)
        let neighbour = BatchSpecimen.values(2)
        try await store.write { try $0.insertRows(into: "Specimen", [row]) }
        for (index, attribute) in try store.schema.require("Specimen").attributes.enumerated() {
            let value = row[index]
            let other = neighbour[index]
            guard !value.isNull, !other.isNull, value != other else { continue }
            let list = Array(repeating: other, count: 99) + [value]
            let operand = Operand.attribute(attribute.name)
            let counts = try await store.read { tx in
                [
                    try tx.countRows(of: "Specimen", where: .isIn(operand, list)),
                    try tx.countRows(of: "Specimen", where: .isIn(operand, list.dropLast())),
                    try tx.countRows(of: "Specimen", where: .not(.isIn(operand, list.dropLast() + [.null]))),
                ]
            }
            try contract.expectEqual(
                counts, [1, 0, 1],
                "rows whose \(attribute.name) is the last of a list, is missing in one, is not in one with nil"
            )
        }
    }

    private static func absence(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            _ = try tx.insert(contentsOf: [
                Specimen(whole: 1, memo: "a", otherWhole: 1), Specimen(whole: 2, memo: "", otherWhole: 0),
                Specimen(whole: 3),
            ])
        }
        func wholes(_ condition: Condition) async throws -> [Int] {
            try await store.read {
                try $0.fetch(Specimen.sorted(by: \.whole).matching(condition), \.whole)
            }
        }
        let cases: [(String, [StoredValue], [StoredValue], [Int])] = [
            ("nothing", [], [], []), ("a value", [.int(1)], [.text("a")], [1]),
            ("a value and nil", [.int(1), .null], [.text("a"), .null], [1, 3]),
            ("nil and a value", [.null, .int(1)], [.null, .text("a")], [1, 3]),
            ("nil", [.null], [.null], [3]), ("0, or empty text", [.int(0)], [.text("")], [2]),
            ("no value of any row", [.int(7)], [.text("b")], []),
            ("no value of any row, and nil", [.int(7), .null], [.text("b"), .null], [3]),
        ]
        for (what, numbers, texts, expected) in cases {
            let outside = [1, 2, 3].filter { !expected.contains($0) }
            for (attribute, list) in [("otherWhole", numbers), ("memo", texts)] {
                let inside = Condition.isIn(.attribute(attribute), list)
                try contract.expectEqual(
                    try await wholes(inside), expected, "rows whose \(attribute) is in a list of \(what)")
                try contract.expectEqual(
                    try await wholes(.not(inside)), outside,
                    "rows whose \(attribute) is not in a list of \(what)")
                try contract.expectEqual(
                    try await wholes(.all([.constant(true), .not(.any([inside, .constant(false)]))])),
                    outside,
                    "rows whose \(attribute) is not in a list of \(what), inside other conditions")
            }
        }
        let some: [Int?] = [1, nil]
        try contract.expectEqual(
            try await store.read {
                try $0.fetch(Specimen.where(#Predicate { !some.contains($0.otherWhole) }), \.whole)
            }, [2], "rows whose number is not in a list with nil, asked by a predicate")
    }
}
