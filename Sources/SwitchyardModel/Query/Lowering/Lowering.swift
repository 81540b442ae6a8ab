internal import Foundation

/// A predicate expression that Core can lower.
///
/// The files beside this one make Foundation's types conform.
protocol LowerableExpression {
    /// Both sides of `&&`; nil for any other expression.
    var conjunction: (any PredicateExpression<Bool>, any PredicateExpression<Bool>)? { get }
    /// Both sides of `||`; nil for any other expression.
    var disjunction: (any PredicateExpression<Bool>, any PredicateExpression<Bool>)? { get }
    func lowered(_ lowering: inout Lowering) throws -> Lowered
}

extension LowerableExpression {
    var conjunction: (any PredicateExpression<Bool>, any PredicateExpression<Bool>)? { nil }
    var disjunction: (any PredicateExpression<Bool>, any PredicateExpression<Bool>)? { nil }
}

/// The state of a lowering: what each variable stands for, and how deep the expression is.
struct Lowering {
    private var bindings: [Binding]
    /// The row that conditions are currently about: 0 for the query's own, higher inside a to-many.
    private var scope = 0
    private var depth = 0

    private struct Binding {
        let variable: PredicateExpressions.VariableID
        let meaning: Lowered
        let scope: Int
    }

    init(row: PredicateExpressions.VariableID, of model: any Model.Type) {
        bindings = [Binding(variable: row, meaning: .row(model), scope: 0)]
    }

    static func result<Value>(_ body: () throws -> Value) -> Result<Value, StoreError> {
        Result(catching: body).mapError { error in
            error as? StoreError
                ?? StoreError(.unsupported, "The predicate cannot be lowered.", underlying: error)
        }
    }

    /// Lowers any expression.
    mutating func lower(_ expression: some PredicateExpression) throws -> Lowered {
        guard let lowerable = expression as? any LowerableExpression else {
            throw StoreError.unsupportedExpression(Self.name(of: expression))
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Limits.conditionDepth else { throw StoreError.conditionTooDeep }
        return try lowerable.lowered(&self)
    }

    /// Lowers a Boolean expression.
    mutating func condition(_ expression: some PredicateExpression<Bool>) throws -> Condition {
        try lower(expression).condition()
    }

    /// Returns what a variable stands for.
    func meaning(of variable: PredicateExpressions.VariableID) throws -> Lowered {
        guard let binding = bindings.last(where: { $0.variable == variable }) else {
            throw StoreError(.unsupported, "The predicate uses a variable of another predicate.")
        }
        guard binding.scope == scope || binding.meaning.isCaptured else {
            throw StoreError(
                .unsupported,
                "A condition inside a to-many relationship refers to the outer row. It can only refer to the "
                    + "relationship's rows and to captured values.")
        }
        return binding.meaning
    }

    /// Lowers an expression with a variable bound to a value of the current row, or to a captured one.
    mutating func binding<Value>(
        _ variable: PredicateExpressions.VariableID, to meaning: Lowered,
        _ body: (inout Lowering) throws -> Value
    ) rethrows -> Value {
        bindings.append(Binding(variable: variable, meaning: meaning, scope: scope))
        defer { bindings.removeLast() }
        return try body(&self)
    }

    /// Lowers a condition over the rows of a to-many relationship.
    mutating func inside(
        _ variable: PredicateExpressions.VariableID, of model: any Model.Type,
        _ test: some PredicateExpression<Bool>
    ) throws -> Condition {
        scope += 1
        defer { scope -= 1 }
        return try binding(variable, to: .row(model)) { try $0.condition(test) }
    }

    /// The name of an expression's type for an error, without generic arguments and without values.
    private static func name(of expression: some PredicateExpression) -> String {
        let name = String(describing: type(of: expression)).prefix { $0 != "<" }
        return "The expression \(name) cannot be part of a query."
    }
}

extension StoreError {
    static func unsupportedExpression(_ message: String) -> StoreError { StoreError(.unsupported, message) }

    static var conditionTooDeep: StoreError {
        StoreError(
            .unsupported,
            "The condition is nested more than \(Limits.conditionDepth) levels deep. Long lists of terms joined by && or || "
                + "are one level; for a list of values use contains.")
    }

    package static var calculationTooDeep: StoreError {
        StoreError(
            .unsupported,
            "The calculations of the condition or update nest more than \(Limits.calculationDepth) levels deep, where an "
                + "exists counts as three. Calculate parts beforehand, or query in two steps.")
    }
}
