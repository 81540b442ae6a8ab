import SwiftDiagnostics
import SwiftSyntax

extension ModelParser {
    /// Reads `#Index` and `#Unique`.
    mutating func read(_ macro: MacroExpansionDeclSyntax, into model: inout ModelDeclaration) {
        guard macro.isConstraint else { return }
        let name = macro.macroName.text
        guard macro.arguments.contains(where: { $0.label == nil }) else {
            return report(macro, .noAttributes)
        }
        var lists: [(names: [String], source: ExprSyntax)] = []
        var filter = macro.trailingClosure?.trimmedDescription
        var (nilsAreDistinct, merge): (String?, String?)
        for argument in macro.arguments {
            switch argument.label?.text {
            case "where": filter = readFilter(argument.expression)
            case "nilsAreDistinct": nilsAreDistinct = argument.expression.trimmedDescription
            case "merge": merge = argument.expression.trimmedDescription
            default:
                if let names = readNames(argument.expression) { lists.append((names, argument.expression)) }
            }
        }
        for list in lists {
            let constraint = ConstraintText(
                names: list.names, filter: filter, nilsAreDistinct: nilsAreDistinct, merge: merge)
            guard !(name == "Index" ? model.indexes : model.uniques).contains(where: constraint.isSame(as:))
            else {
                report(
                    list.source,
                    ModelDiagnostic(
                        "duplicateConstraint",
                        "the same \(name == "Index" ? "index" : "unique constraint") is declared already"))
                continue
            }
            if name == "Index" { model.indexes.append(constraint) } else { model.uniques.append(constraint) }
        }
    }

    private mutating func readFilter(_ expression: ExprSyntax) -> String? {
        if expression.is(NilLiteralExprSyntax.self) { return nil }
        guard expression.is(ClosureExprSyntax.self) else {
            report(
                expression,
                ModelDiagnostic(
                    "filter", "write the filter out as a closure, such as '{ $0.endTime == nil }'"))
            return nil
        }
        return expression.trimmedDescription
    }

    private mutating func readNames(_ expression: ExprSyntax) -> [String]? {
        guard let array = expression.as(ArrayExprSyntax.self) else {
            report(
                expression,
                ModelDiagnostic(
                    "keyPaths", "write the attributes out as a list of key paths, such as '[\\.name]'"))
            return nil
        }
        guard !array.elements.isEmpty else {
            report(array, .noAttributes)
            return nil
        }
        var names: [String] = []
        for element in array.elements {
            guard let path = KeyPathText(element.expression) else {
                report(
                    element.expression,
                    ModelDiagnostic(
                        "keyPath", "write the attribute as a key path of one property, such as '\\.name'"))
                return nil
            }
            names.append(path.property)
        }
        return names
    }

    /// Checks that indexes and constraints name attributes of the model.
    mutating func checkConstraints(of model: ModelDeclaration, in structure: StructDeclSyntax) {
        // A property with an error of its own is missing here, and would be reported a second time.
        guard diagnostics.isEmpty else { return }
        let known = Set(model.attributes.map(\.name))
        for member in structure.memberBlock.members {
            guard let macro = member.decl.as(MacroExpansionDeclSyntax.self),
                macro.isConstraint
            else { continue }
            for element in macro.arguments.compactMap({ $0.expression.as(ArrayExprSyntax.self) }).flatMap(
                \.elements)
            {
                guard let path = KeyPathText(element.expression), !known.contains(path.property) else {
                    continue
                }
                report(
                    element.expression,
                    ModelDiagnostic(
                        "notAnAttribute",
                        "'\(path.property)' is not a stored attribute of \(model.name); only those can be indexed"
                    ))
            }
        }
    }
}

extension ModelDiagnostic {
    /// An index or a constraint without attributes.
    fileprivate static var noAttributes: Self {
        ModelDiagnostic(
            "noAttributes", "an index or a constraint needs at least one attribute, such as '[\\.name]'")
    }
}
