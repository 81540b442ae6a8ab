internal import Foundation
public import SwitchyardCore

/// The declaration of how a foreign table is adopted.
public struct AdoptedTable: Sendable {
    let name: String
    /// The entity that its rows become; nil for a table that is left out.
    let entity: String?
    let rules: [Result<ColumnRule, StoreError>]

    /// The rows become those of a model.
    ///
    /// Columns with the names of attributes, ignoring case and underscores, need no declaration.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - model: The model.
    ///   - columns: The declarations of the other columns.
    /// - Returns: What was said.
    public static func table<Element: Model>(
        _ name: String, as model: Element.Type, _ columns: AdoptedColumn<Element>...
    ) -> AdoptedTable {
        AdoptedTable(name: name, entity: model.entityName, rules: columns.map(\.rule))
    }

    /// The rows become those of an entity that no model declares.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - entity: The entity's name.
    ///   - id: The columns that the ids come from; none for the key.
    ///   - unusable: What becomes of a row without a usable value there.
    ///   - ignored: The columns that are left out.
    /// - Returns: What was said.
    package static func table(
        _ name: String, asEntity entity: String, id: [String] = [],
        ifUnusable unusable: UnusableID = .refused,
        ignoring ignored: [String] = []
    ) -> AdoptedTable {
        let rules: [ColumnRule] =
            (id.isEmpty ? [] : [.id(id, unusable, .refused)]) + (ignored.isEmpty ? [] : [.ignored(ignored)])
        return AdoptedTable(name: name, entity: entity, rules: rules.map { .success($0) })
    }

    /// The rows are left out.
    public static func ignored(_ name: String) -> AdoptedTable {
        AdoptedTable(name: name, entity: nil, rules: [])
    }
}

/// The declaration of a column, or of the value of an attribute without one.
public struct AdoptedColumn<Element: Model>: Sendable {
    let rule: Result<ColumnRule, StoreError>

    /// The values become those of an attribute.
    ///
    /// A column of the key can be kept in this way as well.
    public static func column(
        _ name: String, to attribute: PartialKeyPath<Element>, _ form: AdoptedForm = .asIs
    ) -> AdoptedColumn {
        AdoptedColumn(rule: Self.name(of: attribute).map { .value(name, attribute: $0, form) })
    }

    /// Each value, null included, becomes the one that a closure returns.
    ///
    /// - Parameters:
    ///   - name: The column.
    ///   - attribute: The attribute.
    ///   - convert: Returns the new value. An error is reported as a value that cannot be converted. The
    ///     closure is called several times for each row, and must return the same each time.
    /// - Returns: What was said.
    public static func column<Value>(
        _ name: String, to attribute: KeyPath<Element, Value>,
        converting convert: @escaping @Sendable (ForeignValue) throws -> Value
    ) -> AdoptedColumn {
        column(name, to: attribute, AdoptedForm(kind: .custom { try StoredValue.of(convert($0)).get() }))
    }

    /// The values are the key of a row of the table that becomes the model which the attribute refers to.
    public static func reference(
        _ columns: String..., to attribute: PartialKeyPath<Element>,
        whenMissing missing: MissingReference = .refused
    ) -> AdoptedColumn {
        AdoptedColumn(
            rule: name(of: attribute).map { .reference(columns, attribute: $0, missing) })
    }

    /// The values of these columns tell the rows apart, in a table or view without a primary key.
    public static func key(_ columns: String...) -> AdoptedColumn {
        AdoptedColumn(rule: .success(.key(columns)))
    }

    /// The id of a row comes from these columns instead of its key, which references go on to name.
    ///
    /// A single column with a UUID gives the id itself. Other values give an id that is derived from the table's name and
    /// from them, and from nothing else of the database, so that it is the same in each copy of it: of a reference the id of
    /// the row that it leads to counts, and not the key.
    ///
    /// - Parameters:
    ///   - columns: The columns.
    ///   - unusable: What becomes of a row without a value there, or with the same as an earlier row.
    ///   - shared: What becomes of ids that rows of another table have as well.
    /// - Returns: What was said.
    public static func id(
        from columns: String..., ifUnusable unusable: UnusableID = .refused,
        ifShared shared: SharedID = .refused
    ) -> AdoptedColumn {
        AdoptedColumn(rule: .success(.id(columns, unusable, shared)))
    }

    /// An attribute without a column gets the same value in all rows.
    public static func fill<Value>(
        _ attribute: KeyPath<Element, Value>, with value: Value
    ) -> AdoptedColumn {
        AdoptedColumn(
            rule: name(of: attribute).flatMap { name in
                StoredValue.of(value).map { .fill(attribute: name, $0) }
            })
    }

    /// The values are left out.
    public static func ignored(_ columns: String...) -> AdoptedColumn {
        AdoptedColumn(rule: .success(.ignored(columns)))
    }

    private static func name(of attribute: PartialKeyPath<Element>) -> Result<String, StoreError> {
        guard let name = Element.attributeName(of: attribute) else {
            return .failure(
                StoreError(
                    .schemaInvalid,
                    "The adoption names a property of \(Element.entityName) that is not stored.",
                    entity: Element.entityName))
        }
        return .success(name)
    }
}

/// The treatment of a reference to a missing row.
public enum MissingReference: Sendable, Hashable {
    /// The adoption is refused.
    case refused
    /// The attribute, which is optional, becomes nil.
    case orNil
}

/// The treatment of a row whose columns for the id have no value, or the same as an earlier row.
public enum UnusableID: Sendable, Hashable {
    /// The adoption is refused.
    case refused
    /// The id is derived from the row's key, as without such columns.
    case fromKey
}

/// The treatment of ids from columns that rows of another table have as well.
public enum SharedID: Sendable, Hashable {
    /// The adoption is refused.
    case refused
    /// The rows keep them: they are of different entities.
    case kept
}

/// The declared rule for columns or an attribute.
enum ColumnRule: Sendable {
    case value(String, attribute: String, AdoptedForm)
    case reference([String], attribute: String, MissingReference)
    case key([String])
    case id([String], UnusableID, SharedID)
    case fill(attribute: String, StoredValue)
    case ignored([String])

    /// The columns that are named.
    var columns: [String] {
        switch self {
        case .value(let column, _, _): [column]
        case .reference(let columns, _, _), .key(let columns), .id(let columns, _, _), .ignored(let columns):
            columns
        case .fill: []
        }
    }

    /// The attribute that gets its values by this.
    var attribute: String? {
        switch self {
        case .value(_, let attribute, _), .reference(_, let attribute, _), .fill(let attribute, _): attribute
        case .key, .id, .ignored: nil
        }
    }
}
