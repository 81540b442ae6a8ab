public import SwitchyardCore

/// Checks a migration plan as a whole, and collects all findings.
///
/// ```swift
/// let lint = SchemaLint(ItemPlan.self)
/// for finding in lint.open { print(finding.key, finding.sentence) }
/// ```
public struct SchemaLint: Sendable {
    /// The findings, in the order of the versions, and of the rules within each.
    public let findings: [LintFinding]

    /// The findings that are not accepted.
    public var open: [LintFinding] { findings.filter { $0.reason == nil } }
    /// Whether an error is found that is not accepted.
    public var fails: Bool { fails(strictly: false) }

    /// Returns whether a finding fails the check.
    ///
    /// - Parameter isStrict: Whether warnings and notes count as well, as before a release.
    /// - Returns: Whether one does.
    public func fails(strictly isStrict: Bool) -> Bool {
        isStrict ? !open.isEmpty : open.contains { $0.rule.severity == .error }
    }

    /// Checks a plan, which may be invalid.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - lock: The released versions; nil to skip the comparison.
    ///   - acceptances: The accepted findings.
    public init(
        _ plan: any SchemaMigrationPlan.Type, lock: SchemaLock? = nil,
        accepting acceptances: [LintAcceptance] = []
    ) {
        self.init(LintedPlan(plan, lock: lock), accepting: acceptances)
    }

    package init(_ plan: LintedPlan, accepting acceptances: [LintAcceptance] = []) {
        let found = LintRule.all.flatMap { rule in
            rule.check(plan).map { LintFinding(rule, $0) }.sorted {
                ($0.key, $0.sentence) < ($1.key, $1.sentence)
            }
        }.map { finding in
            var finding = finding
            finding.reason = acceptances.first { $0.accepts(finding) }?.reason
            return finding
        }
        let unused = acceptances.filter { !found.contains(where: $0.accepts) }.map {
            LintFinding(
                .unusedAcceptance, LintFault(nil, nil, nil, "Nothing finds what is accepted as `\($0.key)`."))
        }
        // A stable order: within a version, the order of the rules.
        findings = (found + unused).enumerated().sorted { one, other in
            let (mine, theirs) = (one.element.version, other.element.version)
            if mine == theirs { return one.offset < other.offset }
            guard let mine else { return true }
            return theirs.map { mine < $0 } ?? false
        }.map(\.element)
    }
}

/// Something that a rule has found.
public struct LintFinding: Sendable {
    /// The rule.
    public let rule: LintRule
    /// The version; the newer one of a stage; nil for the plan as a whole.
    public let version: SchemaVersion?
    /// The version before, if it is about the stage from that one.
    public let previous: SchemaVersion?
    /// The entity; nil for the version or the plan as a whole.
    public let entity: String?
    /// The attribute, relationship, index or constraint; nil for the entity as a whole.
    public let part: String?
    /// What was found.
    public let sentence: String
    /// Why it is accepted; nil if it is not.
    public fileprivate(set) var reason: String?

    fileprivate init(_ rule: LintRule, _ fault: LintFault) {
        self.rule = rule
        (version, previous, entity, part) = (fault.version, fault.previous, fault.entity, fault.part)
        sentence = fault.sentence
    }

    /// The entity and its part, as in `Meal.size`; nil for the version or the plan as a whole.
    public var place: String? {
        entity.map { entity in part.map { "\(entity).\($0)" } ?? entity }
    }

    /// What an acceptance calls it: the rule, the version and the place, as in `dropped-attribute 2.0.0 Meal.size`.
    public var key: String {
        [rule.id, version?.description, place].compactMap(\.self).joined(separator: " ")
    }
}
