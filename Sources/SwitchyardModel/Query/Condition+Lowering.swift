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

extension SortKey {
    /// Lowers an expression over one row, or over one that references lead to, to a sort key.
    static func lowering<Element: Model, Value>(
        _ expression: Expression<Element, Value>, _ direction: SortDirection, _ nils: NilOrder?
    ) -> Result<SortKey, StoreError> {
        Lowering.result {
            var lowering = Lowering(row: expression.variable.key, of: Element.self)
            let lowered = try lowering.lower(expression.expression)
            guard let related = lowered.related, !(Value.self is Bool.Type) else {
                return SortKey(try lowered.sorted(), direction, nils: nils)
            }
            return SortKey(try related.value.sorted(), over: related.path, direction, nils: nils)
        }
    }
}

extension Lowered {
    /// Returns this as a value to sort by.
    fileprivate func sorted() throws -> Operand {
        switch self {
        case .folded(let attribute, _): .folded(attribute)
        case .related: .conditional(try condition(), .value(.bool(true)), .value(.bool(false)))
        default: try operand()
        }
    }
}
