public import Foundation

/// Times that are moved by seconds, in a `#Predicate` or an `#Expression`.
///
/// ```swift
/// let late = Loan.where(#Predicate { $0.start + $0.days * 86_400 < now })
/// try tx.update(Task.open, set: [.set(\.due, to: #Expression { $0.due + 604_800 })])
/// let naps = Sleep.where(#Predicate { $0.start + 1_800 > $0.end })
/// ```
extension PredicateExpressions {
    /// A date that is moved by seconds.
    public struct MovedDate<LHS: PredicateExpression<Date>, RHS: PredicateExpression<TimeInterval>>:
        PredicateExpression
    {
        /// The date.
        public let date: LHS
        /// The seconds.
        public let seconds: RHS
        /// Whether the result comes after the date, for seconds above 0.
        let isLater: Bool

        /// Evaluates the expression in memory.
        public func evaluate(_ bindings: PredicateBindings) throws -> Date {
            let seconds = try seconds.evaluate(bindings)
            return try date.evaluate(bindings) + (isLater ? seconds : -seconds)
        }
    }

    /// The operators between a date and seconds.
    public enum DateOperator {
        /// Later by the seconds.
        case add
        /// Earlier by the seconds.
        case subtract
    }

    /// Called by the expansion of `#Predicate` for a date that is moved by seconds.
    public static func build_Arithmetic<LHS, RHS>(
        lhs: LHS, rhs: RHS, op: DateOperator
    ) -> MovedDate<LHS, RHS> { MovedDate(date: lhs, seconds: rhs, isLater: op == .add) }
}

extension PredicateExpressions.MovedDate: Sendable where LHS: Sendable, RHS: Sendable {}
extension PredicateExpressions.MovedDate: StandardPredicateExpression, Codable
where LHS: StandardPredicateExpression, RHS: StandardPredicateExpression {}
