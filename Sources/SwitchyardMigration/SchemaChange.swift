/// One difference between two versions of a schema, and what it takes to carry the rows over.
public struct SchemaChange: Sendable, Hashable {
    /// The entity's name in the newer version; in the older one if it is dropped.
    public let entity: String
    /// The name of the attribute or relationship, or that of the index or constraint; nil for the entity itself.
    public let part: String?
    /// What is different.
    public let kind: Kind
    /// What the stage must say or do, so that no value is lost or invented.
    public let need: Need

    init(_ entity: String, _ part: String? = nil, _ kind: Kind, _ need: Need = .nothing) {
        self.entity = entity
        self.part = part
        self.kind = kind
        self.need = need
    }

    /// What is different.
    public enum Kind: Sendable, Hashable {
        /// The newer version has it.
        case added
        /// Only the older version has it.
        case dropped
        /// The older version has it under another name.
        case renamed(from: String)
        /// The entity's table, or the attribute's column, has another name.
        case stored(from: String, to: String)
        /// The attribute has another type.
        case type(from: AttributeType, to: AttributeType)
        /// The attribute may be nil.
        case optional
        /// The attribute may no longer be nil.
        case required
        /// A new row has another default, or none.
        case defaultValue(from: StoredValue?, to: StoredValue?)
        /// More raw values are allowed, or any.
        case moreCases
        /// Some raw values are no longer allowed; nil if any were.
        case fewerCases([StoredValue]?)
        /// The attribute can hold more numbers.
        case widened
        /// The attribute can hold fewer numbers.
        case narrowed
        /// The attribute refers to another entity, to one for the first time, or to none.
        case reference(from: String?, to: String?)
        /// Whether the text can be searched.
        case searchable(Bool)
        /// An index was added.
        case index
        /// An index was dropped.
        case noIndex
        /// A unique constraint was added.
        case unique
        /// A unique constraint was dropped.
        case notUnique
        /// The to-many has another target or inverse.
        case relationship
        /// The to-many has another delete rule.
        case deleteRule(from: DeleteRule, to: DeleteRule)
        /// The attributes have another order.
        case order
    }

    /// What a stage must say or do besides the two versions.
    public enum Need: Sendable, Hashable {
        /// Nothing: a lightweight stage suffices.
        case nothing
        /// The loss must be declared.
        case declaration
        /// A value is needed for the rows that have none.
        case value
        /// Each value must be converted, or moved by a custom stage.
        case conversion
        /// The stage must say which of several rows with the same values stays.
        case deduplication
    }
}

extension SchemaChange: CustomStringConvertible {
    /// One sentence with the difference and what is needed.
    public var description: String { "\(subject) \(kind.phrase)\(need.phrase)." }

    /// One sentence with the difference.
    public var difference: String { "\(subject) \(kind.phrase)." }

    private var subject: String {
        switch kind {
        case .index, .noIndex, .unique, .notUnique: entity
        default: part.map { "\(entity).\($0)" } ?? entity
        }
    }
}

extension SchemaChange.Kind {
    fileprivate var phrase: String {
        switch self {
        case .added: "is new"
        case .dropped: "is dropped"
        case .renamed(let old): "was called \(old)"
        case .stored(let old, let new): "is stored as \(new) and no longer as \(old)"
        case .type(let old, let new): "has the type \(new.rawValue) and no longer \(old.rawValue)"
        case .optional: "may be nil"
        case .required: "may no longer be nil"
        case .defaultValue(let old, let new):
            "has the default \(new?.literal ?? "none") and no longer \(old?.literal ?? "none")"
        case .moreCases: "allows more cases"
        case .fewerCases(let cases?): "no longer allows \(cases.map(\.literal).joined(separator: ", "))"
        case .fewerCases(nil): "allows only its cases"
        case .widened: "can hold more numbers"
        case .narrowed: "can hold fewer numbers"
        case .reference(let old?, let new?): "refers to \(new) and no longer to \(old)"
        case .reference(nil, let new?): "refers to \(new)"
        case .reference(let old?, nil): "no longer refers to \(old)"
        case .reference(nil, nil): "refers to nothing"
        case .searchable(let isSearchable): isSearchable ? "can be searched" : "can no longer be searched"
        case .index: "has a new index"
        case .noIndex: "loses an index"
        case .unique: "has a new unique constraint"
        case .notUnique: "loses a unique constraint"
        case .relationship: "has another target or inverse"
        case .deleteRule(let old, let new):
            "has the delete rule \(new.rawValue) and no longer \(old.rawValue)"
        case .order: "has its attributes in another order"
        }
    }
}

extension SchemaChange.Need {
    fileprivate var phrase: String {
        switch self {
        case .nothing: ""
        case .declaration: ": its values would be lost; declare the drop, or the new name"
        case .value: ": say which value the rows get that have none"
        case .conversion: ": convert its values, or move them in a custom stage"
        case .deduplication: ": say which of several rows with the same values stays"
        }
    }
}
