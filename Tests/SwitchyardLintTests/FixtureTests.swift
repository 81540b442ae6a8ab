import SwitchyardLint
import Testing

@Suite("Each rule")
struct FixtureTests {
    static let fixtures =
        Fixtures.ofPlans + Fixtures.ofLocks + Fixtures.ofSteps + Fixtures.ofLosses + Fixtures.ofRows
        + Fixtures.ofRelationships + Fixtures.ofNames + Fixtures.ofKeys + Fixtures.ofLocking
        + Fixtures.ofOthers

    @Test(
        "each lint rule finds the fault in its failing plans, and nothing in the passing ones",
        arguments: fixtures)
    func fixture(_ fixture: Fixture) {
        let lint = SchemaLint(fixture.plan, accepting: fixture.acceptances)
        let found = lint.findings.filter { $0.rule.id == fixture.rule }.map(\.key)
        #expect(found == (fixture.found.map { [$0] } ?? []), "\(lint.text)")
        #expect(lint.fails(strictly: true) == (fixture.found != nil), "\(lint.text)")
    }

    @Test("each lint rule has two plans that fail and two that pass")
    func complete() {
        #expect(LintRule.all.count >= 24)
        for rule in LintRule.all {
            let own = Self.fixtures.filter { $0.rule == rule.id }
            #expect(own.filter { $0.found != nil }.count == 2, "\(rule.id)")
            #expect(own.filter { $0.found == nil }.count == 2, "\(rule.id)")
        }
        #expect(Self.fixtures.count == LintRule.all.count * 4)
    }

    @Test("each lint rule has an id of its own in kebab case, and says why and what to do")
    func words() {
        #expect(Set(LintRule.all.map(\.id)).count == LintRule.all.count)
        for rule in LintRule.all {
            #expect(rule.id.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(rule.id)")
            #expect(rule.why.hasSuffix(".") && rule.fix.hasSuffix("."), "\(rule.id)")
        }
    }
}

/// The plans of all rules.
enum Fixtures {}
