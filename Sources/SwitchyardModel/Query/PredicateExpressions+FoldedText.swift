public import Foundation

/// The forms of a text in a `#Predicate`: `$0.title[\.folded].starts(with: "cle")`.
///
/// It has no values; its properties only serve as names in the predicate.
public enum TextForms {
    /// The text without case and diacritics.
    public var folded: String { switch self {} }
}

extension StringProtocol {
    /// The text without case and diacritics, for use in a `#Predicate`.
    ///
    /// It takes an attribute that is searchable and is compared by `==`, `!=`, `contains` and `starts(with:)` with a
    /// constant, which is folded as well. An index over the attribute serves `==` and `starts(with:)`:
    ///
    /// ```swift
    /// let typed = "Cle"
    /// let found = try tx.fetch(Film.where(#Predicate { $0.title[\.folded].starts(with: typed) }))
    /// ```
    public subscript(_ form: KeyPath<TextForms, String>) -> String { SearchFolding.fold(String(self)) }
}

extension Optional where Wrapped: StringProtocol {
    /// The text without case and diacritics, for use in a `#Predicate`; nil for nil.
    public subscript(_ form: KeyPath<TextForms, String>) -> String? { map { $0[form] } }
}

extension PredicateExpressions {
    /// A text without case and diacritics; nil if an optional text is nil.
    public struct FoldedText<Root: PredicateExpression, Output>: PredicateExpression {
        /// The text.
        public let root: Root

        /// Evaluates the expression in memory.
        public func evaluate(_ bindings: PredicateBindings) throws -> Output {
            let text = try root.evaluate(bindings) as? any StringProtocol
            let folded = text.map { SearchFolding.fold(String($0)) }
            guard let folded = folded as? Output else { throw StoreError.searchTakesAttribute }
            return folded
        }
    }

    /// Called by the expansion of `#Predicate` for the folded form of a text.
    public static func build_subscript<Root>(
        _ root: Root, _ form: Value<any Swift.KeyPath<TextForms, String> & Sendable>
    ) -> FoldedText<Root, String> where Root.Output: StringProtocol { FoldedText(root: root) }

    /// Called by the expansion of `#Predicate` for the folded form of an optional text.
    public static func build_subscript<Root, Text: StringProtocol>(
        _ root: Root, _ form: Value<any Swift.KeyPath<TextForms, String> & Sendable>
    ) -> FoldedText<Root, String?> where Root.Output == Text? { FoldedText(root: root) }
}

extension PredicateExpressions.FoldedText: Sendable where Root: Sendable {}
extension PredicateExpressions.FoldedText: StandardPredicateExpression, Codable
where Root: StandardPredicateExpression {}

extension PredicateExpressions.FoldedText: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try lowering.lower(root).map { text in
            guard case .operand(.attribute(let attribute), let guards) = text else {
                throw StoreError.searchTakesAttribute
            }
            return .folded(attribute: attribute, guards: guards)
        }
    }
}
