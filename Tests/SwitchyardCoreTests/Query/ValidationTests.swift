import Foundation
import Testing

@testable import SwitchyardCore

@Suite("Validation of conditions")
struct ValidationTests {
    private let entity: Entity
    private let schema: Schema

    init() throws {
        schema = try Nursery.schema
        entity = try Baby.entity.get()
    }

    @Test("what does not exist or does not compare is `unsupported`")
    func refusals() throws {
        let wrong: [Condition] = [
            .compare(.attribute("nope"), .equal, .value(.int(1))),
            .compare(.attribute("name"), .equal, .value(.int(1))),
            .compare(.attribute("isPremature"), .less, .value(.int(1))),
            .isIn(.attribute("name"), [.text("a"), .int(1)]),
            .match(.attribute("isPremature"), .contains, .value(.text("a"))),
            .search(attribute: "isPremature", .contains, text: "a"),
            .exists(relationship: "nope", .constant(true)),
            .exists(relationship: "feeds", .compare(.attribute("name"), .equal, .value(.text("a")))),
            .compare(.negated(.attribute("name")), .equal, .value(.text("a"))),
        ]
        for condition in wrong {
            #expect(throws: StoreError.self, "\(condition)") {
                try condition.validated(in: entity, schema: schema)
            }
        }
    }

    @Test("a condition deeper than the limit is an error, not an overflow of the stack")
    func depth() throws {
        var condition = name(.equal, "a")
        for _ in 0..<5_000 { condition = .not(condition) }
        let error = #expect(throws: StoreError.self) { try condition.validated(in: entity, schema: schema) }
        #expect(error?.code == .unsupported)
    }

    @Test("a condition and its calculations are as deep as the limits say, and no deeper")
    func limits() throws {
        func nested(_ levels: Int) -> Condition {
            (0..<levels).reduce(name(.equal, "a")) { inner, level in
                level.isMultiple(of: 2)
                    ? .any([inner, name(.equal, "b")]) : .all([inner, name(.notEqual, "c")])
            }
        }
        // A comparison and its operand are the two innermost levels.
        _ = try nested(198).validated(in: entity, schema: schema)
        #expect(throws: StoreError.self) { try nested(199).validated(in: entity, schema: schema) }

        func calculation(_ levels: Int) -> Condition {
            let text = (0..<levels).reduce(Operand.attribute("name")) { inner, _ in
                .coalesce(inner, .attribute("name"))
            }
            return .compare(text, .equal, .value(.text("a")))
        }
        _ = try calculation(12).validated(in: entity, schema: schema)
        let error = #expect(throws: StoreError.self) {
            try calculation(13).validated(in: entity, schema: schema)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("more than 12 levels deep") == true)
    }

    @Test("ten thousand terms are nothing special")
    func width() throws {
        let condition = Condition.any((0..<10_000).map { name(.equal, "\($0)") })
        let test = try RowTest(
            try condition.validated(in: entity, schema: schema), entity: entity, schema: schema
        ) { _, _ in }
        #expect(try test.holds([.null, .text("9999"), .bool(true), .null]))
        #expect(try !test.holds([.null, .text("10000"), .bool(true), .null]))
    }

    @Test("more constants than every backend can bind are an error")
    func constants() throws {
        let condition = Condition.any((0...30_000).map { name(.equal, "\($0)") })
        #expect(throws: StoreError.self) { try condition.validated(in: entity, schema: schema) }
    }

    @Test("comparisons of constants are worked out, and constants stand on the right")
    func folding() throws {
        func validated(_ condition: Condition) throws -> Condition {
            try condition.validated(in: entity, schema: schema)
        }
        #expect(try validated(.compare(.value(.int(1)), .less, .value(.int(2)))) == .constant(true))
        #expect(try validated(.compare(.value(.null), .equal, .value(.null))) == .constant(true))
        #expect(try validated(.compare(.attribute("name"), .less, .value(.null))) == .constant(false))
        #expect(try validated(.compare(.value(.text("a")), .less, .attribute("name"))) == name(.greater, "a"))
        #expect(try validated(.isIn(.attribute("name"), [])) == .constant(false))
        #expect(try validated(.all([.all([name(.equal, "a")]), .constant(true)])) == name(.equal, "a"))
    }
}

@Suite("Evaluation of conditions")
struct EvaluationTests {
    @Test("text is matched by its bytes")
    func text() {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        #expect(!Comparison.equal.holds(.text(composed), .text(decomposed)))
        #expect(Comparison.less.holds(.text(decomposed), .text(composed)))
        #expect(TextMatch.contains.holds("100% sure_", "% s"))
        #expect(TextMatch.contains.holds("abc", ""))
        #expect(!TextMatch.contains.holds("", "a"))
        #expect(TextMatch.hasSuffix.holds("a\u{1F37C}", "\u{1F37C}"))
        #expect(TextMatch.hasPrefix.holds(decomposed, "cafe"))
    }

