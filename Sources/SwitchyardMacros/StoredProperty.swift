import SwiftSyntax

/// A property with storage, as `@Model` read it.
struct StoredProperty {
    /// The name as code spells it, with backticks where it needs them.
    let identifier: String
    /// The name that the schema has.
    let name: String
    /// The type.
    let type: PropertyType
    /// What the property is when nothing else is given.
    let initialValue: InitialValue?
    /// The column, where it has another name than the property.
    let column: String?
    /// Whether it is marked searchable.
    let isSearchable: Bool
    /// How visible it is, if its struct is.
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

    /// The arguments that describe the attribute to `EntityDeclaration.attribute`.
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

/// A to-many property, as `@Model` read it.
struct ToManyProperty {
    /// The name as code spells it.
    let identifier: String
    /// The name that the schema has.
    let name: String
    /// The type.
    let type: PropertyType
    /// The name of the inverse.
    let inverseName: String
    /// The key path of the inverse as written.
    let inverse: String
    /// The delete rule's case.
    let deleteRule: String

    /// The arguments that describe the relationship to `EntityDeclaration.relationship`.
    var description: String {
        deleteRule == "nullify"
            ? "\"\(name)\", \(type.text).self, nullifying: \(inverse)"
            : "\"\(name)\", \(type.text).self, inverse: \(inverse), deleteRule: .\(deleteRule)"
    }
}
