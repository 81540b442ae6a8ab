import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Relationship`, which generates the getter of a to-many property.
enum RelationshipMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        // @Model, which sees the whole struct, reports a missing inverse.
        let inverse = node.argument("inverse").flatMap(KeyPathText.init)?.property ?? ""
        return [
            """
            get {
                Switchyard.ToMany(of: self, inverse: \(literal: inverse))
            }
            """
        ]
    }
}
