public import Foundation

/// The properties of a to-many relationship in a `#Predicate`: `$0.films[\.count] > 3`.
///
/// It has no values; its properties only serve as names in the predicate.
public enum ToManyFigures {
    /// The number of rows.
    public var count: Int { switch self {} }
    /// Whether there are no rows.
    public var isEmpty: Bool { switch self {} }
}

extension ToMany {
    /// The number of rows, or whether there are none.
    ///
    /// Use it only in a `#Predicate`, where it needs no `try`.
    ///
    /// ```swift
    /// let prolific = try tx.fetch(Studio.where(#Predicate { $0.films[\.count] > 3 }))
    /// let idle = try tx.fetch(Studio.where(#Predicate { $0.films[\.isEmpty] }))
    /// ```
    ///
    /// - Throws: `unsupported` if it is used anywhere else; call the transaction's `count(_:)` there.
    public subscript<Value>(_ keyPath: KeyPath<ToManyFigures, Value>) -> Value {
        get throws { throw StoreError.toManyInMemory }
    }
}

extension PredicateExpressions {
    /// The number of rows of a to-many relationship, or whether there are none.
    public struct ToManyFigure<Source: PredicateExpression, Element: Model, Output>: PredicateExpression
    where Source.Output == ToMany<Element> {
        /// The relationship.
        public let source: Source
        /// The property: the number of rows, or whether there are none.
        public let keyPath: any Swift.KeyPath<ToManyFigures, Output> & Sendable

        /// Always throws, because a to-many has no rows in memory.
        ///
        /// - Throws: `unsupported`.
        public func evaluate(_ bindings: PredicateBindings) throws -> Output {
            throw StoreError.toManyInMemory
        }
    }

    /// Called by the expansion of `#Predicate` for `count` and `isEmpty` of a to-many relationship.
    public static func build_subscript<Source, Element, Figure>(
        _ source: Source, _ keyPath: Value<any Swift.KeyPath<ToManyFigures, Figure> & Sendable>
    ) -> ToManyFigure<Source, Element, Figure> where Source.Output == ToMany<Element> {
        ToManyFigure(source: source, keyPath: keyPath.value)
    }
}

extension PredicateExpressions.ToManyFigure: Sendable where Source: Sendable {}
extension PredicateExpressions.ToManyFigure: StandardPredicateExpression
where Source: StandardPredicateExpression {}

extension PredicateExpressions.ToManyFigure: Codable where Source: Codable {
    /// Always throws, because a key path cannot be decoded.
    ///
    /// - Throws: `unsupported`.
    public init(from decoder: any Decoder) throws { throw StoreError.keyPathNotCodable }

    /// Always throws, because a key path cannot be encoded.
    ///
    /// - Throws: `unsupported`.
    public func encode(to encoder: any Encoder) throws { throw StoreError.keyPathNotCodable }
}

extension PredicateExpressions.ToManyFigure: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let isCount = keyPath == \ToManyFigures.count
        return try lowering.lower(source).map { source in
            let name = try source.relationship
            return isCount
                ? .operand(.count(relationship: name))
                : .condition(!.exists(relationship: name, .constant(true)))
        }
    }
}