    @Test("an order comparison with nil is false, and its opposite true")
    func nils() {
        for comparison in [Comparison.less, .lessOrEqual, .greater, .greaterOrEqual] {
            #expect(!comparison.holds(.null, .int(1)))
            #expect(!comparison.holds(.int(1), .null))
            #expect(!comparison.holds(.null, .null))
        }
        #expect(Comparison.notEqual.holds(.null, .int(1)))
        #expect(Comparison.equal.holds(.null, .null))
    }

    @Test("integers divide towards zero and overflow with an error")
    func integers() throws {
        #expect(try ArithmeticOperator.divide.result(.int(-7), .int(2)) == .int(-3))
        #expect(try ArithmeticOperator.remainder.result(.int(-7), .int(2)) == .int(-1))
        #expect(try ArithmeticOperator.remainder.result(.int(.min), .int(-1)) == .int(0))
        #expect(throws: StoreError.self) { try ArithmeticOperator.divide.result(.int(.min), .int(-1)) }
        #expect(throws: StoreError.self) { try ArithmeticOperator.add.result(.int(.max), .int(1)) }
        #expect(throws: StoreError.self) { try ArithmeticOperator.divide.result(.int(1), .int(0)) }
        #expect(try ArithmeticOperator.divide.result(.null, .int(0)) == .null)
        #expect(throws: StoreError.self) { try StoredValue.int(.min).negated() }
    }

    @Test("doubles do not leave the finite ones unnoticed, and what is no number is nil")
    func doubles() throws {
        #expect(try ArithmeticOperator.subtract.result(.double(.infinity), .double(.infinity)) == .null)
        #expect(try ArithmeticOperator.add.result(.double(.infinity), .double(1)) == .double(.infinity))
        #expect(throws: StoreError.self) {
            try ArithmeticOperator.multiply.result(.double(1e308), .double(10))
        }
        #expect(throws: StoreError.self) {
            try ArithmeticOperator.multiply.result(.double(1e-200), .double(1e-200))
        }
        #expect(throws: StoreError.self) { try ArithmeticOperator.divide.result(.double(1), .double(0)) }
        guard case .double(let zero) = try ArithmeticOperator.multiply.result(.double(-1), .double(0)) else {
            Issue.record("no double")
            return
        }
        #expect(zero.sign == .plus)
    }
}

@Suite("Exact sums")
struct SumTests {
    @Test("doubles are rounded once, whatever their order")
    func doubles() throws {
        #expect(try sum([0.1, 0.2, 0.3]) == 0.6)
        #expect(try sum([Double](repeating: 0.1, count: 10)) == 1)
        #expect(try sum([1e308, 1e308, -1e308, -1e308, 1]) == 1)
        #expect(try sum([1, 1e100, 1, -1e100]) == 2)
        #expect(try sum([9_007_199_254_740_992, 1]) == 9_007_199_254_740_992)
        #expect(try sum([9_007_199_254_740_992, 1, 0x1p-1074]) == 9_007_199_254_740_994)
        #expect(try sum([0x1p-1074, 0x1p-1074]) == 0x1p-1073)
        #expect(try sum([-0.5, 0.25]) == -0.25)
        #expect(try sum([]) == 0)
        #expect(try sum([.infinity, 1]) == .infinity)
        #expect(try sum([.infinity, -.infinity]) == nil)
        #expect(throws: StoreError.self) { try sum([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) }
    }

    @Test("decimals are exact to 38 digits")
    func decimals() throws {
        #expect(try decimalSum(["0.1", "0.2", "-0.30"]) == "0")
        #expect(
            try decimalSum(["99999999999999999999999999999999999998", "1"])
                == "99999999999999999999999999999999999999")
        #expect(try decimalSum(["-1000000000", "0.000000001"]) == "-999999999.999999999")
        #expect(
            try decimalSum([
                "0.0000000000000000000000000000000000001", "10000000000000000000000000000000000000",
                "-10000000000000000000000000000000000000",
            ])
                == "0.0000000000000000000000000000000000001")
        #expect(throws: StoreError.self) { try decimalSum(["99999999999999999999999999999999999999", "1"]) }
    }

    private func sum(_ values: [Double]) throws -> Double? {
        var sum = DoubleSum()
        for value in values { sum.add(value) }
        return try sum.value()
    }

    private func decimalSum(_ texts: [String]) throws -> String? {
        var sum = DecimalSum()
        for text in texts { sum.add(try #require(CanonicalDecimal.decimal(text))) }
        return CanonicalDecimal.text(try sum.value())
    }
}
