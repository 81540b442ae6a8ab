internal import Switchyard
internal import SwitchyardCore

/// Which calculations with integers and doubles have results.
extension CalculationRequirements {
    static func range(_ contract: Contract) async throws {
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

    static func doubles(_ contract: Contract) async throws {
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
}
