public import Foundation

// What `#Predicate` makes of `$0.film[\.title]`, where `film` is the typed id of another model. It is a subscript
// and not a property, because the macro makes `build_KeyPath` of every property: a second function of that name
// doubles what the compiler tries for each property of each predicate, and it gives up on six comparisons.

extension PredicateExpressions {
    /// A property of the row that a reference points at; nil where an optional reference is.
    public struct ToOneKeyPath<Root: PredicateExpression, Element: Model, Property, Output>:
        PredicateExpression
    {
        /// The reference.
        public let root: Root
        /// The property of the row at its other end.
        public let keyPath: any Swift.KeyPath<Element, Property> & Sendable

        /// An id has no row in memory.
        ///
        /// - Throws: `unsupported`, always.
        public func evaluate(_ bindings: PredicateBindings) throws -> Output {
            throw StoreError.toOneInMemory
        }
    }

    /// Called by the expansion of `#Predicate` for a property through a reference.
    public static func build_subscript<Root, Element, Property>(
        _ root: Root, _ keyPath: Value<any Swift.KeyPath<Element, Property> & Sendable>
    ) -> ToOneKeyPath<Root, Element, Property, Property> where Root.Output == Identifier<Element> {
        ToOneKeyPath(root: root, keyPath: keyPath.value)
    }

    /// Called by the expansion of `#Predicate` for a property through an optional reference.
    public static func build_subscript<Root, Element, Property>(
        _ root: Root, _ keyPath: Value<any Swift.KeyPath<Element, Property> & Sendable>
    ) -> ToOneKeyPath<Root, Element, Property, Property?> where Root.Output == Identifier<Element>? {
        ToOneKeyPath(root: root, keyPath: keyPath.value)
    }

    /// Called by the expansion of `#Predicate` for an optional property through an optional reference.
    public static func build_subscript<Root, Element, Property>(
        _ root: Root, _ keyPath: Value<any Swift.KeyPath<Element, Property?> & Sendable>
    ) -> ToOneKeyPath<Root, Element, Property?, Property?> where Root.Output == Identifier<Element>? {
        ToOneKeyPath(root: root, keyPath: keyPath.value)
    }
}

extension PredicateExpressions.ToOneKeyPath: Sendable where Root: Sendable {}
extension PredicateExpressions.ToOneKeyPath: StandardPredicateExpression
where Root: StandardPredicateExpression {}

extension PredicateExpressions.ToOneKeyPath: Codable where Root: Codable {
    /// A key path cannot be decoded.
    ///
    /// - Throws: `unsupported`, always.
    public init(from decoder: any Decoder) throws { throw StoreError.keyPathNotCodable }

    /// A key path cannot be encoded.
    ///
    /// - Throws: `unsupported`, always.
    public func encode(to encoder: any Encoder) throws { throw StoreError.keyPathNotCodable }
}

extension PredicateExpressions.ToOneKeyPath: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let reference = try lowering.lower(root)
        if Element.storedName(at: keyPath) == "id" { return reference }
        guard let path = reference.referencePath else {
            throw StoreError.unsupportedExpression(
                "\(keyPath.subject) can be asked for where an attribute refers to a \(Element.entityName). For an "
                    + "id that is captured or chosen, find its row first and capture the value.")
        }
        let value = try Lowered.property(keyPath, of: Element.self)
        // The id of the row itself points at no other row.
        if path == ["id"] { return value }
        let isOptional = Root.Output.self is any OptionalValue.Type
        return .related(
            RelatedValue(path: path, value: value, otherwise: isOptional ? .operand(.value(.null)) : nil))
    }
}

extension Identifier where Entity: Model {
    /// An attribute or relationship of the row that an id points at, in a `#Predicate` only, where it needs no
    /// `try`.
    ///
    /// ```swift
    /// let lent = try tx.fetch(Rental.where(#Predicate { $0.copy[\.film][\.title] == "Alien" }))
    /// ```
    ///
    /// - Throws: `unsupported`, if it is used anywhere else: an id is not its row.
    public subscript<Value>(_ keyPath: KeyPath<Entity, Value>) -> Value {
        get throws { throw StoreError.toOneInMemory }
    }

    /// Does not compile, and says why.
    @available(
        *, unavailable,
        message: """
            an id has no attributes of its row: in a #Predicate ask '$0.film[\\.title]', elsewhere find the row with \
            'tx.find(film)'
            """
    )
    public subscript<Value>(dynamicMember keyPath: KeyPath<Entity, Value>) -> Value? { nil }
}

extension Optional {
    /// An attribute or relationship of the row that an optional id points at, in a `#Predicate` only; nil where
    /// the id is.
    ///
    /// ```swift
    /// let gifts = try tx.fetch(Rental.where(#Predicate { $0.gift[\.title] != "Alien" }))
    /// ```
    ///
    /// - Throws: `unsupported`, if it is used anywhere else: an id is not its row.
    public subscript<Entity: Model, Value>(_ keyPath: KeyPath<Entity, Value>) -> Value?
    where Wrapped == Identifier<Entity> {
        get throws { throw StoreError.toOneInMemory }
    }

    /// An optional attribute of the row that an optional id points at, in a `#Predicate` only; nil where the id or
    /// the attribute is.
    ///
    /// - Throws: `unsupported`, if it is used anywhere else: an id is not its row.
    public subscript<Entity: Model, Value>(_ keyPath: KeyPath<Entity, Value?>) -> Value?
    where Wrapped == Identifier<Entity> {
        get throws { throw StoreError.toOneInMemory }
    }
}

extension StoreError {
    fileprivate static var toOneInMemory: StoreError {
        StoreError(
            .unsupported,
            "An id is not the row that it points at. Find the row, or ask about its attributes in a #Predicate."
        )
    }

    static var keyPathNotCodable: StoreError {
        StoreError(.unsupported, "A predicate about related rows cannot be encoded.")
    }
}
