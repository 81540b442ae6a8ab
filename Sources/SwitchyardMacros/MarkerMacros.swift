import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`, which `@Model` reads; the macro itself adds nothing.
enum AttributeMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// `@Transient`, which `@Model` reads; the macro itself adds nothing.
enum TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// `#Index`, which `@Model` reads; the macro itself only checks that it is inside a model.
enum IndexMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        context.checkPlace(of: node)
        return []
    }
}

/// `#Unique`, which `@Model` reads; the macro itself only checks that it is inside a model.
enum UniqueMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        context.checkPlace(of: node)
        return []
    }
}

extension MacroExpansionContext {
    /// Reports an index or a constraint that `@Model` does not see, or that it would attribute to another model.
    fileprivate func checkPlace(of node: some FreestandingMacroExpansionSyntax) {
        let macro = node.macroName.text
        guard let structure = lexicalContext.first?.as(StructDeclSyntax.self),
            structure.attribute("Model") != nil
        else {
            return diagnose(
                Diagnostic(
                    node: node,
                    message: ModelDiagnostic(
                        "misplacedConstraint",
                        "#\(macro) has an effect only directly in the struct of its model, which is marked "
                            + "@Model")))
        }
        let name = structure.name.text
        if case .type(let model) = node.genericArgumentClause?.arguments.first?.argument,
            ["Self", structure.name.plainText].contains(PropertyType(model).lastName)
        {
            return
        }
        diagnose(
            Diagnostic(
                node: node,
                message: ModelDiagnostic(
                    "foreignConstraint",
                    "#\(macro) is in the struct of \(name), so it applies to \(name): write "
                        + "'#\(macro)<\(name)>', or move it to the struct of its model")))
    }
}
