import Foundation
import SwitchyardCore
import SwitchyardLint
import Testing

/// A plan in which a rule finds one thing, or nothing where it nearly would.
struct Fixture: Sendable, CustomTestStringConvertible {
    let rule: String
    /// The key of the finding; nil for a plan that passes.
    let found: String?
    let plan: LintedPlan
    var acceptances: [LintAcceptance] = []

    var testDescription: String { found ?? "\(rule) passes" }
}

/// A plan that fails by one finding.
func fails(_ key: String, _ plan: LintedPlan, accepting: [LintAcceptance] = []) -> Fixture {
    Fixture(
        rule: String(key.prefix { $0 != " " }), found: key, plan: plan, acceptances: accepting)
}

/// A plan that passes a rule, and nearly would not.
///
/// - Parameters:
///   - rule: The rule.
///   - plan: The plan.
///   - others: The keys of what other rules find in it, which is accepted.
/// - Returns: The fixture.
func passes(_ rule: String, _ plan: LintedPlan, beside others: [String] = []) -> Fixture {
    Fixture(rule: rule, found: nil, plan: plan, acceptances: others.flatMap(accept))
}

/// The acceptance of a finding.
func accept(_ key: String) -> [LintAcceptance] {
    (try? LintAcceptance.list(text: "\(key): It is meant to be.")) ?? []
}

/// A plan of the versions 1, 2 and so on, with a stage from each to the next.
func plan(
    _ versions: [Entity]..., steps: [MigrationStep] = [], code: Bool = false, lock: SchemaLock? = nil
) -> LintedPlan {
    LintedPlan(
        versions.enumerated().map { version($0 + 1, $1) },
        versions.indices.dropFirst().map { stage($0, $0 + 1, steps, code: code) }, lock: lock)
}

func version(_ number: Int, _ entities: [Entity] = []) -> LintedPlan.Version {
    LintedPlan.Version(SchemaVersion(number), entities)
}

func stage(
    _ from: Int, _ to: Int, _ steps: [MigrationStep] = [], code: Bool = false
) -> LintedPlan.Stage {
    LintedPlan.Stage(from: SchemaVersion(from), to: SchemaVersion(to), steps, hasCode: code)
}

/// An entity with an id.
func entity(
    _ name: String, _ attributes: Attribute..., many: [Relationship] = [], index: [[String]] = [],
    unique: [UniqueConstraint] = []
) -> Entity {
    Entity(
        name, attributes: [Attribute("id", type: .uuid)] + attributes, relationships: many,
        indexes: index.map { Index($0) }, uniqueConstraints: unique)
}

/// An entity that is called Meal.
func meal(
    _ attributes: Attribute..., many: [Relationship] = [], index: [[String]] = [],
    unique: [UniqueConstraint] = []
) -> Entity {
    Entity(
        "Meal", attributes: [Attribute("id", type: .uuid)] + attributes, relationships: many,
        indexes: index.map { Index($0) }, uniqueConstraints: unique)
}

/// An attribute; of text, unless another type is given.
func a(
    _ name: String, _ type: AttributeType = .text, column: String? = nil, optional: Bool = false,
    default value: StoredValue? = nil, cases: [String]? = nil, in range: ClosedRange<Int64>? = nil,
    searchable: Bool = false
) -> Attribute {
    Attribute(
        name, column: column, type: type, isOptional: optional, defaultValue: value,
        cases: cases.map { $0.map { .text($0) } }, domain: range.map { .integers(range: $0) },
        isSearchable: searchable)
}

/// A reference, which may be nil.
func ref(_ name: String, _ target: String, optional: Bool = true) -> Attribute {
    Attribute(name, type: .uuid, isOptional: optional, reference: target)
}

/// A to-many.
func many(
    _ name: String, _ target: String, by inverse: String, _ rule: DeleteRule = .nullify
) -> Relationship { Relationship(name, target: target, inverse: inverse, deleteRule: rule) }

func unique(_ names: String...) -> UniqueConstraint { UniqueConstraint(names) }

extension MigrationStep {
    static func rename(_ old: String, to new: String) -> MigrationStep {
        MigrationStep(kind: .success(.rename(PartName(old), to: PartName(new))))
    }

    static func drop(_ name: String) -> MigrationStep { MigrationStep(kind: .success(.drop(PartName(name)))) }

    static func fill(_ name: String, _ value: StoredValue) -> MigrationStep {
        MigrationStep(kind: .success(.fill(PartName(name), value)))
    }

    static func rewrite(_ name: String) -> MigrationStep {
        MigrationStep(kind: .success(.rewrite(name)))
    }

    static func wrong(_ message: String) -> MigrationStep {
        MigrationStep(kind: .failure(StoreError(.schemaInvalid, message, entity: "Meal")))
    }
}

extension PartName {
    fileprivate init(_ text: String) {
        let words = text.split(separator: ".").map { String($0) }
        self.init(entity: words[0], attribute: words.count > 1 ? words[1] : nil)
    }
}
