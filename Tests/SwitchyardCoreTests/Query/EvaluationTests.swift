import Testing

@testable import SwitchyardCore

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
