/// A stored property of an entity: one column.
public struct Attribute: Sendable, Hashable, Codable {
    /// The property's name in Swift, which conditions and errors use.
    public let name: String
    /// The column's name in the store: the property's name, unless the model renames it.
    public let column: String
    /// The type of the stored values.
    public let type: AttributeType
    /// Whether the attribute may be nil.
    public let isOptional: Bool
    /// The constant default of a new row; nil if there is no default, or if it is evaluated at run time, such as the
    /// current time.
    public let defaultValue: StoredValue?
    /// The allowed raw values of an enum; nil for any other type.
    public let cases: [StoredValue]?
    /// The numbers that the attribute's Swift type can hold, such as -128 to 127 for an `Int8`; nil if it can hold all
    /// numbers of the stored type.
    ///
    /// An enum has `cases` instead.
    public let domain: NumberDomain?
    /// The entity that a to-one relationship refers to; nil for a plain attribute.
    public let reference: String?
    /// Whether text can be searched regardless of case and diacritics.
    ///
    /// A folded copy is stored beside it.
    public let isSearchable: Bool
    /// What the store's history keeps of it: a matter of the process that writes, and not of the schema's structure.
    public package(set) var history: AttributeHistory {
        get { partialHistory ?? .whole }
        set { partialHistory = newValue == .whole ? nil : newValue }
    }
    private var partialHistory: AttributeHistory?
    /// How edits of two devices are merged: a matter of a mirror's server, and not of the schema's structure.
    public package(set) var merge: MergePolicy {
        get { ownMerge ?? .lastEdit }
        set { ownMerge = newValue == .lastEdit ? nil : newValue }
    }
    private var ownMerge: MergePolicy?

    /// Creates an attribute.
    public init(
        _ name: String, column: String? = nil, type: AttributeType, isOptional: Bool = false,
        defaultValue: StoredValue? = nil, cases: [StoredValue]? = nil, domain: NumberDomain? = nil,
        reference: String? = nil, isSearchable: Bool = false, history: AttributeHistory = .whole,
        merge: MergePolicy = .lastEdit
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
        self.history = history
        self.merge = merge
    }

    private enum CodingKeys: String, CodingKey {
        case name, column, type, isOptional, defaultValue, cases, domain, reference, isSearchable
        // Omitted if the history is whole.
        case partialHistory = "history"
        // Omitted if the last edit wins.
        case ownMerge = "merge"
    }

    /// The column that holds the folded copy of a searchable attribute.
    public var searchColumn: String { column + "_search" }

    /// Whether a value of the attribute's type is one of its cases and within its domain.
    ///
    /// Null is always allowed here.
    public func allows(_ value: StoredValue) -> Bool {
        value.isNull || (cases?.contains(value) ?? true) && (domain?.contains(value) ?? true)
    }
}

/// What a store's history keeps of an attribute.
public enum AttributeHistory: String, Sendable, Hashable, Codable {
    /// That it has changed, and the value before.
    case whole
    /// That it has changed; of the values before, only nil.
    case withoutEarlierValues
    /// Nothing.
    case leftOut
}
