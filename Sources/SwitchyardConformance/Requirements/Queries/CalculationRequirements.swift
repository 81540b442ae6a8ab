internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Calculations: nil in a condition where they have no result, and an error in an update.
///
/// A condition is then a function of the row, so that no answer depends on which rows and terms a backend looks at, nor
/// on their order.
enum CalculationRequirements {
    static let all: [Requirement] = [
        Requirement(
            "Q6", "a calculation divides as in Swift, and is nil in a condition where it has no result"
        ) {
            contract in
            try await division(contract)
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(
                    contentsOf: (0...3).map {
                        Specimen(id: Specimen.ID(BatchSpecimen.id($0)), whole: $0, otherWhole: 3 - $0)
                    })
            }
            try await nothing(contract, store)
            try await terms(contract, store)
            try await limits(contract, store)
            try await constants(contract, store)
            try await related(contract, store)
        },
        Requirement("Q6+range", "integers have results up to the ends of 64 bits, and none beyond") {
            contract in
            try await range(contract)
        },
        Requirement("Q6+double", "doubles have no result where they are no number or divided by 0") {
            contract in
            try await doubles(contract)
        },
        Requirement(
            "Q6+figures", "a figure, an update and a delete are of the rows that fulfil the condition"
        ) {
            contract in
            try await figures(contract)
        },
        Requirement("Q6+filter", "a row without a result is outside the filter of a unique constraint") {
            contract in
            try await filter(contract)
        },
        Requirement("Q6+update", "an update whose value has no result for one of its rows is an error") {
            contract in
            try await update(contract)
        },
    ]

    private static let whole = Operand.attribute("whole")
    /// 12 divided by `whole`, which has no result where that is 0.
    private static let quotient = Operand.arithmetic(.value(.int(12)), .divide, whole)
    private static let isMore = Condition.compare(quotient, .greater, .value(.int(4)))
    private static let isZero = Condition.compare(whole, .equal, .value(.int(0)))

    private static func isNil(_ operand: Operand) -> Condition { .compare(operand, .equal, .value(.null)) }

    private static func wholes(_ store: any Store, _ query: Query<Specimen>) async throws -> [Int] {
        try await store.read { try $0.fetch(query).map(\.whole) }
    }

    private static func wholes(_ store: any Store, _ condition: Condition) async throws -> [Int] {
        try await wholes(store, Specimen.matching(condition).sorted(by: \.whole))
    }

    private static func division(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: [Specimen(whole: -7), Specimen(whole: 7)])
        }
        func found(_ predicate: Predicate<Specimen>) async throws -> [Int] {
            try await wholes(store, Specimen.where(predicate).sorted(by: \.whole))
        }
        try contract.expectEqual(
            try await found(#Predicate { $0.whole / 2 == -3 }), [-7], "division towards 0")
        try contract.expectEqual(
            try await found(#Predicate { $0.whole % 4 == -3 }), [-7], "the remainder's sign")
        try contract.expectEqual(
            try await found(#Predicate { $0.whole * 2 + 1 == 15 }), [7], "a calculation")
    }

    // The store holds 0 to 3, so that 12 divided by them is nil, 12, 6 and 4.
    private static func nothing(_ contract: Contract, _ store: any Store) async throws {
        let (six, four) = (Operand.value(.int(6)), Operand.value(.int(4)))
        let remainder = Operand.arithmetic(.value(.int(7)), .remainder, whole)
        let expected: [(String, Condition, [Int])] = [
            ("greater", isMore, [1, 2]),
            ("not greater", .not(isMore), [0, 3]),
            ("less or equal", .compare(quotient, .lessOrEqual, four), [3]),
            ("not less or equal", .not(.compare(quotient, .lessOrEqual, four)), [0, 1, 2]),
            ("equal", .compare(quotient, .equal, six), [2]),
            ("not equal", .compare(quotient, .notEqual, six), [0, 1, 3]),
            ("the opposite of equal", .not(.compare(quotient, .equal, six)), [0, 1, 3]),
            ("nil", isNil(quotient), [0]),
            ("not nil", .not(isNil(quotient)), [1, 2, 3]),
            ("in a list", .isIn(quotient, [.int(6), .int(4)]), [2, 3]),
            ("outside a list", .not(.isIn(quotient, [.int(6), .int(4)])), [0, 1]),
            ("in a list with nil", .isIn(quotient, [.int(6), .null, .int(4)]), [0, 2, 3]),
            ("outside a list with nil", .not(.isIn(quotient, [.int(6), .null, .int(4)])), [1]),
            ("equal to another one without a result", .compare(quotient, .equal, remainder), [0]),
            ("not equal to another", .compare(quotient, .notEqual, remainder), [1, 2, 3]),
            ("replaced by a value", .compare(.coalesce(quotient, six), .equal, six), [0, 2]),
            ("calculated with again", isNil(.arithmetic(quotient, .multiply, .value(.int(0)))), [0]),
            ("negated", .compare(.negated(quotient), .less, .value(.int(-4))), [1, 2]),
            (
                "chosen by a comparison without a result",
                .compare(.conditional(isMore, whole, .value(.int(9))), .equal, .value(.int(9))), [0, 3]
            ),
        ]
        for (what, condition, wholes) in expected {
            try contract.expectEqual(try await Self.wholes(store, condition), wholes, "12 divided, \(what)")
        }
    }

    private static func terms(_ contract: Contract, _ store: any Store) async throws {
        let second = try await store.read {
            try $0.fetch(Specimen.matching(.compare(whole, .equal, .value(.int(2)))))
        }
        let isSecond = Condition.compare(
            .attribute("id"), .equal, .value(second.first.map { .uuid($0.id.uuid) } ?? .null))
        for (terms, all, any) in [
            ([.not(isZero), isMore], [1, 2], [1, 2, 3]),
            ([isZero, isMore], [], [0, 1, 2]),
            ([isZero, .not(isMore)], [0], [0, 3]),
            ([isSecond, isMore], [2], [1, 2]),
        ] as [([Condition], [Int], [Int])] {
            for terms in [terms, terms.reversed()] {
                try contract.expectEqual(
                    try await wholes(store, .all(terms)), all, "rows with all of \(terms)")
                try contract.expectEqual(
                    try await wholes(store, .any(terms)), any, "rows with any of \(terms)")
                try contract.expectEqual(
                    try await wholes(store, .not(.all(terms))), (0...3).filter { !all.contains($0) },
                    "rows without all of \(terms)")
            }
        }
    }

    private static func limits(_ contract: Contract, _ store: any Store) async throws {
        let (ascending, descending) = (
            Specimen.sorted(by: \.whole), Specimen.sorted(by: \.whole, .descending)
        )
        let expected: [(String, Query<Specimen>, [Int])] = [
            ("before a row without a result", descending.matching(isMore).limit(1), [2]),
            ("behind one", ascending.matching(isMore).limit(1), [1]),
            ("behind one in the order of ids", Specimen.matching(isMore).limit(1), [1]),
            ("at one", ascending.matching(.not(isMore)).limit(1), [0]),
            ("0", descending.matching(isMore).limit(0), []),
            ("behind an offset", descending.matching(.not(isMore)).offset(1).limit(1), [0]),
        ]
        for (what, query, wholes) in expected {
            try contract.expectEqual(try await Self.wholes(store, query), wholes, "a limit \(what)")
        }
    }

    /// Databases work out calculations with constants before they look at a row, and must not fail there.
    private static func constants(_ contract: Contract, _ store: any Store) async throws {
        let (zero, nothing, most, least) = (0, 0.0, Int.max, Int.min)
        let expected: [(String, Predicate<Specimen>, [Int])] = [
            (
                "behind a constant that decides", #Predicate { zero == 0 || $0.whole > 12 / zero },
                [0, 1, 2, 3]
            ),
            (
                "that a constant does not choose", #Predicate { $0.whole > (zero == 0 ? 1 : 12 / zero) },
                [2, 3]
            ),
            ("divided by zero", #Predicate { $0.whole > 12 / zero }, []),
            ("divided by zero, as the opposite", #Predicate { !($0.whole > 12 / zero) }, [0, 1, 2, 3]),
            ("divided by zero, unequal", #Predicate { $0.whole != 12 / zero }, [0, 1, 2, 3]),
            ("beside a comparison", #Predicate { $0.whole < 2 || $0.whole > 12 / zero }, [0, 1]),
            ("of doubles", #Predicate { $0.whole < 2 || $0.real < 1.5 / nothing }, [0, 1]),
            ("out of range", #Predicate { $0.whole > 1 && most + 1 - 1 > $0.whole }, []),
            ("the opposite out of range", #Predicate { $0.whole == 3 || -least > $0.whole }, [3]),
            ("a remainder", #Predicate { $0.whole % zero == 0 }, []),
        ]
        for (what, predicate, wholes) in expected {
            try contract.expectEqual(
                try await Self.wholes(store, Specimen.where(predicate).sorted(by: \.whole)), wholes,
                "a calculation \(what)")
        }
    }

    private static func related(_ contract: Contract, _ store: any Store) async throws {
        try await store.write { tx in
            let mia = try tx.insert(Parent(name: "Mia"))
            let leo = try tx.insert(Parent(name: "Leo"))
            try tx.insert(contentsOf: [
                CascadeChild(parent: mia.id, size: 1), CascadeChild(parent: mia.id, size: 5),
                CascadeChild(parent: leo.id, size: 0), CascadeChild(parent: leo.id, size: 7),
                CascadeChild(size: 0),
            ])
        }
        let quotient = Operand.arithmetic(.value(.int(6)), .divide, .attribute("size"))
        func names(_ inner: Condition, isOpposite: Bool) async throws -> [String] {
            let exists = Condition.exists(relationship: "cascading", inner)
            return try await store.read { tx in
                try tx.fetch(Parent.matching(isOpposite ? .not(exists) : exists).sorted(by: \.name), \.name)
            }
        }
        let expected: [(String, Condition, [String])] = [
            ("greater", .compare(quotient, .greater, .value(.int(2))), ["Mia"]),
            ("not greater than 0", .not(.compare(quotient, .greater, .value(.int(0)))), ["Leo"]),
            ("not equal", .compare(quotient, .notEqual, .value(.int(0))), ["Leo", "Mia"]),
            ("nil", isNil(quotient), ["Leo"]),
        ]
        for (what, condition, found) in expected {
            try contract.expectEqual(
                try await names(condition, isOpposite: false), found, "rows with a related one, \(what)")
            try contract.expectEqual(
                try await names(condition, isOpposite: true), ["Leo", "Mia"].filter { !found.contains($0) },
                "rows without a related one, \(what)")
        }
    }
}

extension CalculationRequirements {
    private static func range(_ contract: Contract) async throws {
        let (least, most) = (Int.min, Int.max)
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: [least, -1, 0, most].map { Specimen(whole: $0) })
        }
        func calculated(_ calculation: ArithmeticOperator, _ number: Int) -> Operand {
            .arithmetic(whole, calculation, .value(.int(Int64(number))))
        }
        func from(_ number: Int, _ calculation: ArithmeticOperator) -> Operand {
            .arithmetic(.value(.int(Int64(number))), calculation, whole)
        }
        let without: [(String, Operand, [Int])] = [
            ("1 more", calculated(.add, 1), [most]),
            ("1 less", calculated(.subtract, 1), [least]),
            ("the most added", calculated(.add, most), [most]),
            ("the least added", calculated(.add, least), [least, -1]),
            ("taken from 0", from(0, .subtract), [least]),
            ("taken from the most", from(most, .subtract), [least, -1]),
            ("doubled", calculated(.multiply, 2), [least, most]),
            ("multiplied by −1", calculated(.multiply, -1), [least]),
            ("divided by −1", calculated(.divide, -1), [least]),
            ("divided by 0", calculated(.divide, 0), [least, -1, 0, most]),
            ("the remainder by −1", calculated(.remainder, -1), []),
            ("the remainder by 0", calculated(.remainder, 0), [least, -1, 0, most]),
            ("negated", .negated(whole), [least]),
            ("added to itself", .arithmetic(whole, .add, whole), [least, most]),
            ("its square", .arithmetic(whole, .multiply, whole), [least, most]),
            ("1 more and 1 less again", .arithmetic(calculated(.add, 1), .subtract, .value(.int(1))), [most]),
        ]
        for (what, operand, expected) in without {
            try contract.expectEqual(
                try await wholes(store, isNil(operand)), expected, "rows without a result, \(what)")
        }
        let results: [(String, Operand, Int, [Int])] = [
            ("the most and 0", calculated(.add, 0), most, [most]),
            ("the least and 0", calculated(.subtract, 0), least, [least]),
            ("−1 less the most", from(-1, .subtract), least, [most]),
            ("−1 less the least", from(-1, .subtract), most, [least]),
            ("the least and the most", calculated(.add, most), -1, [least]),
            ("the most divided by −1", calculated(.divide, -1), -most, [most]),
            ("the remainder by −1", calculated(.remainder, -1), 0, [least, -1, 0, most]),
            ("the most negated", .negated(whole), -most, [most]),
        ]
        for (what, operand, result, expected) in results {
            try contract.expectEqual(
                try await wholes(store, .compare(operand, .equal, .value(.int(Int64(result))))), expected,
                "rows with the result of \(what)")
        }
    }

    private static func doubles(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let numbers: [Double] = [-.infinity, -2, 0, 1.5, .infinity]
        try await store.write { tx in
            try tx.insert(contentsOf: numbers.enumerated().map { Specimen(whole: $0, real: $1) })
        }
        let real = Operand.attribute("real")
        func calculated(_ calculation: ArithmeticOperator, _ number: Double) -> Operand {
            .arithmetic(real, calculation, .value(.double(number)))
        }
        func quotient(_ number: Double) -> Operand { .arithmetic(.value(.double(number)), .divide, real) }
        let expected: [(String, Condition, [Int])] = [
            ("divided by 0", isNil(calculated(.divide, 0)), [0, 1, 2, 3, 4]),
            ("3 divided by it", isNil(quotient(3)), [2]),
            (
                "3 divided by it is not less than 2", .not(.compare(quotient(3), .less, .value(.double(2)))),
                [2, 3]
            ),
            ("3 divided by it is not 2", .compare(quotient(3), .notEqual, .value(.double(2))), [0, 1, 2, 4]),
            ("3 divided by ∞ is 0", .compare(quotient(3), .equal, .value(.double(0))), [0, 4]),
            ("∞ divided by it", isNil(quotient(.infinity)), [0, 2, 4]),
            ("0 times ∞", isNil(calculated(.multiply, 0)), [0, 4]),
            ("∞ less ∞", isNil(.arithmetic(real, .subtract, real)), [0, 4]),
            ("−∞ and ∞", isNil(calculated(.add, .infinity)), [0]),
            ("negated", .compare(.negated(real), .greater, .value(.double(0))), [0, 1]),
        ]
        for (what, condition, found) in expected {
            try contract.expectEqual(try await wholes(store, condition), found, "doubles, \(what)")
        }
        for (number, calculation, other) in [
            (1e308, .multiply, 10), (-1.7e308, .add, -1e308), (1e-200, .multiply, 1e-200),
            (1e-200, .divide, 1e200),
        ] as [(Double, ArithmeticOperator, Double)] {
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Specimen(real: number)) }
            try await contract.expectError(.arithmetic, "\(number) \(calculation) \(other)") {
                try await wholes(
                    store, .compare(calculated(calculation, other), .greater, .value(.double(0))))
            }
        }
    }

    private static func figures(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        // The row without a result is neither the first nor the last of any order.
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

    private static func filter(_ contract: Contract) async throws {
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

    private static func update(_ contract: Contract) async throws {
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
                "rows of an update to \(what), where there are none")
        }
        try contract.expectEqual(try await others(), [9, 9, 9, 9], "the rows after updates that fail")
        try contract.expectEqual(
            try await update(quotient, where: .not(isZero)), 3, "rows updated, of which none fails")
        try contract.expectEqual(try await others(), [9, 12, 6, 4], "what they were updated to")
        try contract.expectEqual(
            try await update(.conditional(isZero, .value(.int(1)), quotient), where: isAny), 4,
            "rows updated to a choice, of which none fails")
        try contract.expectEqual(try await others(), [1, 12, 6, 4], "what was chosen")
        try contract.expectEqual(
            try await update(.conditional(isMore, .value(.int(1)), .value(.int(2))), where: isAny), 4,
            "rows updated to a choice by a calculation without a result")
        try contract.expectEqual(try await others(), [2, 1, 1, 2], "what was chosen without a result")
    }
}
