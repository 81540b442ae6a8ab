public import Foundation

extension PredicateExpressions.PredicateEvaluate: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        guard case .captured(let value) = try lowering.lower(predicate),
            let inner = value as? Condition.Output
        else {
            throw StoreError.unsupportedExpression("evaluate(_:) takes a captured predicate.")
        }
        var inputs: [(PredicateExpressions.VariableID, Lowered)] = []
        for (variable, argument) in repeat (each inner.variable, each input) {
            inputs.append((variable.key, try lowering.lower(argument)))
        }
        return try lowering.binding(inputs[...]) { .condition(try $0.condition(inner.expression)) }
    }
}

extension PredicateExpressions.ExpressionEvaluate: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        guard case .captured(let value) = try lowering.lower(expression),
            let inner = value as? Transformation.Output
        else { throw StoreError.unsupportedExpression("evaluate(_:) takes a captured expression.") }
        var inputs: [(PredicateExpressions.VariableID, Lowered)] = []
        for (variable, argument) in repeat (each inner.variable, each input) {
            inputs.append((variable.key, try lowering.lower(argument)))
        }
        return try lowering.binding(inputs[...]) { try $0.lower(inner.expression) }
    }
}

extension Lowering {
    fileprivate mutating func binding(
        _ inputs: ArraySlice<(PredicateExpressions.VariableID, Lowered)>,
        _ body: (inout Lowering) throws -> Lowered
    ) throws -> Lowered {
        guard let (variable, meaning) = inputs.first else { return try body(&self) }
        return try binding(variable, to: meaning) { try $0.binding(inputs.dropFirst(), body) }
    }
}

#if !canImport(Darwin)
    extension PredicateExpressions {
        /// A captured predicate asked of a value. Foundation has this expression on Apple systems only.
        public struct PredicateEvaluate<Condition: PredicateExpression, each Input: PredicateExpression>:
            PredicateExpression
        where Condition.Output == Predicate<repeat (each Input).Output> {
            /// The captured predicate.
            public let predicate: Condition
            /// What it is asked of.
            public let input: (repeat each Input)

            public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
                try predicate.evaluate(bindings).evaluate(repeat try (each input).evaluate(bindings))
            }
        }

        /// What `#Predicate` calls for `evaluate(_:)` of a captured predicate.
        public static func build_evaluate<Condition, each Input>(
            _ predicate: Condition, _ input: repeat each Input
        ) -> PredicateEvaluate<Condition, repeat each Input> {
            PredicateEvaluate(predicate: predicate, input: (repeat each input))
        }
    }

    extension PredicateExpressions.PredicateEvaluate: Sendable
    where Condition: Sendable, repeat each Input: Sendable {}
    extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression, Codable
    where Condition: StandardPredicateExpression, repeat each Input: StandardPredicateExpression {
        /// A captured predicate has no stable written form, so an archive refuses it, as Foundation's own does.
        public init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: "A nested predicate cannot be decoded.")
            )
        }

        public func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath, debugDescription: "A nested predicate cannot be encoded.")
            )
        }
    }
#endif
