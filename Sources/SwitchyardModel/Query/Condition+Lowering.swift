public import Foundation

extension Condition {
    /// Lowers a predicate to a condition.
    ///
    /// It only uses the names of the model's attributes, so that the model's entity can use it for a filter;
    /// `validated(in:schema:)` checks the rest.
    ///
    /// - Returns: The condition; or `unsupported`, with the part of the predicate that no backend could evaluate; or
    ///   `valueNotRepresentable` for a captured value that no attribute can have.
    /// - Complexity: A few microseconds for a predicate of a few terms.
    public static func lowering<Element: Model>(
        _ predicate: Predicate<Element>
    ) -> Result<Condition, StoreError> {
        Lowering.result {
            var lowering = Lowering(row: predicate.variable.key, of: Element.self)
            return try lowering.condition(predicate.expression)
        }
    }
}

extension Operand {
    /// Lowers an expression over one row to an operand, for an update that calculates a value.
    ///
    /// - Returns: The operand, or an error as of `Condition.lowering(_:)`.
    public static func lowering<Element: Model, Value>(
        _ expression: Expression<Element, Value>
    ) -> Result<Operand, StoreError> {
        Lowering.result {
            var lowering = Lowering(row: expression.variable.key, of: Element.self)
            return try lowering.lower(expression.expression).operand()
        }
    }
}
