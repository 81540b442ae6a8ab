import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Relationship`: the getter of a to-many, which has no storage.
enum RelationshipMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        // A missing inverse is reported by @Model, which sees the whole struct.
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
