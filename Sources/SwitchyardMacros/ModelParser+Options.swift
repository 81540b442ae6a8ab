import SwiftDiagnostics
import SwiftSyntax

/// The arguments of `@Attribute`.
struct AttributeOptions {
    var column: String?
    var isSearchable = false
    /// The case of `AttributeHistory`, unless the history is whole.
    var history: String?
    /// The merge policy as written.
    var merge: String?
}

/// The arguments of `@Model`.
struct ModelOptions {
    var isLeftOutOfHistory = false
    /// What edits of deleted rows do, as written.
    var deletedRows: String?
}

extension ModelParser {
    /// Reads the arguments of `@Attribute` of a property of some type.
    mutating func readOptions(_ attribute: AttributeSyntax, type: PropertyType) -> AttributeOptions {
        var options = AttributeOptions()
        for argument in attribute.labeledArguments {
            let option = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            switch (argument.label?.text, option) {
            case (_, nil) where argument.expression.mergePolicy != nil:
                let policy = readMerge(argument.expression, before: options.merge)
                if let policy, let refusal = type.refusal(ofMerging: policy) {
                    report(argument.expression, refusal)
                }
                options.merge = policy ?? options.merge
            case ("column", _): options.column = readColumn(argument.expression)
            case (_, "searchable"): options.isSearchable = true
            case (_, "withoutHistory"): options.history = "leftOut"
            case (_, "withoutEarlierValues"): options.history = options.history ?? "withoutEarlierValues"
            // It is unavailable, and the compiler's error says what to write instead.
            case (_, "unique"): break
            default:
                report(
                    argument.expression,
                    ModelDiagnostic("option", "write the option out as a case, such as '.searchable'"))
            }
        }
        return options
    }

    /// Reads the arguments of `@Model`.
    mutating func readModelOptions(_ attribute: AttributeSyntax) -> ModelOptions {
        var options = ModelOptions()
        for argument in attribute.labeledArguments {
            if argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "withoutHistory"
            {
                options.isLeftOutOfHistory = true
            } else if argument.expression.mergePolicy != nil {
                options.deletedRows =
                    readMerge(argument.expression, before: options.deletedRows) ?? options.deletedRows
            } else {
                report(
                    argument.expression,
                    ModelDiagnostic(
                        "modelOption", "write the option out as a case, such as '.withoutHistory'"))
            }
        }
        return options
    }

    /// Reads a policy, which must be the only one and be written out.
    private mutating func readMerge(_ expression: ExprSyntax, before: String?) -> String? {
        guard let policy = expression.mergePolicy, let text = policy.policyText else {
            report(
                expression.mergePolicy ?? expression,
                ModelDiagnostic("mergePolicy", "write the policy out as a case, such as '.merge(.maximum)'"))
            return nil
        }
        if let before {
            report(
                expression,
                ModelDiagnostic("twoPolicies", "there is a policy already, '\(before)': remove one of them"))
            return nil
        }
        return text
    }

    private mutating func readColumn(_ expression: ExprSyntax) -> String? {
        if expression.is(NilLiteralExprSyntax.self) { return nil }
        guard let text = expression.as(StringLiteralExprSyntax.self)?.sourceText else {
            report(expression, ModelDiagnostic("column", "write the column's name out as a literal"))
            return nil
        }
        checkName(text, of: "a column", at: expression)
        checkColumn(text, at: expression)
        return text
    }
}

extension ExprSyntax {
    /// The argument of `.merge(…)`; nil for any other expression.
    fileprivate var mergePolicy: ExprSyntax? {
        guard let call = self.as(FunctionCallExprSyntax.self), call.arguments.count == 1,
            call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "merge"
        else { return nil }
        return call.arguments.first?.expression
    }

    /// The text of a case, such as `.maximum` or `.custom("longest")`; nil for any other expression.
    fileprivate var policyText: String? {
        if let member = self.as(MemberAccessExprSyntax.self) { return ".\(member.declName.baseName.text)" }
        guard let call = self.as(FunctionCallExprSyntax.self), call.arguments.count == 1,
            let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            call.arguments.first?.expression.as(StringLiteralExprSyntax.self)?.sourceText != nil
        else { return nil }
        return
            ".\(member.declName.baseName.text)\(call.arguments.first.map { "(\($0.trimmedDescription))" } ?? "")"
    }
}
