import SwiftDiagnostics
import SwiftSyntax

/// Reads a struct marked `@Model` and collects what is wrong with it.
struct ModelParser {
    /// The declarations around the struct, innermost first.
    let lexicalContext: [Syntax]
    /// What is wrong with the declaration.
    private(set) var diagnostics: [Diagnostic] = []

    init(lexicalContext: [Syntax]) { self.lexicalContext = lexicalContext }

    /// Reads the declaration; nil if it has an error, which is then among the diagnostics.
    mutating func parse(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> ModelDeclaration? {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            refuse(declaration, attribute: attribute)
            return nil
        }
        if let generics = structure.genericParameterClause {
            report(
                generics,
                ModelDiagnostic("generic", "a model cannot be generic: its entity is one table with fixed columns"))
            return nil
        }
        var model = ModelDeclaration(
            name: structure.name.text, access: access(of: structure), version: version)
        for member in structure.memberBlock.members { read(member.decl, into: &model) }
        checkIdentifier(of: model, in: structure)
        checkConstraints(of: model, in: structure)
        return diagnostics.isEmpty ? model : nil
    }

    mutating func report(_ node: some SyntaxProtocol, _ message: ModelDiagnostic, fixIts: [FixIt] = []) {
        diagnostics.append(Diagnostic(node: node, message: message, fixIts: fixIts))
    }

    private mutating func read(_ member: DeclSyntax, into model: inout ModelDeclaration) {
        if let variable = member.as(VariableDeclSyntax.self) {
            read(variable, into: &model)
        } else if let macro = member.as(MacroExpansionDeclSyntax.self) {
            read(macro, into: &model)
        } else if let initializer = member.as(InitializerDeclSyntax.self) {
            model.initializers.append(
                initializer.signature.parameterClause.parameters.map(\.firstName.plainText))
        } else if let alias = member.as(TypeAliasDeclSyntax.self) {
            model.aliases.insert(alias.name.text)
        }
    }

    /// The access that the conformance's members need: the struct's own, where that must be written out.
    private func access(of structure: StructDeclSyntax) -> String {
        structure.modifiers.first(of: [.public, .package]).map { $0.name.text + " " } ?? ""
    }

    /// The type around the struct, spelled from the outermost.
    private var version: String {
        var names: [String] = []
        for syntax in lexicalContext {
            if let around = syntax.as(ExtensionDeclSyntax.self) {
                return ([around.extendedType.trimmedDescription] + names).joined(separator: ".")
            }
            guard let around = syntax.asProtocol((any NamedDeclSyntax).self),
                syntax.asProtocol((any DeclGroupSyntax).self) != nil
            else { break }
            names.insert(around.name.text, at: 0)
        }
        return names.isEmpty ? "Switchyard.Unversioned" : names.joined(separator: ".")
    }
}
