import SwiftSyntax

extension AttributeSyntax {
    /// The attribute's name without a module prefix.
    var plainName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? ""
    }

    /// The arguments in parentheses.
    var labeledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let list) = arguments else { return [] }
        return Array(list)
    }

    /// The value of a labeled argument; nil if it is not given.
    func argument(_ label: String) -> ExprSyntax? {
        labeledArguments.first { $0.label?.text == label }?.expression
    }
}

extension WithAttributesSyntax {
    /// The declaration's attribute with this name; nil if it has none.
    func attribute(_ name: String) -> AttributeSyntax? {
        attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.plainName == name }
    }
}

extension MacroExpansionDeclSyntax {
    /// Whether it is `#Index` or `#Unique`; other macros in a model are not Switchyard's.
    var isConstraint: Bool { ["Index", "Unique"].contains(macroName.text) }
}

extension DeclModifierListSyntax {
    /// The explicit access level, ignoring that of a setter, if any.
    var access: Access? {
        first { $0.detail == nil && Access($0) != nil }.flatMap(Access.init)
    }

    /// The modifier that is one of these keywords, if any.
    func first(of keywords: Set<Keyword>) -> DeclModifierSyntax? {
        first { modifier in
            guard case .keyword(let keyword) = modifier.name.tokenKind else { return false }
            return keywords.contains(keyword)
        }
    }
}

extension TokenSyntax {
    /// The identifier without backticks.
    var plainText: String {
        text.count > 2 && text.hasPrefix("`") && text.hasSuffix("`")
            ? String(text.dropFirst().dropLast()) : text
    }
}

extension StringLiteralExprSyntax {
    /// Whether the literal has no interpolation.
    var isConstant: Bool { segments.allSatisfy { $0.is(StringSegmentSyntax.self) } }

    /// The text between the quotes, as in the source; nil if it has an interpolation.
    var sourceText: String? {
        isConstant ? segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }.joined() : nil
    }
}

/// A key path literal of one property, such as `\FeedSession.profile` or `\.name`.
struct KeyPathText {
    /// The root's type as written; nil if omitted.
    let root: String?
    /// The property's name, without backticks.
    let property: String

    /// Reads an expression; nil if it is not a key path of one property.
    ///
    /// In `\SchemaV2.FeedSession.profile` the parser takes the first name for the root and the others for
    /// properties. Those before the last one are types if they begin with a capital letter.
    init?(_ expression: ExprSyntax) {
        guard let keyPath = expression.as(KeyPathExprSyntax.self) else { return nil }
        var names: [String] = []
        for component in keyPath.components {
            guard case .property(let property) = component.component else { return nil }
            names.append(property.declName.baseName.plainText)
        }
        guard let last = names.popLast(), names.allSatisfy({ $0.first?.isUppercase == true }) else {
            return nil
        }
        guard let first = keyPath.root?.trimmedDescription else {
            guard names.isEmpty else { return nil }
            root = nil
            property = last
            return
        }
        root = ([first] + names).joined(separator: ".")
        property = last
    }
}
