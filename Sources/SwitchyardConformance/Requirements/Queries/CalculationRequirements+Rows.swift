internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// The effect of calculations on figures, updates, deletes and unique constraints.
extension CalculationRequirements {
    static func figures(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        // The row without a result is neither first nor last in any order.
        try await store.write { tx in
            _ = try tx.insert(
                contentsOf: (0..<9).map { number in
                    Specimen(
                        id: Specimen.ID(BatchSpecimen.id(number)), flag: number < 4, whole: number - 4,
                        amount: Decimal(number), text: "\(number)")
                })
        }
        let query = Specimen.matching(.compare(quotient, .lessOrEqual, .value(.int(12))))
        let found = try await store.read { tx in
            let extremes = try tx.aggregate(query, .minimum(\.whole), .maximum(\.whole))
            let groups = try tx.aggregate(query, by: .attribute(\.flag), figures: .count)
            return [
                "\(try tx.count(query))", try tx.aggregate(query, .minimum(\.id))?.description ?? "nil",
                "\(try tx.aggregate(query, .maximum(\.whole)) ?? 99)",
                "\(extremes.0 ?? 99) \(extremes.1 ?? 99)",
                "\(try tx.aggregate(query, .sum(\.whole)))",
                "\(try tx.aggregate(query, .maximum(\.amount)) ?? 99)",
                groups.map { "\($0.key) \($0.figures)" }.joined(separator: ", "),
                try tx.first(query.sorted(by: \.text))?.text ?? "nil",
                "\(try tx.page(query, size: 1).items.map(\.whole))",
            ]
        }
        try contract.expectEqual(
            found, ["8", BatchSpecimen.text(0), "4", "-4 4", "0", "8", "false 4, true 4", "0", "[-4]"],
            "figures of the rows with a result")
        let changed = try await store.write { tx in
            let updated = try tx.update(query, set: [.set(\.text, to: "changed")])
            return [updated, try tx.delete(Specimen.matching(isNil(quotient))), try tx.delete(query)]
        }
        try contract.expectEqual(changed, [8, 1, 8], "rows updated and deleted by a calculation")
    }

    static func filter(_ contract: Contract) async throws {
        let entity = Entity(
            "Share",
            attributes: [
                Attribute("id", type: .uuid), Attribute("name", type: .text), Attribute("whole", type: .int),
            ],
            uniqueConstraints: [UniqueConstraint(["name"], where: isMore)])
        let store = try await contract.makeStore(try Schema(version: SchemaVersion(1), entities: [entity]))
        func insert(_ whole: Int64) async throws {
            let row: [StoredValue] = [.uuid(OperationID().uuid), .text("a"), .int(whole)]
            _ = try await store.write { try $0.insertRows(into: "Share", [row]) }
        }
        for whole in [0, 0, 3, 2] as [Int64] { try await insert(whole) }
        try await contract.expectError(.unique, "a second row in the filter") { try await insert(1) }
        try contract.expectEqual(
            try await store.read { try $0.countRows(of: "Share", where: isNil(quotient)) }, 2,
            "rows without a result, of one name")
    }

    static func update(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: (0...3).map { Specimen(whole: $0, otherWhole: 9) })
        }
        func update(_ value: Operand, of attribute: String = "otherWhole", where condition: Condition)
            async throws -> Int
        {
            try await store.write { tx in
                try tx.updateRows(
                    of: "Specimen", set: [Assignment(attribute: attribute, value: value)], where: condition)
            }
        }
        func others() async throws -> [Int?] {
            try await store.read { try $0.fetch(Specimen.sorted(by: \.whole), \.otherWhole) }
        }
        let isAny = Condition.constant(true)
        let failing: [(String, Operand, String)] = [
            ("a division by zero", quotient, "otherWhole"),
            ("a remainder by zero", .arithmetic(.value(.int(12)), .remainder, whole), "otherWhole"),
            ("an overflow", .arithmetic(whole, .add, .value(.int(.max))), "otherWhole"),
            ("an overflow of a product", .arithmetic(whole, .multiply, .value(.int(.max))), "otherWhole"),
            (
                "an opposite out of range", .negated(.arithmetic(.value(.int(.min)), .add, whole)),
                "otherWhole"
            ),
            (
                "a division of constants by zero", .arithmetic(.value(.int(1)), .divide, .value(.int(0))),
                "otherWhole"
            ),
            (
                "a division of doubles by zero", .arithmetic(.value(.double(1)), .divide, .attribute("real")),
                "otherReal"
            ),
        ]
        for (what, value, attribute) in failing {
            try await contract.expectError(.arithmetic, "an update to \(what)") {
                try await update(value, of: attribute, where: isAny)
            }
            try contract.expectEqual(
                try await update(value, of: attribute, where: .compare(whole, .greater, .value(.int(3)))), 0,
                "rows of an update to \(what) that matches no row")
        }
        try contract.expectEqual(try await others(), [9, 9, 9, 9], "the rows after updates that fail")
        try contract.expectEqual(
            try await update(quotient, where: .not(isZero)), 3, "rows updated, without a failure")
        try contract.expectEqual(try await others(), [9, 12, 6, 4], "what they were updated to")
        try contract.expectEqual(
            try await update(.conditional(isZero, .value(.int(1)), quotient), where: isAny), 4,
            "rows updated to a choice, without a failure")
        try contract.expectEqual(try await others(), [1, 12, 6, 4], "what was chosen")
        try contract.expectEqual(
            try await update(.conditional(isMore, .value(.int(1)), .value(.int(2))), where: isAny), 4,
            "rows updated to a choice by a calculation without a result")
        try contract.expectEqual(try await others(), [2, 1, 1, 2], "what was chosen without a result")
    }
}
