/// A type of value that a parameter can have.
///
/// Switchyard provides `String`, `Bool`, `Int`, `Double`, `Date`, `Measurement<UnitVolume>`, and every
/// `IntentEnum` and `IntentEntity`.
public protocol IntentValue: IntentParameterValue where Item == Self {
    /// What values of the type look like, for lists and errors.
    static var valueType: IntentValueType { get }

    /// Reads a value from what the caller wrote.
    ///
    /// - Returns: The value, or the several values it could mean.
    /// - Throws: `IntentError` `invalidValue` or `notFound`, with the choices if there are few; errors of the
    ///   store.
    static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Self>

    /// Values to suggest when a person is asked for one; none by default.
    ///
    /// - Throws: Errors of the store.
    static func suggestedValues(in context: IntentContext) async throws -> [Self]

    /// How values appear in one list, where they must be distinguishable.
    static func choices(among values: [Self]) -> [DisplayRepresentation]

    /// How the value appears to people.
    var displayRepresentation: DisplayRepresentation { get }
}

/// What an argument resolved to.
public enum IntentResolution<Value: Sendable>: Sendable {
    /// One value.
    case value(Value)
    /// Several values: the person has to choose one.
    case ambiguous([Value])
}

extension IntentValue {
    /// Suggests nothing.
    public static func suggestedValues(in context: IntentContext) async throws -> [Self] { [] }

    /// The representations of the values themselves.
    public static func choices(among values: [Self]) -> [DisplayRepresentation] {
        values.map(\.displayRepresentation)
    }
}

/// The type of a parameter's property: an `IntentValue` or an optional of one.
public protocol IntentParameterValue: Sendable {
    /// The type of the value, without the optional.
    associatedtype Item: IntentValue

    /// The value of a parameter that was not given; nil if it must be given.
    static var absent: Self? { get }
    /// The property's value for an item.
    static func wrapping(_ item: Item) -> Self
    /// The item, if there is one.
    var item: Item? { get }
}

extension IntentValue {
    /// Nil: the value must be given.
    public static var absent: Self? { nil }
    /// The item itself.
    public static func wrapping(_ item: Self) -> Self { item }
    /// The value itself.
    public var item: Self? { self }
}

extension Optional: IntentParameterValue where Wrapped: IntentValue {
    /// Nil, as the parameter's value.
    public static var absent: Wrapped?? { .some(nil) }
    /// The item itself.
    public static func wrapping(_ item: Wrapped) -> Wrapped? { item }
    /// The optional itself.
    public var item: Wrapped? { self }
}
