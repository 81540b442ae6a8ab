/// A stored property of an entity: one column.
public struct Attribute: Sendable, Hashable, Codable {
    /// The property's name in Swift, by which conditions and errors refer to it.
    public let name: String
    /// The column's name in the store: the same, unless the model renames it.
    public let column: String
    /// The type of the stored values.
    public let type: AttributeType
    /// Whether the attribute may be nil.
    public let isOptional: Bool
    /// The constant that a new row takes when none is given; nil if there is none or if it is worked out at
    /// run time, such as the present time.
    public let defaultValue: StoredValue?
    /// The raw values that are allowed, for an enum; nil if all are.
    public let cases: [StoredValue]?
    /// The numbers that the attribute's Swift type can hold; nil if it holds all of the stored type.
    ///
    /// An `Int8` takes -128 to 127, for example. An enum has `cases` instead.
    public let domain: NumberDomain?
    /// The entity that a to-one relationship points at; nil for a plain attribute.
    public let reference: String?
    /// Whether text can be searched without regard to case and diacritics.
    ///
    /// A folded copy is stored beside it.
    public let isSearchable: Bool

    /// Describes an attribute.
    public init(
        _ name: String, column: String? = nil, type: AttributeType, isOptional: Bool = false,
        defaultValue: StoredValue? = nil, cases: [StoredValue]? = nil, domain: NumberDomain? = nil,
        reference: String? = nil, isSearchable: Bool = false
    ) {
        self.name = name
        self.column = column ?? name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.cases = cases
        self.domain = domain
        self.reference = reference
        self.isSearchable = isSearchable
    }

    /// The column that holds the folded copy of a searchable attribute.
    public var searchColumn: String { column + "_search" }

    /// Whether a value of the attribute's type is one of its cases and within its domain; null is neither
    /// refused nor required here.
    public func allows(_ value: StoredValue) -> Bool {
        value.isNull || (cases?.contains(value) ?? true) && (domain?.contains(value) ?? true)
    }
}
