import SwiftSyntax

/// A property with storage, as read by `@Model`.
struct StoredProperty {
    /// The name as code spells it, with backticks where it needs them.
    let identifier: String
    /// The name in the schema.
    let name: String
    /// The type.
    let type: PropertyType
    /// The property's default.
    let initialValue: InitialValue?
    /// The column's name, if it differs from the property's.
    let column: String?
    /// Whether it is marked searchable.
    let isSearchable: Bool
    /// What the store's history keeps of it: a case of `AttributeHistory`; nil for everything.
    let history: String?
    /// How edits of it are merged: a case of `MergePolicy` as written; nil for the default.
    let merge: String?
    /// The property's own access level, if its struct does not limit it further.
    let access: Access

    /// The statement that reads the property from a row.
    var reading: String { "self.\(identifier) = try row.read(\(type.text).self)" }

    /// The statement that writes the property to a row.
    var writing: String { "try row.write(self.\(identifier))" }

    /// The parameter of the memberwise initialiser.
    var parameter: String {
        if name == "id" { return "id: ID = ID()" }
        let text = "\(identifier): \(type.text)"
        if let initialValue { return "\(text) = \(initialValue.text)" }
        return type.isOptional ? "\(text) = nil" : text
    }

    /// The arguments of `EntityDeclaration.attribute` that describe the attribute.
    var description: String {
        var arguments = ["\"\(name)\"", "\(isSearchable ? "searchable: " : "")\(type.text).self"]
        if let column { arguments.append("column: \"\(column)\"") }
        switch initialValue?.kind {
        case .constant(let text): arguments.append("default: \(text)")
        case .member(let name): arguments.append("case: \(type.wrapped).\(name)")
        case .memberOfType(let text): arguments.append("case: \(text)")
        case .absent, .computed, nil: break
        }
        return arguments.joined(separator: ", ")
    }
}

/// A to-many property, as read by `@Model`.
struct ToManyProperty {
    /// The name as code spells it.
    let identifier: String
    /// The name in the schema.
    let name: String
    /// The type.
    let type: PropertyType
    /// The name of the inverse.
    let inverseName: String
    /// The key path of the inverse as written.
    let inverse: ExprSyntax
    /// The delete rule's case.
    let deleteRule: String

    /// The arguments of `EntityDeclaration.relationship` that describe the relationship.
    var description: String {
        deleteRule == "nullify"
            ? "\"\(name)\", \(type.text).self, nullifying: \(inverse.trimmed)"
            : "\"\(name)\", \(type.text).self, inverse: \(inverse.trimmed), deleteRule: .\(deleteRule)"
    }
}
