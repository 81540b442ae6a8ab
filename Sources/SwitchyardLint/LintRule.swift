internal import SwitchyardCore

/// A fault, or a risk, that a migration plan may have.
public struct LintRule: Sendable, Identifiable {
    /// The name in findings, acceptances and reports, such as `dropped-attribute`.
    public let id: String
    /// Its severity.
    public let severity: LintSeverity
    /// Why it matters, in one sentence.
    public let why: String
    /// The remedy.
    public let fix: String

    let check: @Sendable (LintedPlan) -> [LintFault]

    init(
        _ id: String, _ severity: LintSeverity, why: String, fix: String,
        check: @escaping @Sendable (LintedPlan) -> [LintFault]
    ) {
        self.id = id
        self.severity = severity
        self.why = why
        self.fix = fix
        self.check = check
    }
}

/// The severity of a finding.
public enum LintSeverity: String, Sendable, Hashable, Codable, CaseIterable {
    /// The plan is refused, or loses rows, or a released version was changed.
    case error
    /// It works, but will hurt some stores: those with many rows, or on many devices.
    case warning
    /// Worth knowing.
    case note
}

extension LintRule {
    /// All rules.
    public static let all: [LintRule] =
        ofPlans + ofLocks + ofSteps + ofLosses + ofRows + ofRelationships + ofNames + ofKeys + ofLocking + [
            invalidSchema, unusedAcceptance,
        ]

    /// The schema contradicts itself in a way that no other rule covers.
    static let invalidSchema = LintRule(
        "invalid-schema", .error, why: "A store cannot be opened with a schema that contradicts itself.",
        fix: "Change the model as the sentence says."
    ) { plan in
        plan.versions.compactMap { version in
            guard case .failure(let error) = version.schema else { return nil }
            let alone = LintedPlan([version], [])
            guard ofContradictions.allSatisfy({ $0.check(alone).isEmpty }) else { return nil }
            return LintFault(version.version, error.entity, nil, error.message)
        }
    }

    /// The rules about what a schema refuses are included.
    private static let ofContradictions: [LintRule] = [
        outOfVersion, brokenInverse, identifierLength, identifierCharacters, identifierCase,
        reservedIdentifier,
        invalidID,
    ]

    /// The lint itself finds these, after all other rules.
    static let unusedAcceptance = LintRule(
        "unused-acceptance", .error,
        why: "An acceptance that matches nothing would silently accept the next finding of its name.",
        fix: "Remove the line from the acceptances, or correct its rule, version and place."
    ) { _ in [] }
}

/// The finding of a rule, and its place.
struct LintFault: Sendable, Hashable {
    /// The version; the newer one of a stage; nil for the plan as a whole.
    var version: SchemaVersion?
    /// The version before, for a stage.
    var previous: SchemaVersion?
    let entity: String?
    let part: String?
    let sentence: String

    init(_ version: SchemaVersion?, _ entity: String?, _ part: String?, _ sentence: String) {
        (self.version, self.entity, self.part, self.sentence) = (version, entity, part, sentence)
    }
}
