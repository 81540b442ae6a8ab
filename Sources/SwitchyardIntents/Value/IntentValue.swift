/// A type whose values a parameter can take.
///
/// Switchyard's own are `String`, `Bool`, `Int`, `Double`, `Date`, `Measurement<UnitVolume>`, and every
/// `IntentEnum` and `IntentEntity`.
public protocol IntentValue: IntentParameterValue where Item == Self {
    /// What values of the type look like, for lists and errors.
    static var valueType: IntentValueType { get }

    /// Reads a value from what the caller wrote.
    ///
    /// - Returns: The value, or several of which one was meant.
    /// - Throws: `IntentError` `invalidValue` or `notFound`, with the choices if there are few; errors of the
    ///   store.
    static func resolve(
        _ argument: IntentArgument, in context: IntentContext
    ) async throws -> IntentResolution<Self>

    /// Values to offer when one is asked for; none, unless given.
    ///
    /// - Throws: Errors of the store.
    static func suggestedValues(in context: IntentContext) async throws -> [Self]

    /// How values look side by side, told apart from each other.
    static func choices(among values: [Self]) -> [DisplayRepresentation]

    /// How the value looks to people.
    var displayRepresentation: DisplayRepresentation { get }
}

/// What an argument turned out to mean.
public enum IntentResolution<Value: Sendable>: Sendable {
    /// One value.
    case value(Value)
    /// One of several values: the person has to say which.
    case ambiguous([Value])
}

extension IntentValue {
    /// None.
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
    /// There is none: the value must be given.
    public static var absent: Self? { nil }
    /// The item itself.
    public static func wrapping(_ item: Self) -> Self { item }
    /// The value itself.
    public var item: Self? { self }
}

extension Optional: IntentParameterValue where Wrapped: IntentValue {
    /// Nil.
    public static var absent: Wrapped?? { .some(nil) }
    /// The item itself.
    public static func wrapping(_ item: Wrapped) -> Wrapped? { item }
    /// The optional itself.
    public var item: Wrapped? { self }
}
