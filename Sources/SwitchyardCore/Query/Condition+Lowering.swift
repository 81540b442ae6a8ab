public import Foundation

extension Condition {
    /// Lowers a predicate to a condition.
    ///
    /// Only the names of attributes are taken from the model, so that its own entity may use this for a
    /// filter; `validated(in:schema:)` checks the rest.
    ///
    /// - Returns: The condition, or `unsupported`, naming the part of the predicate that no backend could
    ///   evaluate, or `valueNotRepresentable` for a captured value that no attribute can have.
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
    /// Lowers an expression over one row to an operand, for an update that works a value out.
    ///
    /// - Returns: The operand, or why it cannot be one, as `Condition.lowering(_:)` says.
    public static func lowering<Element: Model, Value>(
        _ expression: Expression<Element, Value>
    ) -> Result<Operand, StoreError> {
        Lowering.result {
            var lowering = Lowering(row: expression.variable.key, of: Element.self)
            return try lowering.lower(expression.expression).operand()
        }
    }
}
