public import Foundation

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        guard Base.Output.self is any StringProtocol.Type else {
            throw StoreError.unsupportedExpression(
                "contains(_:) of one collection in another is only supported for text.")
        }
        return try .combining(try lowering.lower(base), try lowering.lower(other)) {
            .condition(try .matching($0, .contains, $1))
        }
    }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        guard Base.Output.self is any StringProtocol.Type else {
            throw StoreError.unsupportedExpression("starts(with:) is only supported for text.")
        }
        return try .combining(try lowering.lower(base), try lowering.lower(prefix)) {
            .condition(try .matching($0, .hasPrefix, $1))
        }
    }
}

extension Condition {
    /// A match of text by its bytes, or of folded text.
    static func matching(_ text: Lowered, _ match: TextMatch, _ other: Lowered) throws -> Condition {
        if case .folded(let attribute, let guards) = text {
            return .guarded(guards, try search(of: attribute, match, other))
        }
        return .guarded(
            text.guards + other.guards,
            .match(try text.operand(), match, try other.operand()))
    }

    /// A search that ignores case and diacritics, of a constant text in an attribute.
    fileprivate static func searching(_ text: Lowered, _ match: TextMatch, _ other: Lowered) throws
        -> Condition
    {
        let (attribute, folded) = try searched(text, other)
        return .guarded(text.guards, .search(attribute: attribute, match, text: folded))
    }

    fileprivate static func searched(_ text: Lowered, _ other: Lowered) throws -> (
        attribute: String, text: String
    ) {
        guard case .operand(.attribute(let attribute), _) = text,
            case .value(.text(let searched)) = try other.operand()
        else {
            throw StoreError.searchTakesAttribute
        }
        return (attribute, SearchFolding.fold(searched))
    }

    /// A search for a constant text in an attribute that is `folded` in the predicate.
    static func search(of attribute: String, _ match: TextMatch, _ other: Lowered) throws -> Condition {
        guard case .value(.text(let text)) = try other.operand() else {
            throw StoreError.searchTakesAttribute
        }
        return .search(attribute: attribute, match, text: SearchFolding.fold(text))
    }
}

extension StoreError {
    static var searchTakesAttribute: StoreError {
        .unsupportedExpression(
            "A case-insensitive search takes an attribute on the left and a constant text on the right.")
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .combining(try lowering.lower(root), try lowering.lower(other)) {
            .condition(try .searching($0, .contains, $1))
        }
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try .combining(try lowering.lower(root), try lowering.lower(other)) { searched, other in
            let (attribute, text) = try Condition.searched(searched, other)
            return .search(attribute: attribute, text: text, guards: searched.guards)
        }
    }
}

#if !canImport(Darwin)
    extension PredicateExpressions {
        /// Whether a text contains another, ignoring case and diacritics, for `localizedStandardContains(_:)`.
        ///
        /// Foundation has this expression only on Apple systems.
        public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
            PredicateExpression
        where Root.Output: StringProtocol, Other.Output: StringProtocol {
            /// The text to search in.
            public let root: Root
            /// The text to search for.
            public let other: Other

            /// Evaluates the expression in memory.
            public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
                let text = SearchFolding.fold(String(try root.evaluate(bindings)))
                return text.utf8.contains(SearchFolding.fold(String(try other.evaluate(bindings))).utf8)
            }
        }

        /// How a text compares with another, ignoring case and diacritics, for `caseInsensitiveCompare(_:)`.
        ///
        /// Foundation has this expression only on Apple systems.
        public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
            PredicateExpression
        where Root.Output: StringProtocol, Other.Output: StringProtocol {
            /// The text on the left.
            public let root: Root
            /// The text on the right.
            public let other: Other

            /// Evaluates the expression in memory.
            public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
                let left = SearchFolding.fold(String(try root.evaluate(bindings)))
                let right = SearchFolding.fold(String(try other.evaluate(bindings)))
                if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
                return left.utf8.lexicographicallyPrecedes(right.utf8)
                    ? .orderedAscending : .orderedDescending
            }
        }

        /// Called by the expansion of `#Predicate` for `localizedStandardContains(_:)`.
        public static func build_localizedStandardContains<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringLocalizedStandardContains<Root, Other> {
            StringLocalizedStandardContains(root: root, other: other)
        }

        /// Called by the expansion of `#Predicate` for `caseInsensitiveCompare(_:)`.
        public static func build_caseInsensitiveCompare<Root, Other>(
            _ root: Root, _ other: Other
        ) -> StringCaseInsensitiveCompare<Root, Other> {
            StringCaseInsensitiveCompare(root: root, other: other)
        }
    }

    extension PredicateExpressions.StringLocalizedStandardContains: Sendable
    where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression, Codable
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
    where Root: Sendable, Other: Sendable {}
    extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression, Codable
    where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
