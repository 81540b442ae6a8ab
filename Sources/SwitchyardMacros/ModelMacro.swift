import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`, which generates the conformance and its members.
enum ModelMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var parser = ModelParser(lexicalContext: context.lexicalContext)
        let model = parser.parse(declaration, attribute: node)
        for diagnostic in parser.diagnostics { context.diagnose(diagnostic) }
        guard let model else { return [] }
        return parser.diagnostics.isEmpty ? model.members : model.typeAliases
    }

    /// Generates nothing for an invalid model: the member role has already reported the error.
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var parser = ModelParser(lexicalContext: context.lexicalContext)
        guard !protocols.isEmpty, parser.parse(declaration, attribute: node) != nil,
            parser.diagnostics.isEmpty
        else {
            return []
        }
        let conformance: DeclSyntax = "extension \(type.trimmed): nonisolated Switchyard.Model {}"
        return conformance.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}
