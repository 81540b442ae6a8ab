import SwitchyardCore
import Testing

@testable import SwitchyardModel

@Suite("Evaluation of conditions")
struct EvaluationTests {
    @Test("a condition matches text by its bytes")
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

    @Test("an order comparison with nil is false, and its negation true")
    func nils() {
        for comparison in [Comparison.less, .lessOrEqual, .greater, .greaterOrEqual] {
            #expect(!comparison.holds(.null, .int(1)))
            #expect(!comparison.holds(.int(1), .null))
            #expect(!comparison.holds(.null, .null))
        }
        #expect(Comparison.notEqual.holds(.null, .int(1)))
        #expect(Comparison.equal.holds(.null, .null))
    }

    @Test("integers divide towards zero", arguments: [CalculationContext.condition, .assignment])
    func integers(context: CalculationContext) throws {
        #expect(try ArithmeticOperator.divide.result(.int(-7), .int(2), in: context) == .int(-3))
        #expect(try ArithmeticOperator.remainder.result(.int(-7), .int(2), in: context) == .int(-1))
        #expect(try ArithmeticOperator.remainder.result(.int(.min), .int(-1), in: context) == .int(0))
        #expect(try ArithmeticOperator.divide.result(.null, .int(0), in: context) == .null)
        #expect(try StoredValue.int(.max).negated(in: context) == .int(-.max))
    }

    @Test("a calculation without a result is nil in a condition, and an error in an assignment")
    func nothing() throws {
        let calculations: [(StoredValue, ArithmeticOperator, StoredValue)] = [
            (.int(.max), .add, .int(1)), (.int(.min), .subtract, .int(1)), (.int(.max), .multiply, .int(2)),
            (.int(.min), .divide, .int(-1)), (.int(1), .divide, .int(0)), (.int(1), .remainder, .int(0)),
            (.double(1), .divide, .double(0)), (.double(.infinity), .divide, .double(0)),
        ]
        for (lhs, calculation, rhs) in calculations {
            #expect(try calculation.result(lhs, rhs, in: .condition) == .null)
            let error = #expect(throws: StoreError.self) {
                try calculation.result(lhs, rhs, in: .assignment)
            }
            #expect(error?.code == .arithmetic)
        }
        #expect(try StoredValue.int(.min).negated(in: .condition) == .null)
        #expect(throws: StoreError.self) { try StoredValue.int(.min).negated(in: .assignment) }
    }

    @Test(
        "doubles that overflow are an error, and NaN is nil",
        arguments: [CalculationContext.condition, .assignment])
    func doubles(context: CalculationContext) throws {
        func result(_ lhs: Double, _ calculation: ArithmeticOperator, _ rhs: Double) throws -> StoredValue {
            try calculation.result(.double(lhs), .double(rhs), in: context)
        }
        #expect(try result(.infinity, .subtract, .infinity) == .null)
        #expect(try result(.infinity, .add, 1) == .double(.infinity))
        #expect(throws: StoreError.self) { try result(1e308, .multiply, 10) }
        #expect(throws: StoreError.self) { try result(1e-200, .multiply, 1e-200) }
        guard case .double(let zero) = try result(-1, .multiply, 0) else {
            Issue.record("no double")
            return
        }
        #expect(zero.sign == .plus)
    }
}
