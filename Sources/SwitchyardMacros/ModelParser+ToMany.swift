import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelParser {
    /// Reads a property marked `@Relationship`.
    mutating func readToMany(
        _ variable: VariableDeclSyntax, _ attribute: AttributeSyntax, into model: inout ModelDeclaration
    ) {
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
            let type = binding.typeAnnotation.map({ PropertyType($0.type) }), type.lastName == "ToMany",
            !type.isOptional
        else {
            return report(
                variable,
                ModelDiagnostic(
                    "relationshipType",
                    "@Relationship declares a to-many: give the property the type ToMany of the other model; "
                        + "a to-one is a property of type ID and needs no attribute"))
        }
        guard let inverse = attribute.argument("inverse") else {
            return reportMissingInverse(attribute, type: type, model: model)
        }
        guard let path = KeyPathText(inverse), path.root != nil else {
            return report(
                inverse,
                ModelDiagnostic(
                    "inverse",
                    "write the inverse as a key path with its model, such as '\\FeedSession.profile'"))
        }
        let name = pattern.identifier.plainText
        checkName(name, of: "a relationship", at: pattern)
        claim(name, as: "property", at: pattern)
        model.toMany.append(
            ToManyProperty(
                identifier: pattern.identifier.text, name: name, type: type, inverseName: path.property,
                inverse: inverse, deleteRule: readRule(attribute)))
    }

    /// Reports an inverse in the same struct that is a to-many itself, or not optional although the rule is `.nullify`; the
    /// compiler finds the other cases.
    mutating func checkInverses(of model: ModelDeclaration) {
        for relationship in model.toMany where isOwn(relationship, of: model) {
            guard !model.toMany.contains(where: { $0.name == relationship.inverseName }) else {
                report(
                    relationship.inverse,
                    ModelDiagnostic(
                        "manyToMany",
                        "the inverse of a to-many is a reference, not a to-many: for a many-to-many, declare a model for "
                            + "the link, with a reference to each side"))
                continue
            }
            guard relationship.deleteRule == "nullify",
                relationship.inverseName != "id",
                let inverse = model.stored.first(where: { $0.name == relationship.inverseName })?.type,
                model.identifierTypes.contains(inverse.text)
            else { continue }
            let optional = OptionalTypeSyntax(
                wrappedType: inverse.syntax.with(\.trailingTrivia, []),
                trailingTrivia: inverse.syntax.trailingTrivia)
            report(
                inverse.syntax,
                ModelDiagnostic(
                    "requiredInverse",
                    "the delete rule .nullify of '\(relationship.name)' sets '\(relationship.inverseName)' to nil: make it "
                        + "optional, or choose .cascade or .deny"),
                fixIts: [.replacing("make it optional", inverse.syntax, with: optional)])
        }
    }

    /// Whether a to-many consists of rows of its own model.
    private func isOwn(_ relationship: ToManyProperty, of model: ModelDeclaration) -> Bool {
        ["Self", model.identifier].contains(relationship.type.element)
    }

    private mutating func readRule(_ attribute: AttributeSyntax) -> String {
        guard let rule = attribute.argument("deleteRule") else { return "nullify" }
        guard let member = rule.as(MemberAccessExprSyntax.self),
            ["nullify", "cascade", "deny", "noAction"].contains(member.declName.baseName.text)
        else {
            report(
                rule,
                ModelDiagnostic(
                    "deleteRule",
                    "write the delete rule out as '.nullify', '.cascade', '.deny' or '.noAction'"))
            return "nullify"
        }
        return member.declName.baseName.text
    }

    private mutating func reportMissingInverse(
        _ attribute: AttributeSyntax, type: PropertyType, model: ModelDeclaration
    ) {
        let element = type.element ?? "Other"
        let inverse = LabeledExprSyntax(
            label: .identifier("inverse"), colon: .colonToken(trailingTrivia: .space),
            expression: ExprSyntax("\\\(raw: element).<#to-one#>"))
        var fixed = attribute.trimmed
        var arguments = attribute.labeledArguments
        if let last = arguments.indices.last {
            arguments[last].trailingComma = .commaToken(trailingTrivia: .space)
        }
        fixed.leftParen = .leftParenToken()
        fixed.arguments = .argumentList(LabeledExprListSyntax(arguments + [inverse]))
        fixed.rightParen = .rightParenToken()
        fixed.leadingTrivia = attribute.leadingTrivia
        fixed.trailingTrivia = attribute.trailingTrivia
        report(
            attribute,
            ModelDiagnostic(
                "missingInverse",
                "a to-many needs its inverse: the property of \(element) that holds the id of \(model.name)"),
            fixIts: [.replacing("add the inverse", attribute, with: fixed)])
    }

    /// Reports a to-many property without `@Relationship`.
    mutating func reportMissingRelationship(
        _ variable: VariableDeclSyntax, type: PropertyType, name: String, model: ModelDeclaration
    ) {
        let element = type.element ?? "Other"
        let attribute = AttributeSyntax(
            leadingTrivia: variable.leadingTrivia, atSign: .atSignToken(),
            attributeName: IdentifierTypeSyntax(name: .identifier("Relationship")),
            leftParen: .leftParenToken(),
            arguments: .argumentList([
                LabeledExprSyntax(
                    label: .identifier("inverse"), colon: .colonToken(trailingTrivia: .space),
                    expression: ExprSyntax("\\\(raw: element).<#to-one#>"))
            ]), rightParen: .rightParenToken(), trailingTrivia: .space)
        var fixed = variable.with(\.leadingTrivia, [])
        fixed.attributes = AttributeListSyntax([.attribute(attribute)] + Array(fixed.attributes))
        report(
            variable,
            ModelDiagnostic(
                "missingRelationship",
                "'\(name)' is a to-many: mark it @Relationship, naming the property of \(element) that holds the id of "
                    + "\(model.name)"),
            fixIts: [.replacing("mark it @Relationship", variable, with: fixed)])
    }
}

extension PropertyType {
    /// The model in `ToMany<Model>`, as written; nil for other types.
    var element: String? {
        let clause =
            syntax.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? syntax.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.first?.argument.trimmedDescription
    }
}
