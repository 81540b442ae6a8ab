/// The reasons why a property cannot be stored, as types that `EntityDeclaration.add` refuses at compile time.
public enum Refusal {
    /// An enum without `CaseIterable`, or with a raw value that no column can hold.
    public struct Enumeration {}
    /// An integer type that exceeds a signed 64-bit integer.
    public struct WideInteger {}
    /// A floating-point number other than a `Float` or a `Double`.
    public struct FloatingPoint {}
    /// A model where its id belongs.
    public struct Embedded {}
    /// A type that is neither supported directly nor `Codable`.
    public struct NotCodable {}
    /// A collection without an order, whose JSON would differ from one run to the next.
    public struct Unordered {}
    /// A searchable property that is not text.
    public struct NotText {}
    /// A model of another schema version.
    public struct OtherVersion {}
    /// An inverse that cannot become nil.
    public struct RequiredInverse {}
    /// An inverse that does not refer to the owner.
    public struct ForeignInverse {}
    /// An inverse that is a to-many itself.
    public struct ManyToMany {}
}

extension EntityDeclaration {
    /// Refuses an enum that is not `CaseIterable`, or whose raw value is not an `AttributeValue`.
    public func attribute<Value: RawRepresentable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.Enumeration { .init() }

    /// Refuses an optional enum that is not `CaseIterable`, or whose raw value is not an `AttributeValue`.
    public func attribute<Value: RawRepresentable>(
        _ name: String, _: Value?.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.Enumeration { .init() }

    /// Refuses an integer that a signed 64-bit column cannot hold.
    @_disfavoredOverload
    public func attribute<Value: FixedWidthInteger & Codable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.WideInteger { .init() }

    /// Refuses an optional integer that a signed 64-bit column cannot hold.
    @_disfavoredOverload
    public func attribute<Value: FixedWidthInteger & Codable>(
        _ name: String, _: Value?.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.WideInteger { .init() }

    /// Refuses a floating-point type that no column can hold; as JSON, it would be text.
    @_disfavoredOverload
    public func attribute<Value: BinaryFloatingPoint & Codable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.FloatingPoint { .init() }

    /// Refuses an optional floating-point type that no column can hold.
    @_disfavoredOverload
    public func attribute<Value: BinaryFloatingPoint & Codable>(
        _ name: String, _: Value?.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.FloatingPoint { .init() }

    /// Refuses a model; only its id can be stored.
    public func attribute<Target: Model>(
        _ name: String, _: Target.Type, column: String? = nil, default value: Target? = nil,
        case choice: @autoclosure () -> Target? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses an optional model.
    public func attribute<Target: Model>(
        _ name: String, _: Target?.Type, column: String? = nil, default value: Target? = nil,
        case choice: @autoclosure () -> Target? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses an array of models.
    public func attribute<Target: Model>(
        _ name: String, _: [Target].Type, column: String? = nil, default value: [Target]? = nil,
        case choice: @autoclosure () -> [Target]? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses an optional array of models.
    public func attribute<Target: Model>(
        _ name: String, _: [Target]?.Type, column: String? = nil, default value: [Target]? = nil,
        case choice: @autoclosure () -> [Target]? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses a set of models.
    public func attribute<Target: Model>(
        _ name: String, _: Set<Target>.Type, column: String? = nil, default value: Set<Target>? = nil,
        case choice: @autoclosure () -> Set<Target>? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses an optional set of models.
    public func attribute<Target: Model>(
        _ name: String, _: Set<Target>?.Type, column: String? = nil, default value: Set<Target>? = nil,
        case choice: @autoclosure () -> Set<Target>? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses a dictionary of models.
    public func attribute<Key: CodingKeyRepresentable & Codable, Target: Model & Codable>(
        _ name: String, _: [Key: Target].Type, column: String? = nil, default value: [Key: Target]? = nil,
        case choice: @autoclosure () -> [Key: Target]? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses an optional dictionary of models.
    public func attribute<Key: CodingKeyRepresentable & Codable, Target: Model & Codable>(
        _ name: String, _: [Key: Target]?.Type, column: String? = nil, default value: [Key: Target]? = nil,
        case choice: @autoclosure () -> [Key: Target]? = nil
    ) -> Refusal.Embedded { .init() }

    /// Refuses a set.
    public func attribute<Element>(
        _ name: String, _: Set<Element>.Type, column: String? = nil, default value: Set<Element>? = nil,
        case choice: @autoclosure () -> Set<Element>? = nil
    ) -> Refusal.Unordered { .init() }

    /// Refuses an optional set.
    public func attribute<Element>(
        _ name: String, _: Set<Element>?.Type, column: String? = nil, default value: Set<Element>? = nil,
        case choice: @autoclosure () -> Set<Element>? = nil
    ) -> Refusal.Unordered { .init() }

    /// Refuses a dictionary whose keys cannot be those of a JSON object.
    public func attribute<Key, Element>(
        _ name: String, _: [Key: Element].Type, column: String? = nil, default value: [Key: Element]? = nil,
        case choice: @autoclosure () -> [Key: Element]? = nil
    ) -> Refusal.Unordered { .init() }

    /// Refuses an optional dictionary whose keys cannot be those of a JSON object.
    public func attribute<Key, Element>(
        _ name: String, _: [Key: Element]?.Type, column: String? = nil, default value: [Key: Element]? = nil,
        case choice: @autoclosure () -> [Key: Element]? = nil
    ) -> Refusal.Unordered { .init() }

    /// Refuses every type without another overload.
    @_disfavoredOverload
    public func attribute<Value>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.NotCodable { .init() }

    /// Refuses to search anything but text.
    @_disfavoredOverload
    public func attribute<Value>(
        _ name: String, searchable _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Refusal.NotText { .init() }

    /// Refuses a reference to a model of another version.
    public func attribute<Target: Model>(
        _ name: String, _: Identifier<Target>.Type, column: String? = nil,
        case choice: @autoclosure () -> Identifier<Target>? = nil
    ) -> Refusal.OtherVersion { .init() }

    /// Refuses an optional reference to a model of another version.
    public func attribute<Target: Model>(
        _ name: String, _: Identifier<Target>?.Type, column: String? = nil,
        case choice: @autoclosure () -> Identifier<Target>? = nil
    ) -> Refusal.OtherVersion { .init() }

    /// Refuses a to-many to a model of another version.
    public func relationship<Element: Model>(
        _ name: String, _: ToMany<Element>.Type, nullifying inverse: KeyPath<Element, Identifier<Owner>?>
    ) -> Refusal.OtherVersion { .init() }

    /// Refuses to nullify an inverse that cannot become nil.
    public func relationship<Element: Model>(
        _ name: String, _: ToMany<Element>.Type, nullifying inverse: KeyPath<Element, Identifier<Owner>>
    ) -> Refusal.RequiredInverse { .init() }

    /// Refuses two to-many relationships that are each other's inverse.
    public func relationship<Element: Model, Other: Model>(
        _ name: String, _: ToMany<Element>.Type, nullifying inverse: KeyPath<Element, ToMany<Other>>
    ) -> Refusal.ManyToMany { .init() }

    /// Refuses two to-many relationships that are each other's inverse.
    public func relationship<Element: Model, Other: Model>(
        _ name: String, _: ToMany<Element>.Type, inverse: KeyPath<Element, ToMany<Other>>,
        deleteRule: DeleteRule
    ) -> Refusal.ManyToMany { .init() }

    /// Refuses an inverse that refers to another model.
    @_disfavoredOverload
    public func relationship<Element: Model, Value>(
        _ name: String, _: ToMany<Element>.Type, nullifying inverse: KeyPath<Element, Value>
    ) -> Refusal.ForeignInverse { .init() }

    /// Refuses an inverse that refers to another model or to another version.
    @_disfavoredOverload
    public func relationship<Element: Model, Value>(
        _ name: String, _: ToMany<Element>.Type, inverse: KeyPath<Element, Value>, deleteRule: DeleteRule
    ) -> Refusal.ForeignInverse { .init() }
}

extension EntityDeclaration {
    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            an enum is stored by its raw value, which must be text or an integer, and its cases are the column's check: \
            conform it to CaseIterable, or store its raw value instead
            """
    )
    public mutating func add(_: Refusal.Enumeration) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            a column holds a signed integer of 64 bits, which this type does not fit: store an Int64, a Decimal or text, \
            as the meaning asks
            """
    )
    public mutating func add(_: Refusal.WideInteger) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: "a column holds a Float or a Double, and not this type of number: store one of them"
    )
    public mutating func add(_: Refusal.FloatingPoint) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            a model is referred to, not embedded: store its id, as in 'var baby: Baby.ID?' for a 'Baby'; many are a \
            'ToMany<Baby>' marked @Relationship
            """
    )
    public mutating func add(_: Refusal.Embedded) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message:
            "a stored property needs a type that Switchyard knows, an enum with a raw value, or a Codable value"
    )
    public mutating func add(_: Refusal.NotCodable) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            a set, or a dictionary whose keys are neither text nor integers, has no order, so that equal values would be \
            stored as different JSON: store a sorted array, or conform the key to CodingKeyRepresentable
            """
    )
    public mutating func add(_: Refusal.Unordered) {}

    /// Unavailable: the compiler says why.
    @available(*, unavailable, message: "only text can be searchable: a property of type String or String?")
    public mutating func add(_: Refusal.NotText) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            a model can refer only to models of its own schema version: declare the other one anew in this version's \
            namespace
            """
    )
    public mutating func add(_: Refusal.OtherVersion) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            the delete rule .nullify sets the inverse to nil: make the inverse optional, or choose .cascade or .deny
            """
    )
    public mutating func add(_: Refusal.RequiredInverse) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message:
            "the inverse of a to-many must refer to the model that declares it, in the same schema version"
    )
    public mutating func add(_: Refusal.ForeignInverse) {}

    /// Unavailable: the compiler says why.
    @available(
        *, unavailable,
        message: """
            the inverse of a to-many is a reference, not a to-many: for a many-to-many, declare a model for the link, with \
            a reference to each side
            """
    )
    public mutating func add(_: Refusal.ManyToMany) {}
}
