/// Makes a struct a model: a value that any store keeps as one row.
///
/// ```swift
/// @Model
/// public struct FeedSession {
///     public let id: ID
///     public var profile: BabyProfile.ID?
///     public var startTime: Date = .now
///     public var feedType: FeedType?
/// }
/// ```
///
/// Every stored property becomes an attribute, in the order of the struct with `id` first, unless it is
/// marked `@Transient`. Its type must be written out and be one of
/// - a type that Switchyard knows (`AttributeValue`), or an optional of one. Where the type holds fewer
///   numbers than the column, as `Int8` and `Float` do, the schema says so (`NumberDomain`), and no other
///   number gets in;
/// - an enum with a raw value that is `CaseIterable`: its cases become the column's check. Where predicates
///   compare with its cases, it is `Codable`, too: Foundation asks that of all constants of a predicate;
/// - the id of another model, which makes it a to-one relationship;
/// - any other `Codable` value, stored as canonical JSON, but for sets and for dictionaries whose keys are
///   neither text, integers nor `CodingKeyRepresentable`. These have no order, and so no one JSON; a set
///   inside a value of your own is yours to encode sorted.
///
/// The macro writes the conformance to `Model`, a memberwise initialiser, and `ModelVersion`, which is the
/// type around the struct. A reference to a model with another `ModelVersion` does not compile.
///
/// The initialiser has the struct's access level, or that of a property which is less visible and has a type
/// of your own, because the type may be just as hidden. A public initialiser takes defaults from what is
/// public alone. Where a property's is not, declare an initialiser with the same labels in the same order;
/// the macro then writes none:
///
/// ```swift
/// @Model
/// public struct Bottle {
///     public let id: ID
///     public var unit: String = Defaults.unit  // an internal type
///
///     public init(id: ID = ID(), unit: String? = nil) {
///         self.id = id
///         self.unit = unit ?? Defaults.unit
///     }
/// }
/// ```
///
/// A literal of type `Decimal` has the digits that it is written with, in the schema and in the initialiser
/// that the macro writes, where Foundation would make 4.990000000000001024 of `4.99`. An initialiser of your
/// own assigns `Decimal(string: "4.99")!`.
///
/// A default that is a literal, or an enum's case, becomes part of the schema. Any other is evaluated by the
/// initialiser alone, because it need not be the same twice, and a schema's fingerprint must be. `Date.now`
/// and `Double.pi` look alike to a macro, so members of types other than enums count among the others.
@attached(
    member,
    names: named(ID), named(ModelVersion), named(entityName), named(entity), named(attributeName),
    named(init),
    named(encode))
@attached(extension, conformances: Model)
public macro Model() = #externalMacro(module: "SwitchyardMacros", type: "ModelMacro")

/// Says how a stored property of a model is kept.
///
/// ```swift
/// @Attribute(.searchable) var name: String
/// @Attribute(column: "feed_type") var feedType: FeedType?
/// ```
///
/// - Parameters:
///   - options: What the attribute can do besides.
///   - column: The column's name, where it is not the property's: ASCII letters, digits and underscores.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., column: StaticString? = nil) =
    #externalMacro(module: "SwitchyardMacros", type: "AttributeMacro")

/// What an attribute can do besides keeping its value.
public enum AttributeOption: Sendable {
    /// Text can be matched without regard to case and diacritics.
    ///
    /// A folded copy is stored beside it. Searches for text that begins with another, or is the same, are quick
    /// where an index over the attribute is declared; `contains` reads all rows.
    case searchable

    /// Does not compile, and says why.
    @available(
        *, unavailable,
        message: """
            declare a unique attribute as a constraint of the model, beside its properties: '#Unique<Film>([\\.title])'
            """
    )
    public static var unique: AttributeOption { .searchable }
}

/// Leaves a property of a model out of the store; it needs a default.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwitchyardMacros", type: "TransientMacro")

/// Declares a to-many relationship: the rows whose `inverse` points at this one.
///
/// ```swift
/// @Relationship(deleteRule: .nullify, inverse: \FeedSession.profile)
/// var feedSessions: ToMany<FeedSession>
/// ```
///
/// - Parameters:
///   - deleteRule: What becomes of those rows when this one is deleted, written out as a case.
///   - inverse: The to-one on the other side. It must be optional if the rule is `.nullify`.
@attached(accessor)
public macro Relationship(deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath) =
    #externalMacro(module: "SwitchyardMacros", type: "RelationshipMacro")

/// Declares indexes of a model, one for each list of attributes.
///
/// It stands directly in the model's struct; elsewhere, in an extension or in `#if` too, it does not compile.
///
/// ```swift
/// #Index<BabyProfile>([\.name], [\.createdAt, \.name])
/// #Index<FeedSession>([\.profile], where: { $0.endTime == nil })
/// ```
///
/// An index serves conditions on its first attributes and the order of all, ties by the id included. One over
/// a searchable attribute is made twice: with the attribute, and with its folded copy for searches without
/// regard to case.
///
/// - Parameters:
///   - attributes: The attributes of the index, in their order; 30 at most.
///   - filter: The rows that the index holds, written as in a `#Predicate` without calculations; all if there
///     is none. A store without indexes takes no notice.
@freestanding(declaration)
public macro Index<Element: Model>(
    _ attributes: [PartialKeyPath<Element>]..., where filter: ((Element) -> Bool)? = nil
) = #externalMacro(module: "SwitchyardMacros", type: "IndexMacro")

/// Declares unique constraints of a model, one for each list of attributes.
///
/// It stands directly in the model's struct; elsewhere, in an extension or in `#if` too, it does not compile.
///
/// ```swift
/// #Unique<FeedSession>([\.profile, \.startTime])
/// #Unique<FeedSession>([\.profile], where: { $0.endTime == nil })
/// ```
///
/// - Parameters:
///   - attributes: The attributes in which no two rows may all agree.
///   - filter: The rows that the constraint covers, written as in a `#Predicate`; all if there is none.
///   - nilsAreDistinct: Whether two nils count as different, so that any number of rows may have none.
@freestanding(declaration)
public macro Unique<Element: Model>(
    _ attributes: [PartialKeyPath<Element>]..., where filter: ((Element) -> Bool)? = nil,
    nilsAreDistinct: Bool = true
) = #externalMacro(module: "SwitchyardMacros", type: "UniqueMacro")
