/// Makes a struct a model: a value that any store can keep as a row.
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
/// Every stored property becomes an attribute, in the order of the struct with `id` first, unless it is marked
/// `@Transient`. Its type must be written out and be one of
/// - a type that Switchyard supports directly (`AttributeValue`), or an optional of one. If the type holds fewer
///   numbers than the column, as `Int8` and `Float` do, the schema records it (`NumberDomain`), and other numbers are
///   refused;
/// - an enum with a raw value that is `CaseIterable`: its cases become the column's check. If predicates compare with
///   its cases, it must also be `Codable`, as Foundation requires of all constants in a predicate;
/// - the id of another model, which makes the property a to-one relationship;
/// - any other `Codable` value, stored as canonical JSON, except sets and dictionaries whose keys are not text,
///   integers or `CodingKeyRepresentable`. These have no order, and so no canonical JSON; if a value of your own
///   contains a set, encode it sorted.
///
/// The macro generates the conformance to `Model`, a memberwise initializer, and `ModelVersion`, which is the type
/// around the struct. A reference to a model with another `ModelVersion` does not compile.
///
/// A model that does not declare `Codable` becomes so, too, because Foundation requires it of everything that a
/// predicate captures, as `list` in `#Predicate { $0.list == list.id }`. The encoded form has the attributes by their
/// names and is made for archives; for files that others read, declare `Codable` yourself.
///
/// The initializer has the struct's access level, or that of a less visible property with a type of your own, because
/// the type may be just as hidden. A public initializer can only use public defaults. If a default is not public,
/// declare an initializer with the same labels in the same order; the macro then generates none:
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
/// A literal of type `Decimal` keeps the digits that it is written with, in the schema and in the generated
/// initializer, where Foundation would turn `4.99` into 4.990000000000001024. In an initializer of your own, assign
/// `Decimal(string: "4.99")!`.
///
/// A default that is a literal or an enum's case becomes part of the schema. Any other default is only evaluated by the
/// initializer, because it may differ from call to call, and a schema's fingerprint must not. `Date.now` and
/// `Double.pi` look alike to a macro, so members of types other than enums are also left to the initializer.
///
/// - Parameter options: What is special about the rows of this model.
@attached(
    member,
    names: named(ID), named(ModelVersion), named(entityName), named(entity), named(attributeName),
    named(init),
    named(encode))
@attached(
    extension, conformances: Model, Sendable, Codable, names: named(encode), named(init))
public macro Model(_ options: ModelOption...) = #externalMacro(module: "SwitchyardMacros", type: "ModelMacro")

/// Something special about the rows of a model.
public enum ModelOption: Sendable {
    /// The store's history tells nothing of the rows, such as those of a cache; see `AttributeOption.withoutHistory`.
    case withoutHistory

    /// What an edit of a row does on a mirror's server if the row was deleted meanwhile; `.delete` by default.
    ///
    /// <doc:ChoosingAMergePolicy>
    case merge(DeletedRowPolicy)
}

/// Configures how a stored property of a model is stored.
///
/// ```swift
/// @Attribute(.searchable) var name: String
/// @Attribute(.withoutHistory) var lastSeen: Date?
/// @Attribute(.merge(.counter)) var plays: Int = 0
/// @Attribute(column: "feed_type") var feedType: FeedType?
/// ```
///
/// - Parameters:
///   - options: Additional capabilities of the attribute.
///   - column: The column's name, if it differs from the property's: ASCII letters, digits and underscores.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., column: StaticString? = nil) =
    #externalMacro(module: "SwitchyardMacros", type: "AttributeMacro")

/// An additional capability of an attribute.
public enum AttributeOption: Sendable {
    /// Text can be searched regardless of case and diacritics.
    ///
    /// A folded copy is stored beside it, `$0.name[\.folded]` in a predicate. With an index over the attribute, searches
    /// for equal text (`==`) and for prefixes (`starts(with:)`) in it are fast; `localizedStandardContains(_:)` reads all
    /// rows.
    case searchable

