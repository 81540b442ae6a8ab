public import Foundation

// The expression behind `$0.film[\.title]`, where `film` is the typed id of another model. It is a subscript rather
// than a property: the macro turns every property into `build_KeyPath`, and a second function of that name doubles the
// overloads that the compiler tries for each property of each predicate, until it gives up at six comparisons.

extension PredicateExpressions {
    /// A property of the row that a reference points to; nil if an optional reference is nil.
    public struct ToOneKeyPath<Root: PredicateExpression, Element: Model, Property, Output>:
        PredicateExpression
    {
        /// The reference.
        public let root: Root
        /// The property of the row that it points to.
        public let keyPath: any Swift.KeyPath<Element, Property> & Sendable

        /// Always throws, because an id has no row in memory.
        ///
        /// - Throws: `unsupported`.
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
    /// Always throws, because a key path cannot be decoded.
    ///
    /// - Throws: `unsupported`.
    public init(from decoder: any Decoder) throws { throw StoreError.keyPathNotCodable }

    /// Always throws, because a key path cannot be encoded.
    ///
    /// - Throws: `unsupported`.
    public func encode(to encoder: any Encoder) throws { throw StoreError.keyPathNotCodable }
}

extension PredicateExpressions.ToOneKeyPath: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let reference = try lowering.lower(root)
        if Element.storedName(at: keyPath) == "id" { return reference }
        guard let path = reference.referencePath else {
            throw StoreError.unsupportedExpression(
                "\(keyPath.subject) can only be used through an attribute that refers to a \(Element.entityName). For "
                    + "a captured or calculated id, find its row first and capture the value.")
        }
        let value = try Lowered.property(keyPath, of: Element.self)
        // The row's own id does not refer to another row.
        if path == ["id"] { return value }
        let isOptional = Root.Output.self is any OptionalValue.Type
        return .related(
            RelatedValue(path: path, value: value, otherwise: isOptional ? .operand(.value(.null)) : nil))
    }
}

extension Identifier where Row: Model {
    /// An attribute or relationship of the row that an id points to, for use in a `#Predicate`, where it needs no
    /// `try`.
    ///
    /// ```swift
    /// let lent = try tx.fetch(Rental.where(#Predicate { $0.copy[\.film][\.title] == "Alien" }))
    /// ```
    ///
    /// - Throws: `unsupported` if it is used anywhere else: an id is not its row.
    public subscript<Value>(_ keyPath: KeyPath<Row, Value>) -> Value {
        get throws { throw StoreError.toOneInMemory }
    }
}

extension Optional {
    /// An attribute or relationship of the row that an optional id points to, for use in a `#Predicate`; nil if the id
    /// is nil.
    ///
    /// ```swift
    /// let gifts = try tx.fetch(Rental.where(#Predicate { $0.gift[\.title] != "Alien" }))
    /// ```
    ///
    /// - Throws: `unsupported` if it is used anywhere else: an id is not its row.
    public subscript<Entity: Model, Value>(_ keyPath: KeyPath<Entity, Value>) -> Value?
    where Wrapped == Identifier<Entity> {
        get throws { throw StoreError.toOneInMemory }
    }

    /// An optional attribute of the row that an optional id points to, for use in a `#Predicate`; nil if the id or the
    /// attribute is nil.
    ///
    /// - Throws: `unsupported` if it is used anywhere else: an id is not its row.
    public subscript<Entity: Model, Value>(_ keyPath: KeyPath<Entity, Value?>) -> Value?
    where Wrapped == Identifier<Entity> {
        get throws { throw StoreError.toOneInMemory }
    }
}

extension StoreError {
    fileprivate static var toOneInMemory: StoreError {
        StoreError(
            .unsupported,
            "An id is not the row that it points to. Find the row, or use its attributes in a #Predicate."
        )
    }

    static var keyPathNotCodable: StoreError {
        StoreError(.unsupported, "A predicate about related rows cannot be encoded.")
    }
}
