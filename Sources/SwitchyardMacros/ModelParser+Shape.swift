import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelParser {
    /// Reports a class, an enum or an actor.
    mutating func refuse(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) {
        let message = ModelDiagnostic("notAStruct", "@Model needs a struct: models are values")
        guard let found = declaration.as(ClassDeclSyntax.self) else { return report(attribute, message) }
        let keyword = found.classKeyword
        report(
            keyword, message,
            fixIts: [
                .replacing(
                    "make it a struct", keyword, with: keyword.with(\.tokenKind, .keyword(.struct)))
            ])
    }

    /// Reports a struct that is generic, or nested in something generic.
    mutating func isGeneric(_ structure: StructDeclSyntax) -> Bool {
        let clauses =
            [structure.genericParameterClause]
            + lexicalContext.map {
                $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
            }
        guard let clause = clauses.compactMap(\.self).first else { return false }
        let message = ModelDiagnostic(
            "generic", "a model cannot be generic, or inside a generic type: its entity is one table")
        if structure.genericParameterClause == nil {
            report(structure.name, message)
        } else {
            report(clause, message)
        }
        return true
    }

    /// Reports a private model: its extension is at file scope, where a type's private members are not visible.
    mutating func checkAccess(of structure: StructDeclSyntax) {
        guard !lexicalContext.isEmpty, let modifier = structure.modifiers.first(of: [.private]) else {
            return
        }
        let keyword = modifier.name
        report(
            modifier,
            ModelDiagnostic("private", "a model inside another type must be at least 'fileprivate'"),
            fixIts: [
                .replacing(
                    "make it 'fileprivate'", keyword, with: keyword.with(\.tokenKind, .keyword(.fileprivate)))
            ])
    }

    /// Reports stored properties, indexes and constraints inside `#if`.
    mutating func checkConditional(_ condition: IfConfigDeclSyntax) {
        for clause in condition.clauses {
            guard case .decls(let members) = clause.elements else { continue }
            for member in members {
                if let nested = member.decl.as(IfConfigDeclSyntax.self) { checkConditional(nested) }
                if let macro = member.decl.as(MacroExpansionDeclSyntax.self), macro.isConstraint {
                    report(
                        macro,
                        ModelDiagnostic(
                            "conditionalConstraint",
                            "#\(macro.macroName.text) cannot depend on '#if': an entity has the same indexes and "
                                + "constraints in every build"))
                }
                guard let variable = member.decl.as(VariableDeclSyntax.self),
                    variable.modifiers.first(of: [.static]) == nil, variable.attribute("Transient") == nil,
                    variable.bindings.contains(where: { !$0.isComputed })
                else { continue }
                report(
                    variable,
                    ModelDiagnostic(
                        "conditional",
                        "a stored property cannot depend on '#if': an entity has the same columns in every build"
                    ))
            }
        }
    }

    /// Checks that the struct declares `id` the way the conformance requires.
    mutating func checkIdentifier(of model: ModelDeclaration, in structure: StructDeclSyntax) {
        guard let (variable, binding) = structure.identifierProperty else {
            return reportMissingIdentifier(structure, access: model.access.modifier)
        }
        let access = model.access.modifier
        let message = ModelDiagnostic(
            "identifier", "the id of a model must be declared as '\(access)let id: ID'")
        let type = binding.typeAnnotation?.type.trimmedDescription
        let isPlain = variable.bindingSpecifier.tokenKind == .keyword(.let) && binding.initializer == nil
        guard !isPlain || !model.identifierTypes.contains(type ?? "") else { return }
        let fixed: DeclSyntax = "\(raw: access)let id: ID"
        report(
            variable, message,
            fixIts: [
                .replacing(
                    "declare it so", variable,
                    with: fixed.with(\.leadingTrivia, variable.leadingTrivia)
                        .with(\.trailingTrivia, variable.trailingTrivia))
            ])
    }

    private mutating func reportMissingIdentifier(_ structure: StructDeclSyntax, access: String) {
        let members = structure.memberBlock.members
        let indentation =
            members.first.map { Trivia(pieces: $0.leadingTrivia.filter(\.isSpaceOrTab)) } ?? .spaces(4)
        let inserted = MemberBlockItemSyntax(
            leadingTrivia: .newline + indentation, decl: DeclSyntax("\(raw: access)let id: ID"))
        report(
            structure.name,
            ModelDiagnostic("missingIdentifier", "a model needs an id: '\(access)let id: ID'"),
            fixIts: [
                .replacing(
                    "insert '\(access)let id: ID'", members,
                    with: MemberBlockItemListSyntax([inserted] + Array(members)))
            ])
    }
}

extension StructDeclSyntax {
    /// The stored or computed property named `id`, with its binding.
    fileprivate var identifierProperty: (VariableDeclSyntax, PatternBindingSyntax)? {
        for member in memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                variable.modifiers.first(of: [.static, .class]) == nil
            else { continue }
            for binding in variable.bindings {
                if binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText == "id" {
                    return (variable, binding)
                }
            }
        }
        return nil
    }
}