    /// The store's history tells nothing of the attribute: an update of it alone leaves no change.
    ///
    /// It is not undone, either. A row that comes back because its delete is undone has nil there, or else the declared
    /// default; without one, the undo is refused with `earlierValueNotKept`.
    case withoutHistory

    /// The store's history tells that the attribute has changed, but keeps no value before, unless that was nil: for
    /// values that are large, such as photos.
    ///
    /// A change of it can only be undone if it was nil before; otherwise the undo is refused with
    /// `earlierValueNotKept`, and so is that of a delete.
    case withoutEarlierValues

    /// How a mirror's server merges two edits that did not see each other; `.lastEdit` by default.
    ///
    /// It has no effect on the store itself, and changing it needs no new schema version. <doc:ChoosingAMergePolicy>
    case merge(MergePolicy)

    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            declare a unique attribute as a constraint of the model, beside its properties: '#Unique<Film>([\\.title])'
            """
    )
    public static var unique: AttributeOption { .searchable }
}

/// Excludes a property of a model from the store. The property needs a default.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwitchyardMacros", type: "TransientMacro")

/// Declares a to-many relationship: the rows whose `inverse` refers to this one.
///
/// ```swift
/// @Relationship(deleteRule: .nullify, inverse: \FeedSession.profile)
/// var feedSessions: ToMany<FeedSession>
/// ```
///
/// - Parameters:
///   - deleteRule: What happens to the related rows when this row is deleted. Must be a literal case.
///   - inverse: The to-one on the other side. It must be optional if the rule is `.nullify`. Two to-many relationships
///     cannot be each other's inverse, which the compiler reports as a circular reference: declare a model for the link,
///     with a reference to each side.
@attached(accessor)
public macro Relationship(deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath) =
    #externalMacro(module: "SwitchyardMacros", type: "RelationshipMacro")

/// Declares indexes of a model, one for each list of attributes.
///
/// Write it directly in the model's struct. It does not compile anywhere else, such as in an extension or inside `#if`.
///
/// ```swift
/// #Index<BabyProfile>([\.name], [\.createdAt, \.name])
/// #Index<FeedSession>([\.profile], where: { $0.endTime == nil })
/// ```
///
/// An index serves conditions on its leading attributes, and sorting by all of them with ties broken by the id. If an
/// attribute is searchable, a second index over its folded copy is created for searches that ignore case.
///
/// - Parameters:
///   - attributes: The attributes of the index, in their order; at most 30.
///   - filter: The rows to include, written as in a `#Predicate` without calculations; all rows by default. A store
///     without indexes ignores it.
@freestanding(declaration)
public macro Index<Element: Model>(
    _ attributes: [PartialKeyPath<Element>]..., where filter: ((Element) -> Bool)? = nil
) = #externalMacro(module: "SwitchyardMacros", type: "IndexMacro")

/// Declares unique constraints of a model, one for each list of attributes.
///
/// Write it directly in the model's struct. It does not compile anywhere else, such as in an extension or inside `#if`.
///
/// ```swift
/// #Unique<FeedSession>([\.profile, \.startTime])
/// #Unique<FeedSession>([\.profile], where: { $0.endTime == nil })
/// #Unique<Tag>([\.name], merge: .mergeInto)
/// ```
///
/// - Parameters:
///   - attributes: The attributes whose values, taken together, no two rows may share.
///   - filter: The rows that the constraint covers, written as in a `#Predicate`; all rows by default.
///   - nilsAreDistinct: Whether two nils count as different, so that any number of rows may have nil.
///   - policy: What a mirror's server does with a row whose key another device has taken meanwhile. The store itself
///     always refuses a taken key. <doc:ChoosingAMergePolicy>
@freestanding(declaration)
public macro Unique<Element: Model>(
    _ attributes: [PartialKeyPath<Element>]..., where filter: ((Element) -> Bool)? = nil,
    nilsAreDistinct: Bool = true, merge policy: UniqueKeyPolicy = .reject
) = #externalMacro(module: "SwitchyardMacros", type: "UniqueMacro")
