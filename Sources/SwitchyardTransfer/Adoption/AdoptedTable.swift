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

/// The declared rule for columns or an attribute.
enum ColumnRule: Sendable {
    case value(String, attribute: String, AdoptedForm)
    case reference([String], attribute: String, MissingReference)
    case key([String])
    case fill(attribute: String, StoredValue)
    case ignored([String])

    /// The columns that are named.
    var columns: [String] {
        switch self {
        case .value(let column, _, _): [column]
        case .reference(let columns, _, _), .key(let columns), .ignored(let columns): columns
        case .fill: []
        }
    }

    /// The attribute that gets its values by this.
    var attribute: String? {
        switch self {
        case .value(_, let attribute, _), .reference(_, let attribute, _), .fill(let attribute, _): attribute
        case .key, .ignored: nil
        }
    }
}
