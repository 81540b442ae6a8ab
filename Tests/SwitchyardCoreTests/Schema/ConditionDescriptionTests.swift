import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Suite("Descriptions of conditions")
struct ConditionDescriptionTests {
    private static let a = Condition.compare(.attribute("a"), .less, .value(.int(-1)))
    private static let b = Condition.match(.attribute("b"), .hasPrefix, .value(.text("x")))

    @Test(
        "each condition has a short description in Swift's spelling",
        arguments: [
            (Condition.constant(true), "true"), (.all([]), "true"), (.any([]), "false"),
            (.all([a, .any([b, a])]), "a < -1 && (b hasPrefix \"x\" || a < -1)"),
            (.any([.all([a, b]), .not(b)]), "(a < -1 && b hasPrefix \"x\") || !(b hasPrefix \"x\")"),
            (.isIn(.attribute("a"), [.null, .bool(false), .double(0.5)]), "a in (nil, false, 0.5)"),
            (.search(attribute: "b", .contains, text: "ss"), "folded b contains \"ss\""),
            (.exists(relationship: "feeds", a), "feeds contains (a < -1)"),
            (.compare(.value(.blob(Data([0, 255]))), .greaterOrEqual, .attribute("c")), "0x00ff >= c"),
            (
                .compare(
                    .coalesce(.negated(.attribute("a")), .value(.int(0))), .notEqual,
                    .conditional(
                        a, .attribute("d"),
                        .arithmetic(.attribute("a"), .remainder, .value(.int(2))))),
                "((-a) ?? 0) != ((a < -1) ? d : (a % 2))"
            ),
        ])
    func description(condition: Condition, text: String) {
        #expect(condition.description == text)
    }

    @Test("a description of a condition is cut off at the depth limit")
    func depth() {
        var condition = Self.a
        for _ in 0..<5_000 { condition = .not(condition) }
        #expect(
            condition.description == String(repeating: "!(", count: 200) + "…"
                + String(repeating: ")", count: 200))
    }
}
