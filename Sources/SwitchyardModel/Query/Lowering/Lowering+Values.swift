internal import Foundation

extension PredicateExpressions.Variable: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered { try lowering.meaning(of: key) }
}

extension PredicateExpressions.Value: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try Lowered.requireExactDecimals(value)
        return .captured(value)
    }
}

extension Lowered {
    /// Refuses constants of type Decimal whose literals Swift has misread.
    ///
    /// A property of a captured value is not a literal, so its digits are what the app has computed.
    fileprivate static func requireExactDecimals(_ value: Any) throws {
        switch value {
        case let decimal as Decimal: try StoreError.requireExact(decimal)
        // Most values end here. The first search for a conformance that a type does not have takes longest.
        case is any AttributeValue: break
        case let optional as any OptionalValue: try optional.wrapped.map(requireExactDecimals)
        case let range as any BoundedRange:
            for case .captured(let bound) in [range.loweredRange.lower, range.loweredRange.upper] {
                try requireExactDecimals(bound)
            }
        case let list as any Collection: try requireExactDecimals(in: list)
        default: break
        }
    }

    /// Checks the elements of a list of decimals; any other list is ignored.
    private static func requireExactDecimals<List: Collection>(in list: List) throws {
        guard List.Element.self == Decimal.self || List.Element.self == Decimal?.self else { return }
        for element in list { try requireExactDecimals(element) }
    }
}

extension PredicateExpressions.NilLiteral: LowerableExpression {
    func lowered(_ lowering: inout Lowering) -> Lowered { .operand(.value(.null)) }
}

extension PredicateExpressions.KeyPath: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        try lowering.lower(root).map { root in
            switch root {
            case .row(let model): return try .property(keyPath, of: model)
            case .captured(let value):
                guard let value = value as? Root.Output else { throw unsupported }
                return .captured(value[keyPath: keyPath])
            case .operand(let operand, let guards):
                return try property(of: operand, guards: guards)
            default: throw unsupported
            }
        }
    }

    /// Lowers the few properties of a value that every backend can compute.
    private func property(of operand: Operand, guards: [Condition]) throws -> Lowered {
        if keyPath == \String.isEmpty {
            return .condition(.guarded(guards, .compare(operand, .equal, .value(.text("")))))
        }
        if Root.Output.self is any TypedIdentifier.Type, Output.self == UUID.self {
            return .operand(operand, guards: guards)
        }
        if let type = Root.Output.self as? any Enumeration.Type, givesRawValue(of: type) {
            return .operand(operand, guards: guards)
        }
        throw unsupported
    }

    /// Whether the property is the raw value of every case of an enum.
    ///
    /// The values are compared, because a key path to a type's own `rawValue` does not equal the protocol's.
    private func givesRawValue<Case: Enumeration>(of _: Case.Type) -> Bool {
        guard let rawValue = keyPath as? Swift.KeyPath<Case, Case.RawValue> else { return false }
        return Case.allCases.allSatisfy { choice in
            (try? StoredValue.of(choice.rawValue).get())
                == (try? StoredValue.of(choice[keyPath: rawValue]).get())
        }
    }

    private var unsupported: StoreError {
        .unsupportedExpression(
            "\(keyPath.subject) cannot be used in a query as a property of a stored value; compare the attribute "
                + "itself.")
    }
}

extension Lowered {
    /// An attribute or to-many relationship of a row.
    static func property(_ keyPath: AnyKeyPath, of model: any Model.Type) throws -> Lowered {
        guard let name = model.attributeName(ofErased: keyPath) else {
            throw StoreError(
                .unsupported,
                "\(keyPath.subject) is not a stored attribute; only those can be used in a query, by the model's "
                    + "own name and not by a protocol's.", entity: model.entityName)
        }
        return type(of: keyPath).valueType is any ToManyRelationship.Type
            ? .toMany(name) : .operand(.attribute(name))
    }
}

/// The ids of all entities; their only property of type UUID is the stored value.
private protocol TypedIdentifier {}
extension Identifier: TypedIdentifier {}

/// Enums with raw values of any type.
private typealias Enumeration = RawRepresentable & CaseIterable

/// To-many relationships with elements of any type.
private protocol ToManyRelationship {}
extension ToMany: ToManyRelationship {}

extension Model {
    static func attributeName(ofErased keyPath: AnyKeyPath) -> String? {
        (keyPath as? PartialKeyPath<Self>).flatMap { storedName(at: $0) }
    }
}
