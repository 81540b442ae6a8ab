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
        guard let model = parser.parse(declaration, attribute: node), parser.diagnostics.isEmpty else {
            return []
        }
        return protocols.compactMap { conformance(of: type, to: $0, model: model) }
    }

    /// The extension that makes a model conform to one protocol, in the order in which the declaration of
    /// `@Model` names them; nothing for a protocol that the struct already conforms to, which the compiler
    /// leaves out.
    private static func conformance(
        of type: some TypeSyntaxProtocol, to conformance: TypeSyntax, model: ModelDeclaration
    ) -> ExtensionDeclSyntax? {
        let name = PropertyType(conformance).lastName ?? ""
        let declaration: DeclSyntax? =
            switch name {
            case "Model": "extension \(type.trimmed): nonisolated Switchyard.Model {}"
            // The conformance is explicit, although a model is Sendable: the compiler loses one that follows
            // from another conformance of a macro if it first sees the model from another file.
            case "Sendable": "extension \(type.trimmed): Swift.Sendable {}"
            case "Encodable": "extension \(type.trimmed): nonisolated Swift.Encodable {\(model.encoding)}"
            case "Decodable": "extension \(type.trimmed): nonisolated Swift.Decodable {\(model.decoding)}"
            default: nil
            }
        return declaration?.as(ExtensionDeclSyntax.self)
    }
}
